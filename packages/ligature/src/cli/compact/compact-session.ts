/**
 * A session compacted into a session: a new file, in the format of the agent that will open it, with the earlier part as the agent's own
 * compaction entry where it has one. What was compacted before stays compacted: only what the agent would send next is looked at.
 *
 * A file that is too long for memory comes in stretches. What was read so far is held as a view of a few times the budget, so that memory
 * depends on the budget and not on the file.
 */
import { encodePlainly } from "../../convert/encode.ts"
import type { DocumentPart } from "../../document/index.ts"
import { type Budget, compact, type Plan, type Strategy } from "../../compact/index.ts"
import { capResult } from "../../compact/internal.ts"
import { collectGarbage } from "../../files/disk/collect-garbage.ts"
import { type Conversation, flatten, LigatureError, type Message, phrase, type ReportEntry } from "../../model/index.ts"
import { settle } from "../../rules/index.ts"
import type { SessionWriting } from "../../formats/engine/session.ts"
import type { Context } from "../frame/command.ts"
import { Source } from "../input/source.ts"
import { onlySession } from "../output/chosen-session.ts"
import { outlineOf } from "../sessions/examine.ts"
import { nextOf, tokensOf } from "../sessions/next-request.ts"
import { meter } from "./made-view.ts"

/** What a session holds in memory, and what it is called. */
export interface LoadedSession {
  readonly conversation: Conversation
  readonly format: string
  readonly writing: SessionWriting
  readonly repairs: readonly ReportEntry[]
  /** Of what the agent would send next, without tool definitions. */
  readonly tokens: number
  /** The file is too long for memory: what is in `conversation` was shortened while it was read. */
  readonly isShortened: boolean
}

export interface CompactedSession {
  /** What the codec wrote. */
  readonly value: unknown
  readonly view: Conversation
  readonly plan: Plan
  readonly before: number
  readonly after: number
}

const writingOf = (part: DocumentPart): SessionWriting => {
  const { folder, startedAt, title } = outlineOf(part) ?? {}
  return { ...(folder !== undefined && { folder }), ...(startedAt !== undefined && { startedAt }), ...(title !== undefined && { title }) }
}

/** Without what it was read from: a view of it is written as a new session. */
const detached = (conversation: Conversation): Conversation => {
  const { native: _, ...rest } = conversation
  return rest
}

/** Bytes of content that are held of a long file before they are shortened. Choosing lines takes a hundred times as much for a moment. */
const heldBytes = 4 << 20

/** Of a longer result, both ends are looked at: no view has room for more of it. */
const longestResult = 16_000

const capped = (message: Message): Message => {
  if (message.role === "assistant" || !message.blocks.some(({ type }) => type === "result")) return message
  const blocks = message.blocks.map((block) => (block.type === "result" ? capResult(block, { tokens: longestResult, meter }) : block))
  return blocks.every((block, index) => block === message.blocks[index]) ? message : ({ ...message, blocks } as Message)
}

const shorten = (conversation: Conversation, budget: number): Conversation => {
  const { conversation: view, plan } = compact(conversation, { budget: budget * 4, meter })
  return plan.outcome === "refused" ? compact(conversation, { budget: { bytes: heldBytes / 2 }, meter }).conversation : view
}

const sizeOf = ({ items }: Conversation): number => items.reduce((sum, item) => sum + meter.sizeOfItem(item).bytes, 0)

const loadLong = async (stretches: AsyncIterable<Source>, name: string, budget: number, { status }: Context): Promise<LoadedSession> => {
  let held: readonly Message[] = []
  let bytes = 0
  let first: DocumentPart | undefined
  let tokens = 0
  let messages = 0
  const repairs: ReportEntry[] = []
  for await (const source of stretches) {
    for (const part of source.parts) {
      const isFirst = first === undefined
      first ??= part
      // The agent starts from its newest compaction: what was read before it is out of its sight.
      const isCompacted = (outlineOf(part)?.compactions.length ?? 0) > 0
      const transcript = nextOf(source, part)
      const settled = settle(transcript, { tip: "open" })
      tokens = (isCompacted ? 0 : tokens) + tokensOf(settled.conversation)
      for (const entry of settled.report.entries) repairs.push(entry)
      const own = transcript.messages.filter(({ role }) => isFirst || role !== "system").map(capped)
      held = isCompacted ? own : [...held, ...own]
      bytes = (isCompacted ? 0 : bytes) + own.reduce((sum, message) => sum + meter.sizeOfMessage(message).bytes, 0)
      if (bytes > heldBytes) {
        const short = shorten(detached(settle({ format: part.format, messages: held }).conversation), budget)
        held = flatten(short, part.format).messages
        bytes = sizeOf(short)
        collectGarbage()
      }
      messages += own.length
      if (status.isSeen) status.show(phrase`reading ${name}: ${messages} messages …`)
    }
  }
  status.clear()
  if (first === undefined) throw new LigatureError("cannot-read", phrase`${name} has no session.`)
  const { conversation } = settle({ format: first.format, messages: held })
  return { conversation: detached(conversation), format: first.format, writing: writingOf(first), repairs, tokens, isShortened: true }
}

/** `budget` in tokens: what a long file is shortened towards. `admit` throws for what is no session in the eyes of the caller. */
export const loadSession = async (
  file: string,
  budget: number,
  context: Context,
  admit?: (part: DocumentPart) => void,
): Promise<LoadedSession> => {
  const stretches = await Source.stretches(file, {}, context.io)
  if (stretches) return loadLong(stretches, file, budget, context)
  const source = await Source.read(file, {}, context.io)
  if (source.parts[0]) admit?.(source.parts[0])
  const part = onlySession(source, file, context.err)
  const { conversation, report } = settle(nextOf(source, part), { tip: "closed" })
  return {
    conversation,
    format: part.format,
    writing: writingOf(part),
    repairs: report.entries,
    tokens: tokensOf(conversation),
    isShortened: false,
  }
}

export interface SessionCompactionOptions {
  readonly budget: Budget
  readonly strategy?: Strategy
  readonly goal?: string
  readonly to: string
  readonly folder?: string
}

export const compactSession = (
  loaded: LoadedSession,
  { budget, strategy, goal, to, folder }: SessionCompactionOptions,
): CompactedSession => {
  const { conversation, writing } = loaded
  const { conversation: view, plan } = compact(conversation, {
    budget,
    meter,
    ...(strategy && { strategy }),
    ...(goal !== undefined && { goal }),
  })
  const { value } = encodePlainly(detached(view), to, { session: { ...writing, ...(folder !== undefined && { folder }) } })
  return { value, view, plan, before: loaded.tokens, after: tokensOf(view) }
}
