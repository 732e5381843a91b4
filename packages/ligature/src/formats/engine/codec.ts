/**
 * What every codec is: a pair of pure functions between one format's wire values and the model, and a declaration of what
 * the format can express. `decode` never fails on data: what it does not understand it keeps and reports. `encode` takes a
 * valid conversation only and renders it; it never judges or repairs (that is `rules/`).
 *
 * A block or message that came from the same format goes back as the very same wire value, unknown fields included:
 * encoders compare what the model says with the native value and return it untouched when they agree. That is what makes
 * a healthy request come back deep-equal, and cheap.
 */
import type { Conversation, OptionNames, ReportEntry, Transcript, Wire } from "../../model/index.ts"
import type { TakesBack } from "../../rules/index.ts"
import type { WireOptions } from "../../rules/profiles/profile.ts"
import type { SessionWriting } from "./session.ts"
import type { KnownTool } from "./tools.ts"
import type { WireDifference } from "./wire-difference.ts"

/** Pieces of information a format may or may not have a home for: see docs/losses.md. */
export const features = {
  "result-error": "error flag of a result",
  "result-image": "image in a result",
  "result-document": "document in a result",
  "result-video": "video in a result",
  "structured-result": "structured result",
  "empty-result": "empty result",
  thinking: "thinking text",
  "thinking-signature": "thinking signature",
  "redacted-thinking": "redacted thinking",
  "block-order": "order of text, thinking and calls inside a message",
  "parallel-calls": "several calls in one message",
  "call-grouping": "which calls formed one message",
  "raw-arguments": "raw argument text",
  "free-text-call": "free-text call",
  "call-id": "call id",
  "item-id": "item id, status, phase",
  "result-tool-name": "tool name on the result",
  "cache-marks": "cache marks",
  citations: "citations",
  refusal: "refusal",
  audio: "audio",
  "server-tools": "server-executed tools",
  "system-in-the-middle": "system text in the middle",
  "speaker-name": "speaker name",
  "compaction-marks": "compaction and fallback marks",
  "tool-references": "deferred tool references",
  "other-fields": "other fields of the source",
} as const

export type Feature = keyof typeof features

/** `native`: the format has a field for it. `convention`: carried by agreement. `none`: no home. */
export type Home = "native" | "convention" | "none"

export interface Capabilities {
  readonly homes: Readonly<Record<Feature, Home>>
}

/** The homes of a format, in short: features that are not named have none. */
export const declareHomes = (homes: { readonly native: readonly Feature[]; readonly convention?: readonly Feature[] }): Capabilities => {
  const homeOf = (feature: Feature): Home =>
    homes.native.includes(feature) ? "native" : homes.convention?.includes(feature) ? "convention" : "none"
  const codes = Object.keys(features) as readonly Feature[]
  return { homes: Object.fromEntries(codes.map((code) => [code, homeOf(code)])) as Record<Feature, Home> }
}

export interface DecodeOptions {
  /** Name of the file, for diagnostics. */
  readonly source?: string
  /** One-based line of each message, for JSONL sources. */
  readonly lines?: readonly number[]
  /**
   * The tools there are, for formats that write calls as text: names, or declarations as requests have them, whose
   * schemas say which values are numbers, booleans or lists.
   */
  readonly tools?: readonly KnownTool[]
  /** Sessions only: which path to read (`SessionPath.id`). Default: the active one. */
  readonly branch?: string
  /**
   * Sessions only. `effective`: what the agent would send next, compactions applied. `whole`: all that was said on the
   * path, what a compaction hides included. Default: what the format's own words make of it; its codec says which.
   */
  readonly view?: "effective" | "whole"
}

export const decodeNames: OptionNames<DecodeOptions> = {
  source: true,
  lines: true,
  tools: true,
  branch: true,
  view: ["effective", "whole"],
}

export interface EncodeOptions extends WireOptions {
  /** What happens to fields we do not know: kept with the value they came on (default), or left out. */
  readonly extras?: "keep" | "strip"
  /** Only the list of messages will be used, so that nothing may move into the envelope. Default false. */
  readonly bare?: boolean
  /** Written for a provider: a system prompt among the messages moves to where it wants it. Default: it stays. */
  readonly forProvider?: boolean
  /** Sessions only: what a new file says of itself. */
  readonly session?: SessionWriting
  /** Calls and results are text of the conversation already: what looks like one is one. */
  readonly callsAsText?: boolean
  /** Told of each change to a text that the format cannot have as it is. */
  readonly onChange?: (entry: ReportEntry) => void
}

/** Why a server would reject a message. `what` goes on after the name of the server: `takes no field …`. */
export interface WireReason {
  readonly rule: string
  readonly what: string
  /** What was done about it. */
  readonly repair: string
}

export interface Codec {
  readonly format: string
  readonly title: string
  readonly capabilities: Capabilities
  /** The format whose blocks this one holds as they are: what came from there is at home here. */
  readonly wraps?: string
  /** `value` is a request body of the format or its bare list of messages. Never throws on data. */
  readonly decode: (value: unknown, options?: DecodeOptions) => Transcript
  /** Which pieces of information a wire value of this format says beyond what the model carries. */
  readonly extras?: (native: Wire) => readonly Feature[]
  /** Which opaque blocks of this format its API takes back, for profiles that reject what they do not know. Default: all. */
  readonly takesBack?: TakesBack
  /** The request with stubs of these tools, for providers that refuse calls without a list; undefined where it has one. */
  readonly declareTools?: (request: Wire, names: readonly string[]) => Wire | undefined
  /** Names why a message had to be written differently for a server, where the codec knows it. `path`: of the message. */
  readonly explain?: (difference: WireDifference, path: string) => WireReason | undefined
  /** Returns a request body: the envelope the conversation came with, if it came from this format, around new messages. */
  readonly encode: (conversation: Conversation, options?: EncodeOptions) => Wire
}

/** True when both hold the very same values in the same order: the encoder may return the wire array it started from. */
export const sameElements = (left: readonly unknown[], right: unknown): boolean => {
  if (!Array.isArray(right) || left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false
  return true
}
