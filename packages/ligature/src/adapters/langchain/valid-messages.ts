/**
 * LangChain messages in, a valid list out. Works on real messages by their fields, without LangChain: on `AIMessage`s and
 * chunks, on what a checkpoint holds, on the plain objects LangChain takes for messages. Whatever is valid comes back as
 * the very same object.
 *
 * Messages that had to be written are plain objects such as `{ role: "tool", content, tool_call_id }`. Models, graphs and
 * prompts of LangChain turn them into messages on their own. Where real ones are wanted at once, give `coerce`.
 */
import { sameElements } from "../../formats/engine/codec.ts"
import { langgraph } from "../../sessions/langgraph/index.ts"
import { callsOf, type Exchange, type Message, type Wire } from "../../model/index.ts"
import { type AdapterOptions, settleFor, tell } from "../settle-for.ts"
import { fieldsOf, recordOf, writeAssistant, writeClient, writeResult } from "./write-message.ts"

export interface LangChainOptions<Made = unknown> extends AdapterOptions {
  /** Makes a message of a plain object: `coerceMessageLikeToMessage` of `@langchain/core/messages`. */
  readonly coerce?: (message: never) => Made
}

/** LangChain leaves calls with broken arguments aside when it writes a request, and their results would be orphans. */
const hidesCalls = (record: Wire): boolean => {
  const invalid = fieldsOf(record)["invalid_tool_calls"]
  return Array.isArray(invalid) && invalid.length > 0
}

const writer = (known: ReadonlySet<unknown>): ((item: Message | Exchange) => readonly unknown[]) => {
  const untouched = (value: object & Parameters<typeof recordOf>[0]): Wire | undefined =>
    known.has(value) ? recordOf(value) : undefined
  const assistant = (message: Message): unknown => {
    const record = untouched(message)
    return record && !hidesCalls(record) ? record : writeAssistant(message)
  }
  return (item) => {
    if (item.role !== "exchange") return [untouched(item) ?? writeClient(item)]
    const calls = callsOf(item)
    const results = item.outcomes.flatMap(({ result }, index) =>
      result ? [untouched(result) ?? writeResult(result, calls[index]?.name ?? "")] : [],
    )
    return [assistant(item.message), ...results, ...(item.reply ? [assistant(item.reply)] : [])]
  }
}

/**
 * The messages, valid: every call answered, every result behind its call, nothing empty. The very same list where it was.
 *
 * @example
 * const valid = validMessages(messages, { onRepair: ({ entries }) => console.warn(entries) })
 */
export const validMessages = <Input>(messages: readonly Input[], options: LangChainOptions<Input> = {}): Input[] => {
  const transcript = langgraph.decode(messages)
  const { conversation, report } = settleFor(transcript, options)
  const known = new Set<unknown>()
  for (const message of transcript.messages) {
    known.add(message)
    for (const block of message.blocks) known.add(block)
  }
  const write = writer(known)
  const written = conversation.items.flatMap(write)
  if (sameElements(written, messages)) return messages as Input[]
  tell(report, options)
  const before = new Set<unknown>(messages)
  const make = (options.coerce ?? ((message) => message)) as (message: unknown) => Input
  return written.map((message) => (before.has(message) ? (message as Input) : make(message)))
}
