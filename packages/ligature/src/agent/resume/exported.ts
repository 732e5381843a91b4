/**
 * A stored conversation as a value of any format: a file for an agent, or a request. What came from that very format and
 * was not damaged goes back as it came.
 */
import { atHome, goesOn } from "../../convert/home-profile.ts"
import { encodePlainly } from "../../convert/encode.ts"
import { encode, type Encoded, type Format, formatProfile, isSessionCodec, resolveCodec } from "../../convert/index.ts"
import { listKeyOf } from "../../document/index.ts"
import type { KnownTool } from "../../formats/engine/tools.ts"
import { inOneStyle } from "../../formats/xml-text/style.ts"
import {
  assertOptions,
  type Block,
  type Conversation,
  isWire,
  type JsonValue,
  LigatureError,
  type Message,
  type OptionNames,
  type Report,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { type PolicyOptions, type Profile, type ProfileName, resolvePolicies, resolveProfile, settle } from "../../rules/index.ts"
import { type Entry, type Loaded, type NewEntry, viewOf } from "../../store/index.ts"

/** Whether two JSON values say the same, whatever the order of their fields. */
export const equalJson = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((value, index) => equalJson(value, right[index]))
  }
  if (!isWire(left) || !isWire(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
}

// What stood around the messages of an imported conversation: model, tools, parameters. A log holds messages; this rides
// along in a note, so that going back to the same format gives the same request.

const noteName = "imported"

export interface KeptRequest {
  readonly format: string
  /** The request without its messages; absent for session files, whose bookkeeping is not kept. */
  readonly fields?: Wire
  /** The source was a list without a request around it. */
  readonly bare?: true
  /** File, title and folder of the source, as far as it said them. */
  readonly source?: string
  readonly title?: string
  readonly folder?: string
  readonly startedAt?: string
}

/** The fields around the messages, by the word of the codec that read them. */
export const fieldsOf = ({ native, format }: Transcript): Wire | undefined => {
  const body = native?.[format]
  if (!isWire(body)) return undefined
  const { [listKeyOf(format)]: _, ...fields } = body
  return fields
}

export const keptRequestEntry = (kept: KeptRequest): NewEntry => ({
  kind: "note",
  name: noteName,
  value: kept as unknown as JsonValue,
})

/** What such a note says; undefined for any other entry. */
export const keptIn = (entry: NewEntry | undefined): KeptRequest | undefined => {
  const value: unknown = entry?.kind === "note" && entry.name === noteName ? entry.value : undefined
  return isWire(value) && typeof value["format"] === "string" ? (value as unknown as KeptRequest) : undefined
}

/** The last one on the path. */
export const keptRequest = (entries: readonly Entry[]): KeptRequest | undefined => keptIn(entries.findLast(keptIn))

const unnamed = (kept: KeptRequest): Omit<KeptRequest, "source"> => {
  const { source: _, ...rest } = kept
  return rest
}

/** Whether two say the same; under which name a file was given does not count. */
export const isSameSource = (left: KeptRequest, right: KeptRequest): boolean => equalJson(unnamed(left), unnamed(right))

/** The transcript with what was around it, for an encoder of that very format. */
export const withKeptRequest = (transcript: Transcript, kept: KeptRequest | undefined, format: string): Transcript =>
  kept?.fields && kept.format === format ? { ...transcript, native: { [format]: kept.fields } } : transcript

// Gives a message that came out of a store the sharing it had before: what a block says and what its wire message says
// were the same objects, and encoders know by that sameness that nothing was changed. JSON forgets it. Per message only:
// two messages that say the same are still two.

const shared = (message: Message): Message => {
  const known = new Map<string, unknown>()
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    const own = Array.isArray(value)
      ? value.map(visit)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    const key = JSON.stringify(own)
    if (!known.has(key)) known.set(key, own)
    return known.get(key)
  }
  return visit(message) as Message
}

/** Messages without native values have nothing to share. */
export const withSharedValues = (transcript: Transcript): Transcript => ({
  ...transcript,
  messages: transcript.messages.map((message) => (message.native === undefined ? message : shared(message))),
})

export interface ExportOptions extends PolicyOptions {
  readonly format: Format
  /** The provider to write for. Default: a file, which need not be a request that could be sent as it is. */
  readonly profile?: Profile | ProfileName
  readonly style?: "xml" | "json"
  /** Names of tools, for calls that are text in the log. */
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

const exportNames: OptionNames<ExportOptions> = {
  format: true,
  profile: true,
  style: ["xml", "json"],
  tools: true,
  show: ["compacted", "all"],
  tip: ["open", "closed"],
  policies: true,
}

export const exportFrom = (loaded: Loaded, options: ExportOptions): Exported => {
  const { profile, style, tools, show = "compacted" } = options
  const policies = resolvePolicies(options)
  assertOptions(options, exportNames)
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

// Ids for messages that come from a format without them, before they are appended to a log: a log is written in pieces,
// so that a result has to name its call. A result that names none answers the oldest open call of its name.

interface OpenCallName {
  readonly id: string
  readonly name: string
}

const lacksId = (block: Block): boolean =>
  block.type === "call" ? block.id === "" || block.assigned === true : block.type === "result" && block.callId === ""

/** `open`: calls of the log that wait for a result. `newId`: a text that no call has as id. */
export const withCallIds = (messages: readonly Message[], open: readonly OpenCallName[], newId: () => string): readonly Message[] => {
  if (!messages.some(({ blocks }) => blocks.some(lacksId))) return messages
  const waiting: OpenCallName[] = [...open]
  const renamed = new Map<string, string>()
  const answered = (callId: string, name: string | undefined): string => {
    const own = callId === "" ? undefined : (renamed.get(callId) ?? callId)
    const isMeant = (call: OpenCallName): boolean => (own === undefined ? name === undefined || call.name === name : call.id === own)
    const at = waiting.findIndex(isMeant)
    const [call] = at < 0 ? [] : waiting.splice(at, 1)
    return own ?? call?.id ?? ""
  }
  const named = (block: Block): Block => {
    if (block.type === "result") {
      const callId = answered(block.callId, block.name)
      return callId === block.callId ? block : { ...block, callId }
    }
    if (block.type !== "call") return block
    const isOwn = block.id !== "" && block.assigned !== true
    const id = isOwn ? block.id : newId()
    if (!isOwn && block.id !== "") renamed.set(block.id, id)
    waiting.push({ id, name: block.name })
    return isOwn ? block : { ...block, id, assigned: true }
  }
  return messages.map((message) => {
    const blocks = message.blocks.map(named)
    return blocks.every((block, index) => block === message.blocks[index]) ? message : { ...message, blocks }
  })
}
