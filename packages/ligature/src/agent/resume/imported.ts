/**
 * A value of any format as entries of a log. What is healthy is kept as it was said; what is damaged is settled first, and
 * the report keeps the originals. Whether an export to the same format would give the same value is tried, not promised.
 *
 * The wire values beside our blocks (`native`) are kept only where the way back needs them: most histories come back
 * equal without, at a third of the size. Thinking, media and opaque blocks keep theirs, because they prove an origin.
 */
import { listKeyOf } from "../../document/index.ts"
import {
  assertUnderstood,
  codecs,
  decode,
  type DecodeOptions,
  type Format,
  isSessionCodec,
  resolveCodec,
  type SessionOutline,
  type SessionPath,
} from "../../convert/index.ts"
import { xmlText } from "../../formats/xml-text/index.ts"
import { settle } from "../../rules/index.ts"
import {
  type Block,
  type Conversation,
  type Diagnostic,
  flatten,
  isWire,
  type Message,
  type Report,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { type Loaded, type NewEntry, viewOf } from "../../store/index.ts"
import { messageEntry } from "../../store/entry.ts"
import { equalJson, exportFrom, fieldsOf, type KeptRequest, keptRequestEntry } from "./exported.ts"

export interface ImportOptions extends DecodeOptions {
  readonly format: Format
}

export interface Imported {
  readonly format: Format
  /** What a session says beside its messages. */
  readonly outline?: SessionOutline
  /** In the order of the path: a note about the source, then the messages. */
  readonly entries: readonly NewEntry[]
  readonly title?: string
  readonly conversation: Conversation
  /** What settle had to do. */
  readonly report: Report
  /** What the decoder found. */
  readonly diagnostics: readonly Diagnostic[]
  /** Exporting to the same format gives an equal value. */
  readonly exact: boolean
  /** What the log does not keep, half a sentence each; empty when `exact`. */
  readonly notKept: readonly string[]
  /** Of a session: the paths beside the imported one, branches left behind and subagents. `branch` imports one of them. */
  readonly otherPaths: readonly SessionPath[]
}

const withoutNative = <Value extends { readonly native?: unknown }>(value: Value): Omit<Value, "native"> => {
  const { native: _, ...rest } = value
  return rest
}

const leanBlock = (block: Block): Block =>
  block.type === "text" || block.type === "call" || block.type === "result" ? (withoutNative(block) as Block) : block

const lean = (message: Message): Message => ({ ...withoutNative(message), blocks: message.blocks.map(leanBlock) })

/** Without what the session file said around the blocks; what a provider said of them stays. */
const leanSession =
  (wire: string) =>
  (message: Message): Message => ({
    ...withoutNative(message),
    blocks: message.blocks.map((block) => {
      const said = block.native?.[wire]
      return said === undefined ? leanBlock(block) : { ...block, native: { [wire]: said } }
    }),
  })

/** Calls in text remember stretches of that text, which is no value of a wire. */
const isWireValue = (format: string): boolean => format !== xmlText.format && Object.hasOwn(codecs, format)

/** The provider's format in which a session keeps its blocks, if it does. */
const wireFormatIn = (messages: readonly Message[]): string | undefined => {
  for (const { blocks } of messages) {
    for (const { native } of blocks) for (const format in native) if (isWireValue(format)) return format
  }
  return undefined
}

/** A session's messages, with the wire values of blocks only where the blocks alone would be written differently. */
const sessionMessages = (messages: readonly Message[]): readonly Message[] => {
  const small = messages.map(lean)
  const wire = wireFormatIn(messages)
  if (wire === undefined) return small
  const full = messages.map(leanSession(wire))
  const written = (list: readonly Message[]): unknown => {
    const { conversation } = settle({ format: "ligature", messages: list }, { tip: "open" })
    return resolveCodec(wire).encode(conversation)
  }
  return equalJson(written(small), written(full)) ? small : full
}

/** Calls without ids get those that settle gave them: a log matches by id. Only of a history in which nothing moved. */
const withIds = (transcript: Transcript, conversation: Conversation): readonly Message[] => {
  const calls: string[] = []
  const results: string[] = []
  for (const item of conversation.items) {
    if (item.role !== "exchange") continue
    for (const block of item.message.blocks) if (block.type === "call") calls.push(block.id)
    for (const { result } of item.outcomes) if (result) results.push(result.callId)
  }
  let call = 0
  let result = 0
  return transcript.messages.map((message) => ({
    ...message,
    blocks: message.blocks.map((block): Block => {
      if (block.type === "call") {
        const id = calls[call++] ?? block.id
        return id === block.id ? block : { ...block, id, assigned: true }
      }
      if (block.type === "result") return { ...block, callId: results[result++] ?? block.callId }
      return block
    }),
  }))
}

export const messageEntries = (messages: readonly Message[]): readonly NewEntry[] => messages.map(messageEntry)

/** The entries as a store would give them back. */
const asLoaded = (entries: readonly NewEntry[]): Loaded => {
  const copies = JSON.parse(JSON.stringify(entries)) as readonly NewEntry[]
  const stored = copies.map((entry, index) => ({ ...entry, id: String(index), parent: null, operation: "", at: 0 }))
  const { transcript, sources, stale } = viewOf(stored)
  return { id: "", created: 0, updated: 0, tip: null, entries: stored, whole: true, transcript, sources, stale, damage: [] }
}

const comesBack = (entries: readonly NewEntry[], format: Format, value: unknown): boolean => {
  const { value: written, list } = exportFrom(asLoaded(entries), { format })
  return equalJson(list ?? written, value)
}

const sessionLosses = (format: string, value: unknown, messages: number): readonly string[] => {
  const codec = resolveCodec(format)
  if (!isSessionCodec(codec)) return []
  const { compactions } = codec.session.outline(value)
  const list: unknown = isWire(value) ? value[listKeyOf(format)] : value
  const around = "what is around the messages"
  const records = Array.isArray(list) ? `${list.length} records around ${messages} messages` : around
  return [
    `the bookkeeping of the ${codec.session.agent} session (${records})`,
    ...(compactions.length > 0 ? [`the marks of compactions (${compactions.length})`] : []),
  ]
}

const factsOf = (format: string, value: unknown) => {
  const codec = resolveCodec(format)
  return isSessionCodec(codec) ? codec.session.outline(value) : undefined
}

/** The title of what is read: a subagent has its own, whether it is read out of its session or from a file of its own. */
const titleOf = ({ title, paths }: SessionOutline, branch: string | undefined): string | undefined => {
  const subagent = paths.find(({ id, kind }) => kind === "subagent" && id === branch)
  return subagent ? subagent.title : title
}

export const importFrom = (value: unknown, options: ImportOptions): Imported => {
  const { format: named, ...reading } = options
  const { branch } = reading
  const format = resolveCodec(named).format as Format
  const transcript = decode(resolveCodec(format), value, reading)
  assertUnderstood(transcript, value, format)
  const { conversation, report } = settle(transcript, { tip: "open" })
  const healthy = report.entries.length === 0
  const messages = healthy ? withIds(transcript, conversation) : flatten(conversation).messages
  const facts = factsOf(format, value)
  const title = facts && titleOf(facts, branch)
  const fields = facts ? undefined : fieldsOf(transcript)
  const kept: KeptRequest = {
    format,
    ...(fields && { fields }),
    ...(!facts && Array.isArray(value) && { bare: true as const }),
    ...(options.source !== undefined && { source: options.source }),
    ...(title !== undefined && { title }),
    ...(facts?.folder !== undefined && { folder: facts.folder }),
    ...(facts?.startedAt !== undefined && { startedAt: facts.startedAt }),
  }
  const note = keptRequestEntry(kept)
  const small = [note, ...messageEntries(facts ? sessionMessages(messages) : messages.map(lean))]
  const whole = (): readonly NewEntry[] => [note, ...messageEntries(messages)]
  const session = sessionLosses(format, value, transcript.messages.length)
  const outcome = ((): { readonly entries: readonly NewEntry[]; readonly notKept: readonly string[] } => {
    if (facts) return { entries: small, notKept: session }
    if (!healthy) return { entries: whole(), notKept: [] }
    if (comesBack(small, format, value)) return { entries: small, notKept: [] }
    const full = whole()
    return { entries: full, notKept: comesBack(full, format, value) ? [] : ["the exact spelling of some messages"] }
  })()
  return {
    ...outcome,
    format,
    ...(facts && { outline: facts }),
    ...(title !== undefined && { title }),
    conversation,
    report,
    diagnostics: transcript.diagnostics ?? [],
    otherPaths: facts?.paths.filter(({ id, kind }) => (branch === undefined ? kind !== "active" : id !== branch)) ?? [],
    exact: healthy && outcome.notKept.length === 0,
  }
}

/** What an append leaves out: the fields around the messages. */
export const fieldsLeftOut = (transcript: Transcript): Wire => fieldsOf(transcript) ?? {}
