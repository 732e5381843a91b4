/** The ways between wire values and conversations that most callers want: decode, encode for a provider, convert. */
import {
  fit,
  type Policies,
  type Profile,
  profiles,
  resolveProfile,
  settle,
  type Settled,
  type SettleOptions,
} from "../laws/index.ts"
import { type Conversation, emptyReport, isWire, type Report, type ReportEntry, type Transcript, type Wire } from "../model/index.ts"
import { type DecodeOptions, sameElements } from "./codec.ts"
import { findLosses } from "./losses.ts"
import { codecs, isSessionCodec, resolveCodec } from "./registry.ts"
import type { SessionWriting } from "./session.ts"
import { writeJson } from "./write-json.ts"
import { lowerToText } from "./xml-text/index.ts"

/** Reads a wire value. Never fails on data; throws only for an unknown format name. */
export const decode = (format: string, value: unknown, options?: DecodeOptions): Transcript =>
  resolveCodec(format).decode(value, options)

export interface EncodeRequest {
  readonly policies?: Partial<Policies>
  /**
   * Fields we do not know that came from this very format: `strip` where the provider rejects them (default), or `keep`.
   */
  readonly extras?: "keep" | "strip"
  /** Only the list of messages will be used: a system prompt stays among them. */
  readonly bare?: boolean
  /** How calls are written: as blocks (default) or as XML text, all of them alike. */
  readonly style?: "json" | "xml"
  /** Sessions only: what a new file says of itself. */
  readonly session?: SessionWriting
}

export interface Encoded {
  /** A request body: `{ system?, messages }`, `{ input }`, `{ contents, systemInstruction? }`, … */
  readonly request: Wire
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
 * const { request, report } = encode(conversation, "openai-chat")
 */
export const encode = (conversation: Conversation, profile: Profile | string, options: EncodeRequest = {}): Encoded => {
  const target = resolveProfile(profile)
  const codec = resolveCodec(target.format)
  const spoken = options.style === "xml" ? lowerToText(conversation) : conversation
  const fitted = fit(spoken, target, options.policies)
  const extras = options.extras ?? (target.unknownFields === "reject" ? "strip" : "keep")
  const envelope = options.bare === true ? { bare: true } : { forProvider: true }
  const request = codec.encode(fitted.conversation, { ...target.wire, extras, ...envelope })
  const foreign = conversation.native === undefined || !Object.hasOwn(conversation.native, target.format)
  if (!foreign) return { request: orTheSame(request, conversation, target.format), report: { entries: fitted.entries, losses: [] } }
  return { request, report: reportOf(fitted.entries, () => findLosses(conversation, codec, codecs)) }
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
export const defaultProfile = (format: string): Profile | undefined => {
  if (Object.hasOwn(profiles, format)) return profiles[format]
  return Object.values(profiles).find((profile) => profile.format === format)
}

export interface ConvertOptions extends SettleOptions, EncodeRequest {
  /** The provider to write for; default: the one the target format is named after. */
  readonly profile?: Profile | string
}

export interface Converted {
  readonly value: Wire
  readonly conversation: Conversation
  /** What settle and encode did, and what the target cannot say. */
  readonly report: Report
}

/**
 * What a provider demands of a history that stays in its own format: validity, but none of the rewriting that suits a
 * request made for it. What came from there keeps its fields, its thinking and its spelling.
 */
export const atHome = (profile: Profile): Profile => ({
  ...profile,
  unknownFields: "ignore",
  thinking: profile.thinking === "never" ? "plain" : profile.thinking,
  wire: {},
})

/** For a history that nobody sends as it is: the next word is the user's, whoever had the last one. */
export const goesOn = (profile: Profile): Profile => ({ ...profile, last: "any", trimFinal: false })

const joined = (first: Report, second: Report): Report =>
  reportOf([...first.entries, ...second.entries], () => [...first.losses, ...second.losses])

/** Writes a conversation in a format for which nobody named a provider, or which has none. */
export const encodePlainly = (conversation: Conversation, format: string, options: EncodeRequest = {}): Encoded => {
  const codec = resolveCodec(format)
  const spoken = options.style === "xml" ? lowerToText(conversation) : conversation
  const writing = { extras: options.extras ?? "keep", ...(options.session && { session: options.session }) }
  const home = conversation.native !== undefined && Object.hasOwn(conversation.native, codec.format)
  if (home) return { request: orTheSame(codec.encode(spoken, writing), conversation, codec.format), report: emptyReport }
  const profile = isSessionCodec(codec) ? codec.session.profile : undefined
  // A session that moves in is what its new agent sends next, so it must suit the provider behind it.
  const fitted =
    profile === undefined
      ? { conversation: spoken, entries: [] }
      : fit(spoken, { ...resolveProfile(profile), last: "any", first: "any" }, options.policies)
  const report = reportOf(fitted.entries, () => findLosses(conversation, codec, codecs))
  return { request: codec.encode(fitted.conversation, writing), report }
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

/** What the decoder read in another shape than the encoder will write: a change like any other, so it is reported. */
const reshaped = ({ diagnostics = [] }: Transcript): readonly ReportEntry[] =>
  diagnostics.flatMap(({ severity, repair, rule, place, what, ids }): readonly ReportEntry[] =>
    repair && severity !== "info" ? [{ rule, kind: repair.kind, place, what: `${what}: ${repair.what}`, ids }] : [],
  )

const read = (value: unknown, { from, ...options }: Reading): Settled => {
  const { source, lines, tools, branch, view, ...settling } = options
  const transcript = decode(from, value, {
    ...(source !== undefined && { source }),
    ...(lines && { lines }),
    ...(tools && { tools }),
    ...(branch !== undefined && { branch }),
    ...(view && { view }),
  })
  const { conversation, report } = settle(transcript, settling)
  return { conversation, report: { ...report, entries: [...reshaped(transcript), ...report.entries] } }
}

/**
 * From one format to another, in one call: decode, settle, encode. A history that is healthy and valid for its provider
 * comes back deep-equal in its own format.
 *
 * @example
 * const { value, report } = convert(request, { from: "anthropic", to: "openai-chat" })
 */
export const convert = (
  value: unknown,
  options: ConvertOptions & DecodeOptions & { readonly from: string; readonly to: string },
): Converted => {
  const { to, profile, extras, style, policies, session, ...reading } = options
  const { conversation, report } = read(value, reading)
  const facts = { ...movedFrom(reading.from, to, value), ...session }
  const writing: EncodeRequest = {
    ...(extras && { extras }),
    ...(style && { style }),
    ...(policies && { policies }),
    session: facts,
  }
  const target = profile === undefined ? defaultProfile(to) : resolveProfile(profile)
  const stays = reading.from === to && profile === undefined
  const encoded =
    !target || target.format !== to
      ? encodePlainly(conversation, to, writing)
      : encode(conversation, stays ? atHome(target) : target, writing)
  return { value: encoded.request, conversation, report: joined(report, encoded.report) }
}

export interface ConvertedText extends Omit<Converted, "value"> {
  /** The request as JSON: the very text that was given where nothing had to be changed. */
  readonly text: string
}

/**
 * `convert` from text to text, for whoever passes requests on: a healthy one keeps its bytes, and is not written again. In
 * another one, long texts and arguments keep the spelling they had, which costs a fraction of writing them anew.
 *
 * @example
 * const { text, report } = convertText(JSON.stringify(request), { from: "anthropic", to: "anthropic" })
 */
export const convertText = (text: string, options: Parameters<typeof convert>[1]): ConvertedText => {
  const body: unknown = JSON.parse(text)
  const { value, conversation, report } = convert(body, options)
  const written = value === body ? text : writeJson(value, { text, parsed: body, conversation })
  return { text: written, conversation, report }
}

/**
 * The same history in the same format, lawful and valid for its provider. What is both already comes back deep-equal; a
 * history that ends with the assistant may stay so, since the next word is the user's.
 *
 * @example
 * const { value, report } = repair(request, { from: "anthropic" })
 */
export const repair = (value: unknown, options: Reading & EncodeRequest): Converted => {
  const { extras, style, policies, ...reading } = options
  const { conversation, report } = read(value, reading)
  const writing: EncodeRequest = { ...(extras && { extras }), ...(style && { style }), ...(policies && { policies }) }
  const target = defaultProfile(reading.from)
  const fitted = target && encode(conversation, goesOn(atHome(target)), { ...writing, bare: Array.isArray(value) })
  const isFine = report.entries.length + (fitted?.report.entries.length ?? 0) === 0
  const encoded = fitted && !isFine ? fitted : encodePlainly(conversation, reading.from, writing)
  return { value: encoded.request, conversation, report: joined(report, encoded.report) }
}
