/** Conversation → request or file: fitted to a provider and written by its format, with what that changed and what is lost. */
import {
  fit,
  type MediaHandle,
  type PolicyOptions,
  type Profile,
  type ProfileName,
  resolvePolicies,
  resolveProfile,
} from "../rules/index.ts"
import {
  assertOptions,
  type Conversation,
  emptyReport,
  isWire,
  type OptionNames,
  type Report,
  type ReportEntry,
  type Wire,
} from "../model/index.ts"
import { sameElements } from "../formats/engine/codec.ts"
import { declareCalled, type KnownTool } from "../formats/engine/tools.ts"
import type { requestListKey } from "../document/formats.ts"
import { atHome, formatProfile, goesOn } from "./home-profile.ts"
import { findLosses } from "./losses.ts"
import { findLostTexts } from "./lost-texts.ts"
import { codecs, isSessionCodec, resolveCodec, type WireFormat } from "../registry/registry.ts"
import { sendable } from "./sendable.ts"
import type { SessionWriting } from "../formats/engine/session.ts"
import { lowerToText } from "../formats/xml-text/lower.ts"

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

export const encodeNames: OptionNames<EncodeRequest> = {
  policies: true,
  extras: ["keep", "strip"],
  bare: [true, false],
  style: ["json", "xml"],
  tools: true,
  session: true,
  mediaHandle: true,
  model: true,
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
export const reportOf = (entries: Report["entries"], find: () => Report["losses"]): Report => {
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
): Encoded<RequestOf<For>> => {
  const target = resolveProfile(profile)
  resolvePolicies(options)
  assertOptions(options, encodeNames)
  // A profile with the name of a format is of that format.
  return encodeFor(conversation, target, options) as Encoded<RequestOf<For>>
}

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

export const encodeFor = (conversation: Conversation, target: Profile, options: Writing): Encoded => {
  const codec = resolveCodec(target.format)
  const marked: ReportEntry[] = []
  const onChange = (entry: ReportEntry): void => void marked.push(entry)
  const worded = spoken(conversation, options, onChange)
  const extras = options.extras ?? (target.unknownFields === "reject" ? "strip" : "keep")
  const { policies, mediaHandle, model } = options
  const fitted = fit(worded, target, {
    ...(policies && { policies }),
    ...(mediaHandle && { mediaHandle }),
    ...(model !== undefined && { model }),
    ...(extras === "strip" && codec.takesBack && { takesBack: codec.takesBack }),
  })
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
      : fit(worded, { ...resolveProfile(profile), last: "any", first: "any" }, options.policies ? { policies: options.policies } : {})
  const { request, entries } = sendable(codec.encode(fitted.conversation, writing), conversation, isFile)
  return { value: request, report: reportOf([...fitted.entries, ...marked, ...entries], () => findLosses(conversation, codec, codecs)) }
}

/** A conversation in the format it came from, as its provider takes it; as it is where the format has no provider. */
export const encodeAtHome = (conversation: Conversation, format: string, options: Writing = {}, excerpt = false): Encoded => {
  const target = formatProfile(format)
  if (!target) return encodePlainly(conversation, format, options)
  const wanted = goesOn(atHome(target))
  return encodeFor(conversation, excerpt ? { ...wanted, first: "any" } : wanted, options)
}
