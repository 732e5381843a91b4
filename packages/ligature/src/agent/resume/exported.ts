/**
 * A stored conversation as a value of any format: a file for an agent, or a request. What came from that very format and
 * was not damaged goes back as it came.
 */
import { atHome, encodePlainly, goesOn } from "../../convert/convert.ts"
import { listKeyOf } from "../../document/index.ts"
import { formatProfile, encode, type Encoded, isSessionCodec, resolveCodec } from "../../convert/index.ts"
import type { KnownTool } from "../../formats/engine/tools.ts"
import { inOneStyle } from "../../formats/xml-text/style.ts"
import { type PolicyOptions, type Profile, type ProfileName, resolvePolicies, resolveProfile, settle } from "../../rules/index.ts"
import { type Conversation, LigatureError, type Report, type Wire } from "../../model/index.ts"
import { type Loaded, viewOf } from "../../store/index.ts"
import { type KeptRequest, keptRequest, withKeptRequest } from "./kept-request.ts"
import { withSharedValues } from "./shared-values.ts"

export interface ExportOptions extends PolicyOptions {
  readonly format: string
  /** The provider to write for. Default: a file, which need not be a request that could be sent as it is. */
  readonly profile?: Profile | ProfileName
  readonly style?: "xml" | "json"
  /** Names of tools, for calls that stand as text in the log. */
  readonly tools?: readonly KnownTool[]
  /** `all`: what was hidden or summarised too. Default `compacted`: what a model would see. */
  readonly show?: "compacted" | "all"
  /** Whether calls of the last exchange may stay open. Default: only in the format the conversation came from. */
  readonly tip?: "open" | "closed"
}

export interface Exported {
  /** A request body, or what the file of a session holds (`fileValueOf` of its codec takes it). */
  readonly value: Wire
  /** The source was a list without a request around it: this is that list again. */
  readonly list?: readonly unknown[]
  readonly conversation: Conversation
  readonly report: Report
}

const isWritable = (format: string): boolean => {
  const codec = resolveCodec(format)
  return !isSessionCodec(codec) || codec.session.writes === "any"
}

/** What a new session file says of itself. */
const sessionFacts = (loaded: Loaded, kept: KeptRequest | undefined) => ({
  startedAt: kept?.startedAt ?? new Date(loaded.created).toISOString(),
  ...(loaded.title !== undefined && { title: loaded.title }),
  ...(kept?.folder !== undefined && { folder: kept.folder }),
})

export const exportFrom = (loaded: Loaded, options: ExportOptions): Exported => {
  const { profile, style, tools, show = "compacted" } = options
  const policies = resolvePolicies(options)
  const { format } = resolveCodec(options.format)
  if (!isWritable(format)) {
    throw new LigatureError("not-expressible", `${resolveCodec(format).title} sessions can be read but not written`)
  }
  const kept = keptRequest(loaded.entries)
  const said = show === "all" ? viewOf(loaded.entries, { show }).transcript : loaded.transcript
  const stays = kept?.format === format && profile === undefined && style === undefined
  const tip = options.tip ?? (stays ? "open" : "closed")
  const transcript = withKeptRequest(withSharedValues(said), kept, format)
  // What goes back where it came from keeps its style, whatever that is.
  const styled = stays ? transcript : inOneStyle(transcript, tools).transcript
  const { conversation, report } = settle(styled, { tip, policies })
  const session = sessionFacts(loaded, kept)
  const writing = { policies, session, ...(style && { style }), ...(stays && kept?.bare === true && { bare: true }) }
  const write = (): Encoded => {
    const target = profile === undefined ? formatProfile(format) : resolveProfile(profile)
    const healthy = report.entries.length === 0 && loaded.damage.length === 0
    if (!target || target.format !== format || (stays && healthy)) return encodePlainly(conversation, format, writing)
    if (profile !== undefined) return encode(conversation, target, writing)
    return encode(conversation, stays ? goesOn(atHome(target)) : { ...target, last: "any" }, writing)
  }
  const { value: request, report: written } = write()
  const list: unknown = stays && kept?.bare === true ? request[listKeyOf(format)] : undefined
  return {
    value: request,
    ...(Array.isArray(list) && { list }),
    conversation,
    report: { entries: [...report.entries, ...written.entries], losses: [...report.losses, ...written.losses] },
  }
}
