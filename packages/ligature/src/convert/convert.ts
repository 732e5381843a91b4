/** The ways between wire values and conversations that most callers want: decode, encode for a provider, convert. */
import {
  fit,
  type MediaHandle,
  type PolicyOptions,
  type Profile,
  type ProfileName,
  resolveProfile,
  settle,
  type Settled,
  type SettleOptions,
} from "../rules/index.ts"
import {
  type Conversation,
  debugFor,
  emptyReport,
  isWire,
  LigatureError,
  type Report,
  type ReportEntry,
  type Transcript,
  type Wire,
} from "../model/index.ts"
import { accountFor, unreadRule } from "./account.ts"
import { type Codec, type DecodeOptions, sameElements } from "../formats/engine/codec.ts"
import { declareCalled, type KnownTool } from "../formats/engine/tools.ts"
import type { requestListKey } from "../document/formats.ts"
import { atHome, formatProfile, goesOn } from "./home-profile.ts"
import { findLosses } from "./losses.ts"
import { findLostTexts } from "./lost-texts.ts"
import { codecs, type Format, isSessionCodec, resolveCodec, type WireFormat } from "../registry/registry.ts"
import { fitSession } from "./session-check.ts"
import { sendable } from "./sendable.ts"
import { fileValueOf, type SessionCodec, type SessionWriting } from "../formats/engine/session.ts"
import { writeJson } from "./write-json.ts"
import { assertUnderstood, wrongFormat } from "./wrong-format.ts"
import { lowerToText } from "../formats/xml-text/lower.ts"

/** Reads a wire value. Never fails on data; throws only for an unknown format name. */
export const decode = (format: Format | Codec, value: unknown, options?: DecodeOptions): Transcript =>
  accountFor(resolveCodec(format).decode(value, options), value)

export interface EncodeRequest extends PolicyOptions {
  /**
   * Fields we do not know that came from this very format: `strip` where the provider rejects them (default), or `keep`.
   */
  readonly extras?: "keep" | "strip"
  /** Only the list of messages will be used: a system prompt stays among them. */
  readonly bare?: boolean
  /** How calls are written: as blocks (default) or as XML text, all of them alike. */
  readonly style?: "json" | "xml"
  /** With XML: the tools there are. Values of which their schemas say the type are then written plainly. */
  readonly tools?: readonly KnownTool[]
  /** Sessions only: what a new file says of itself. */
  readonly session?: SessionWriting
  /** The handle by which the model can get at media that is left out, where it has a tool to recall it. */
  readonly mediaHandle?: MediaHandle
  /** The model the request is for, where its fields do not name one: some models of a provider require more than others. */
  readonly model?: string
}

/** A request body of a wire format: the list of messages under the key the format has for it, and other fields. */
export type RequestOf<To> = To extends WireFormat ? Wire & { readonly [Key in (typeof requestListKey)[To]]: readonly Wire[] } : Wire

export interface Encoded<Value = Wire> {
  /** A request body: `{ system?, messages }`, `{ input }`, `{ contents, systemInstruction? }`, … */
  readonly value: Value
  /** What had to be changed for this provider, and what its format cannot say. */
  readonly report: Report
}

/**
 * Losses are found when somebody looks at them: whether an argument text was spelt like its value costs as much as writing
 * it, and an agent that sends request after request to one other format never asks.
 */
const reportOf = (entries: Report["entries"], find: () => Report["losses"]): Report => {
  let found: Report["losses"] | undefined
  return {
    entries,
    get losses() {
      found ??= find()
      return found
    },
  }
}

/**
 * Writes a conversation as a request for a provider. The result always passes `check` for that profile.
 *
 * @example
 * const { value, report } = encode(conversation, "openai-chat")
 */
export const encode = <For extends Profile | ProfileName>(
  conversation: Conversation,
  profile: For,
  options: EncodeRequest = {},
  // A profile with the name of a format is of that format.
): Encoded<RequestOf<For>> => encodeFor(conversation, resolveProfile(profile), options) as Encoded<RequestOf<For>>

interface Writing extends EncodeRequest {
  /** With XML: results that say only that a call was interrupted are left out. */
  readonly placeholders?: "omit"
}

/** Calls as text, where that is asked for. */
const spoken = (
  conversation: Conversation,
  { style, tools, placeholders }: Writing,
  onChange: (entry: ReportEntry) => void,
): Conversation => (style === "xml" ? lowerToText(conversation, { tools, placeholders, onChange }) : conversation)

const encodeFor = (conversation: Conversation, target: Profile, options: Writing): Encoded => {
  const codec = resolveCodec(target.format)
  const marked: ReportEntry[] = []
  const onChange = (entry: ReportEntry): void => void marked.push(entry)
  const worded = spoken(conversation, options, onChange)
  const extras = options.extras ?? (target.unknownFields === "reject" ? "strip" : "keep")
  const fitted = fit(worded, target, extras === "strip" && codec.takesBack ? { ...options, takesBack: codec.takesBack } : options)
  const envelope = options.bare === true ? { bare: true } : { forProvider: true }
  const written = codec.encode(fitted.conversation, { ...target.wire, extras, ...envelope })
  const declares = target.toolList === "declare" && options.bare !== true && options.style !== "xml"
  const declared = declares ? declareCalled(written, fitted.conversation, codec) : undefined
  const { request, entries: last } = sendable(declared?.request ?? written, conversation, false)
  const entries = [...marked, ...fitted.entries, ...(declared ? [declared.entry] : []), ...last]
  const foreign = conversation.native === undefined || !Object.hasOwn(conversation.native, target.format)
  if (!foreign) {
    const stripped = (): Report["losses"] =>
      extras === "keep" ? [] : findLostTexts(codec.encode(fitted.conversation, { ...target.wire, ...envelope }), request, entries)
    return { value: orTheSame(request, conversation, target.format), report: reportOf(entries, stripped) }
  }
  return { value: request, report: reportOf(entries, () => findLosses(conversation, codec, codecs)) }
}

/**
 * The very request the conversation came from, where nothing in it changed: who holds its text need not write it again,
 * and nobody has to compare. One look at each message, by identity.
 */
const orTheSame = (request: Wire, conversation: Conversation, format: string): Wire => {
  const before = conversation.native?.[format]
  if (!isWire(before)) return request
  let fields = 0
  for (const key in request) {
    const [value, old] = [request[key], before[key]]
    if (value !== old && !(Array.isArray(value) && sameElements(value, old))) return request
    fields++
  }
  for (const _ in before) fields--
  return fields === 0 ? before : request
}

/** The profile that stands for a format when nobody names a provider. */
export const defaultProfile = (format: Format | Codec): Profile | undefined => formatProfile(resolveCodec(format).format)

export interface ConvertOptions extends SettleOptions, EncodeRequest {
  /** The provider to write for; default: the one the target format is named after. */
  readonly profile?: Profile | ProfileName
}

export interface Converted<Value = Wire> {
  readonly value: Value
  /** What was read, damage and the findings of decoding included: nobody has to decode the value again. */
  readonly transcript: Transcript
  readonly conversation: Conversation
  /** What settle and encode did, and what the target cannot say. */
  readonly report: Report
}

const joined = (first: Report, second: Report): Report =>
  reportOf([...first.entries, ...second.entries], () => [...first.losses, ...second.losses])

/** Whatever was read and is in neither what came of it nor the report is lost, and is named. `stays`: in its own file. */
const accounted = (source: unknown, done: Converted, stays: boolean): Converted => {
  const { value, report } = done
  const { entries } = report
  const find = (): Report["losses"] => [...report.losses, ...findLostTexts(source, value, [entries, report.losses], stays)]
  return { ...done, report: reportOf(entries, find) }
}

/** Writes a conversation in a format for which nobody named a provider, or which has none. */
export const encodePlainly = (conversation: Conversation, format: string, options: Writing = {}): Encoded => {
  const codec = resolveCodec(format)
  const marked: ReportEntry[] = []
  const onChange = (entry: ReportEntry): void => void marked.push(entry)
  const worded = spoken(conversation, options, onChange)
  const callsAsText = options.style === "xml"
  const writing = { extras: options.extras ?? "keep", onChange, callsAsText, ...(options.session && { session: options.session }) } as const
  const home = conversation.native !== undefined && Object.hasOwn(conversation.native, codec.format)
  const isFile = isSessionCodec(codec)
  if (home) {
    const { request, entries } = sendable(codec.encode(worded, writing), conversation, isFile)
    const changes = [...marked, ...entries]
    const report = changes.length === 0 ? emptyReport : { entries: changes, losses: [] }
    return { value: orTheSame(request, conversation, codec.format), report }
  }
  const profile = isSessionCodec(codec) ? codec.session.profile : undefined
  // A session that moves in is what its new agent sends next, so it must suit the provider behind it.
  const fitted =
    profile === undefined
      ? { conversation: worded, entries: [] }
      : fit(worded, { ...resolveProfile(profile), last: "any", first: "any" }, options)
  const { request, entries } = sendable(codec.encode(fitted.conversation, writing), conversation, isFile)
  return { value: request, report: reportOf([...fitted.entries, ...marked, ...entries], () => findLosses(conversation, codec, codecs)) }
}

/** What a session says of itself, for the file it moves into. */
const movedFrom = (from: string, to: string, value: unknown): SessionWriting | undefined => {
  const source = resolveCodec(from)
  const target = resolveCodec(to)
  if (!isSessionCodec(target) || !isSessionCodec(source) || source === target) return undefined
  const { folder, startedAt, title } = source.session.outline(value)
  return {
    ...(folder !== undefined && { folder }),
    ...(startedAt !== undefined && { startedAt }),
    ...(title !== undefined && { title }),
  }
}

interface Reading extends DecodeOptions, SettleOptions {
  readonly from: string
}

/** Records of a session that are no part of its conversation. */
const strangeRecords: ReadonlySet<string> = new Set(["unknown-record", "malformed-record"])

const notConverted = { kind: "drop", what: "not converted" } as const

/**
 * What the decoder read in another shape than the encoder will write: a change like any other, so it is reported. A
 * session that stays in its file keeps the records nobody understood; one that moves leaves them behind.
 */
const reshaped = ({ diagnostics = [], format }: Transcript, stays: boolean): readonly ReportEntry[] => {
  const isSession = isSessionCodec(resolveCodec(format))
  const unread = new Set(diagnostics.flatMap(({ rule, place }) => (rule === unreadRule ? [place.path] : [])))
  return diagnostics.flatMap(({ severity, repair, rule, place, what, ids, original }): readonly ReportEntry[] => {
    const isStrange = isSession && strangeRecords.has(rule) && place.path !== undefined
    const isLeft = isStrange && !repair && !stays && !unread.has(place.path)
    const done = isLeft ? notConverted : severity === "info" || (isSession && stays && rule === unreadRule) ? undefined : repair
    return done ? [{ rule, kind: done.kind, place, what: `${what}: ${done.what}`, ids, ...(original && { original }) }] : []
  })
}

interface Read extends Settled {
  readonly transcript: Transcript
  readonly decoding: DecodeOptions
}

const read = (value: unknown, { from, ...options }: Reading, stays: boolean): Read => {
  const { source, lines, tools, branch, view, ...settling } = options
  const decoding: DecodeOptions = {
    ...(source !== undefined && { source }),
    ...(lines && { lines }),
    ...(tools && { tools }),
    ...(branch !== undefined && { branch }),
    ...(view && { view }),
  }
  const transcript = accountFor(resolveCodec(from).decode(value, decoding), value)
  assertUnderstood(transcript, value, from)
  const { conversation, report } = settle(transcript, settling)
  return { transcript, decoding, conversation, report: { ...report, entries: [...reshaped(transcript, stays), ...report.entries] } }
}

/** What a repair leads to is repaired again: a session goes on from another message where its last one was left out. */
const mostRounds = 6

/** Writes a session again until that changes nothing. The conversation is the one that the file holds in the end. */
const repeated = (value: unknown, once: Converted, codec: SessionCodec, write: (before: unknown) => Converted): Converted => {
  let done = once
  for (let round = 1, changes = done.report.entries.length; changes > 0 && round < mostRounds; round++) {
    const before = fileValueOf(codec, done.value)
    const next = readable(value, codec, () => write(before))
    const after = fileValueOf(codec, next.value)
    const isSame = after === before || (Array.isArray(after) && sameElements(after, before))
    changes = isSame ? 0 : next.report.entries.length
    if (changes > 0) done = { ...next, transcript: once.transcript, report: joined(done.report, next.report) }
    else done = { ...done, conversation: next.conversation }
  }
  return done
}

/** A session of which only records would be left that nobody understands is refused as a whole: none of it is of this format. */
const readable = (value: unknown, codec: SessionCodec, writing: () => Converted): Converted => {
  try {
    return writing()
  } catch (error) {
    throw LigatureError.is(error) && error.code === "wrong-format" ? wrongFormat(value, codec) : error
  }
}

/**
 * From one format to another, in one call: decode, settle, encode. A history that is healthy and valid for its provider
 * comes back deep-equal in its own format.
 *
 * @example
 * const { value, report } = convert(request, { from: "anthropic", to: "openai-chat" })
 */
export const convert = <To extends Format | Codec>(
  value: unknown,
  options: ConvertOptions & DecodeOptions & { readonly from: Format | Codec; readonly to: To },
): Converted<RequestOf<To>> =>
  convertNamed(value, {
    ...options,
    from: resolveCodec(options.from).format,
    to: resolveCodec(options.to).format,
  }) as Converted<RequestOf<To>>

type Converting = ConvertOptions & Reading & { readonly to: string }

const convertNamed = (value: unknown, options: Converting): Converted => {
  const codec = resolveCodec(options.from)
  const once = convertOnce(value, options)
  const { lines: _, ...again } = options
  const stays = isSessionCodec(codec) && resolveCodec(options.to) === codec
  const done = stays ? repeated(value, once, codec, (before) => convertOnce(before, again)) : once
  debugFor("convert")?.(`[convert] ${options.from} -> ${options.to}: ${done.report.entries.length} changes${rulesOf(done.report)}`)
  return accounted(value, done, stays)
}

const convertOnce = (value: unknown, options: Converting): Converted => {
  const { to, profile, extras, style, session, ...reading } = options
  const { transcript, conversation, report } = read(value, reading, resolveCodec(reading.from) === resolveCodec(to))
  const facts = { ...movedFrom(reading.from, to, value), ...session }
  const writing: EncodeRequest = {
    ...(extras && { extras }),
    ...(style && { style }),
    ...(reading.tools && { tools: reading.tools }),
    ...(reading.policies && { policies: reading.policies }),
    session: facts,
  }
  const target = profile === undefined ? formatProfile(to) : resolveProfile(profile)
  const encoded = !target || target.format !== to ? encodePlainly(conversation, to, writing) : encodeFor(conversation, target, writing)
  return { value: encoded.value, transcript, conversation, report: joined(report, encoded.report) }
}

/** Which rules changed something, for a line of a log. */
const rulesOf = ({ entries }: Report): string =>
  entries.length === 0 ? "" : ` (${[...new Set(entries.map(({ rule }) => rule))].join(", ")})`

export interface ConvertedText extends Omit<Converted, "value"> {
  /** The request as JSON: the very text that was given where nothing had to be changed. */
  readonly value: string
}

/**
 * `convert` from text to text, for whoever passes requests on: a healthy one keeps its bytes, and is not written again. In
 * another one, long texts and arguments keep the spelling they had, which costs a fraction of writing them anew.
 *
 * @example
 * const { value, report } = convertText(JSON.stringify(request), { from: "anthropic", to: "anthropic" })
 */
export const convertText = (text: string, options: Parameters<typeof convert>[1]): ConvertedText => {
  const body: unknown = JSON.parse(text)
  const { value, transcript, conversation, report } = convert(body, options)
  const written = value === body ? text : writeJson(value, { text, parsed: body, conversation })
  return { value: written, transcript, conversation, report }
}

/** A conversation in the format it came from, as its provider takes it; as it is where the format has no provider. */
export const encodeAtHome = (conversation: Conversation, format: string, options: Writing = {}, excerpt = false): Encoded => {
  const target = formatProfile(format)
  if (!target) return encodePlainly(conversation, format, options)
  const wanted = goesOn(atHome(target))
  return encodeFor(conversation, excerpt ? { ...wanted, first: "any" } : wanted, options)
}

export interface RepairOptions extends DecodeOptions, SettleOptions, EncodeRequest {
  readonly from: Format | Codec
  /** Sessions only: the provider whose limits on media count. Default: where its agent sends it, as far as the file says it. */
  readonly mediaFor?: Profile | ProfileName
  /** The value is a piece of a history, as a reply without its request is: it may begin with the assistant. */
  readonly excerpt?: boolean
}

/**
 * The same history in the same format, valid and accepted by its provider. What is both already comes back deep-equal; a
 * history that ends with the assistant may stay so, since the next word is the user's. Repairing twice changes nothing.
 *
 * @example
 * const { value, report } = repair(request, { from: "anthropic" })
 */
export const repair = <From extends Format | Codec>(
  value: unknown,
  options: RepairOptions & { readonly from: From },
): Converted<RequestOf<From>> => repairNamed(value, { ...options, from: resolveCodec(options.from).format }) as Converted<RequestOf<From>>

type Repairing = Omit<RepairOptions, "from"> & Reading

const repairNamed = (value: unknown, options: Repairing): Converted => {
  const codec = resolveCodec(options.from)
  const once = repairOnce(value, options)
  const { lines: _, ...again } = options
  const done = isSessionCodec(codec) ? repeated(value, once, codec, (before) => repairOnce(before, again)) : once
  const { entries } = done.report
  debugFor("convert")?.(`[repair] ${codec.format}: ${entries.length} changes${rulesOf(done.report)}`)
  return accounted(value, done, true)
}

const repairOnce = (value: unknown, options: Repairing): Converted => {
  const { extras, style, mediaFor, excerpt, ...reading } = options
  const { policies } = reading
  const { transcript, decoding, conversation: whole, report: settled } = read(value, reading, true)
  const { conversation, entries } = fitSession(value, transcript, whole, { ...decoding, ...(mediaFor && { mediaFor }) })
  const report: Report = entries.length === 0 ? settled : { ...settled, entries: [...settled.entries, ...entries] }
  const writing: EncodeRequest = { ...(extras && { extras }), ...(style && { style }), ...(policies && { policies }) }
  const fitted = encodeAtHome(conversation, reading.from, { ...writing, bare: Array.isArray(value) }, excerpt)
  const isFine = report.entries.length + fitted.report.entries.length === 0
  // What has no provider was written plainly already.
  const isPlain = formatProfile(reading.from) === undefined
  const encoded = isFine && !isPlain ? encodePlainly(conversation, reading.from, writing) : fitted
  return { value: encoded.value, transcript, conversation, report: joined(report, encoded.report) }
}
