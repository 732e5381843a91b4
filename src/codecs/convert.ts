/** The ways between wire values and conversations that most callers want: decode, encode for a provider, convert. */
import { fit, type Policies, type Profile, profiles, resolveProfile, settle, type SettleOptions } from "../laws/index.ts"
import type { Conversation, Report, Transcript, Wire } from "../model/index.ts"
import type { DecodeOptions } from "./codec.ts"
import { findLosses } from "./losses.ts"
import { codecs, resolveCodec } from "./registry.ts"
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
  /** How calls are written: as blocks (default) or as XML text, all of them alike. */
  readonly style?: "json" | "xml"
}

export interface Encoded {
  /** A request body: `{ system?, messages }`, `{ input }`, `{ contents, systemInstruction? }`, … */
  readonly request: Wire
  /** What had to be changed for this provider, and what its format cannot say. */
  readonly report: Report
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
  const request = codec.encode(fitted.conversation, { ...target.wire, extras })
  const foreign = conversation.native === undefined || !Object.hasOwn(conversation.native, target.format)
  const losses = foreign ? findLosses(conversation, codec, codecs) : []
  return { request, report: { entries: fitted.entries, losses } }
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
 * From one format to another, in one call: decode, settle, encode.
 *
 * @example
 * const { value, report } = convert(request, { from: "anthropic", to: "openai-chat" })
 */
export const convert = (
  value: unknown,
  options: ConvertOptions & DecodeOptions & { readonly from: string; readonly to: string },
): Converted => {
  const { from, to, profile, extras, style, policies, source, lines, tools, ...settling } = options
  const reading = { ...(source !== undefined && { source }), ...(lines && { lines }), ...(tools && { tools }) }
  const { conversation, report } = settle(decode(from, value, reading), settling)
  const target = profile === undefined ? defaultProfile(to) : resolveProfile(profile)
  const writing = { ...(extras && { extras }), ...(style && { style }), ...(policies && { policies }) }
  if (!target || target.format !== to) {
    const codec = resolveCodec(to)
    const losses = from === to ? [] : findLosses(conversation, codec, codecs)
    return { value: codec.encode(conversation, writing), conversation, report: { entries: report.entries, losses } }
  }
  const encoded = encode(conversation, target, { ...(from === to && !profile && { extras: "keep" }), ...writing })
  const entries = [...report.entries, ...encoded.report.entries]
  return { value: encoded.request, conversation, report: { entries, losses: encoded.report.losses } }
}
