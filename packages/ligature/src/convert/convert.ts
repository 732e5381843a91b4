/** The ways between wire values and conversations that most callers want: decode, encode for a provider, convert. */
import {
  type Profile,
  type ProfileName,
  resolvePolicies,
  resolveProfile,
  settle,
  settleNames,
  type Settled,
  type SettleOptions,
} from "../rules/index.ts"
import {
  assertOptions,
  type Conversation,
  debugFor,
  LigatureError,
  type OptionNames,
  type Report,
  type ReportEntry,
  type Transcript,
  type Wire,
} from "../model/index.ts"
import { accountFor, unreadRule } from "./account.ts"
import { encodeAtHome, encodeFor, encodeNames, encodePlainly, type EncodeRequest, reportOf, type RequestOf } from "./encode.ts"
import { type Codec, decodeNames, type DecodeOptions, sameElements } from "../formats/engine/codec.ts"
import { formatProfile } from "./home-profile.ts"
import { findLostTexts } from "./lost-texts.ts"
import { type Format, isSessionCodec, resolveCodec } from "../registry/registry.ts"
import { fitSession } from "./session-check.ts"
import { fileValueOf, type SessionCodec, type SessionWriting } from "../formats/engine/session.ts"
import { writeJson } from "./write-json.ts"
import { assertUnderstood, wrongFormat } from "./wrong-format.ts"

/** Reads a wire value. Never fails on data; throws only for an unknown format name. */
export const decode = (format: Format | Codec, value: unknown, options: DecodeOptions = {}): Transcript => {
  assertOptions(options, decodeNames)
  return accountFor(resolveCodec(format).decode(value, options), value)
}

/** The profile that stands for a format when nobody names a provider. */
export const defaultProfile = (format: Format | Codec): Profile | undefined => formatProfile(resolveCodec(format).format)

export interface ConvertOptions extends SettleOptions, EncodeRequest {
  /** The provider to write for; default: the one the target format is named after. */
  readonly profile?: Profile | ProfileName
}

type ConvertAll = ConvertOptions & DecodeOptions & { readonly from: Format | Codec; readonly to: Format | Codec }

const convertNames: OptionNames<ConvertAll> = { ...encodeNames, ...settleNames, ...decodeNames, from: true, to: true, profile: true }

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

/** What a session says of itself, for the file it moves into. */
const movedFrom = (from: string, to: string, value: unknown, branch: string | undefined): SessionWriting | undefined => {
  const source = resolveCodec(from)
  const target = resolveCodec(to)
  if (!isSessionCodec(target) || !isSessionCodec(source) || source === target) return undefined
  const whole = source.session.outline(value)
  // A subagent began later than the session that it is in, and has a task of its own.
  const path = branch === undefined ? undefined : whole.paths.find(({ id, kind }) => kind === "subagent" && id === branch)
  const own = path && Array.isArray(value) ? source.session.outline(value.slice(path.first)).startedAt : undefined
  const startedAt = own ?? whole.startedAt
  const title = path?.title ?? whole.title
  const { folder } = whole
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
  const { source, lines, tools, branch, view, policies, tip } = options
  const decoding: DecodeOptions = {
    ...(source !== undefined && { source }),
    ...(lines && { lines }),
    ...(tools && { tools }),
    ...(branch !== undefined && { branch }),
    ...(view && { view }),
  }
  const transcript = accountFor(resolveCodec(from).decode(value, decoding), value)
  assertUnderstood(transcript, value, from)
  const { conversation, report } = settle(transcript, { ...(policies && { policies }), ...(tip && { tip }) })
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
): Converted<RequestOf<To>> => {
  const [from, to] = [resolveCodec(options.from).format, resolveCodec(options.to).format]
  resolvePolicies(options)
  assertOptions<ConvertAll>(options, convertNames)
  return convertNamed(value, { ...options, from, to }) as Converted<RequestOf<To>>
}

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
  const facts = { ...movedFrom(reading.from, to, value, reading.branch), ...session }
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

export interface RepairOptions extends DecodeOptions, SettleOptions, EncodeRequest {
  readonly from: Format | Codec
  /** Sessions only: the provider whose limits on media count. Default: where its agent sends it, as far as the file says it. */
  readonly mediaFor?: Profile | ProfileName
  /** The value is a piece of a history, as a reply without its request is: it may begin with the assistant. */
  readonly excerpt?: boolean
}

const repairNames: OptionNames<RepairOptions> = {
  ...encodeNames,
  ...settleNames,
  ...decodeNames,
  from: true,
  mediaFor: true,
  excerpt: [true, false],
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
): Converted<RequestOf<From>> => {
  const from = resolveCodec(options.from).format
  resolvePolicies(options)
  assertOptions<RepairOptions>(options, repairNames)
  if (options.mediaFor !== undefined) resolveProfile(options.mediaFor)
  return repairNamed(value, { ...options, from }) as Converted<RequestOf<From>>
}

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
