/**
 * Conversation → events. One that came from this format gives its events back with as little changed as possible. A
 * foreign one gets the events that tell it, in the same shapes; the agent keeps more about a session than its events,
 * so that such a file is for reading, not for resuming.
 */
import { type Conversation, isWire, type Message, type ResultBlock, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { putBack, type Reading, type Spoken } from "../engine/put-back.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { epoch, isoTimes } from "../engine/iso-time.ts"
import { dataOf, format, nativeOf } from "./format.ts"
import { type EventHead, newEvent, newResult, rewriteEvent, rewriteResult } from "./write-event.ts"

type NextHead = (seed: string, after: Wire | undefined) => EventHead

/** Events of a subagent bear its mark: a new one beside them belongs to it as well. */
const ofSameAgent = (record: Wire, after: Wire | undefined): Wire => {
  const { agentId } = after ?? {}
  const { parentToolCallId } = after ? dataOf(after) : {}
  if (agentId === undefined && parentToolCallId === undefined) return record
  const data = parentToolCallId === undefined ? record["data"] : { ...dataOf(record), parentToolCallId }
  return { ...record, data, ...(agentId !== undefined && { agentId }) }
}

class EventWriter {
  readonly spoken: Spoken[] = []
  private readonly next: NextHead

  constructor(next: NextHead) {
    this.next = next
  }

  message(message: Message): void {
    const from = nativeOf(message)
    if (from) this.spoken.push({ record: rewriteEvent(message, from), from })
    else this.add(newEvent(message, this.head(message.role)))
  }

  result(result: ResultBlock, from: Wire | undefined): void {
    if (from?.["type"] === "tool.execution_complete") {
      this.spoken.push({ record: rewriteResult(result, from), from, isResult: true })
    } else this.add(newResult(result, this.head(result.callId)), true)
  }

  private add(record: Wire, isResult = false): void {
    const own = ofSameAgent(record, this.spoken.at(-1)?.record)
    this.spoken.push(isResult ? { record: own, isResult } : { record: own })
  }

  private head(seed: string): EventHead {
    return this.next(`${seed}\n${this.spoken.length}`, this.spoken.at(-1)?.record)
  }
}

const write = (conversation: Conversation, next: NextHead): readonly Spoken[] => {
  const writer = new EventWriter(next)
  for (const item of conversation.items) {
    if (item.role !== "exchange") {
      writer.message(item)
      continue
    }
    writer.message(item.message)
    for (const { result, carrier } of item.outcomes) {
      if (result) writer.result(result, carrier && nativeOf({ native: carrier }))
    }
    if (item.reply) writer.message(item.reply)
  }
  return writer.spoken
}

const beside: NextHead = (seed, after) => {
  const { id, timestamp } = after ?? {}
  return {
    id: deriveUuid(format, seed, String(id)),
    timestamp: typeof timestamp === "string" ? timestamp : epoch,
    parentId: null,
  }
}

const newSession = (conversation: Conversation, options: EncodeOptions): Wire => {
  const { id = deriveUuid(format, conversationSeed(conversation)), folder, startedAt } = options.session ?? {}
  const time = isoTimes(startedAt)
  const timestamp = time()
  let parentId = deriveUuid(format, id, "start")
  const context = folder === undefined ? {} : { context: { cwd: folder } }
  const start = { sessionId: id, version: 1, producer: "copilot-agent", startTime: timestamp, ...context }
  const next: NextHead = (seed) => {
    const head = { id: deriveUuid(format, id, seed), timestamp: time(), parentId }
    parentId = head.id
    return head
  }
  const first = { type: "session.start", data: start, id: parentId, timestamp, parentId: null }
  return { records: [first, ...write(conversation, next).map(({ record }) => record)] }
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) return newSession(conversation, options)
  return { records: putBack(native as unknown as Reading, write(conversation, beside)) }
}
