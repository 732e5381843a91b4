/** Conversation → Anthropic Messages. One writer per block type; `MessageJoiner` makes messages of what they write. */
import type {
  AssistantMessage,
  Block,
  ContentBlock,
  Conversation,
  Item,
  MediaBlock,
  Outcome,
  ResultBlock,
  TextBlock,
  ThinkingBlock,
  Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { mediaNote } from "../engine/media.ts"
import { allowed } from "./allowed.ts"
import { MessageJoiner } from "./message-joiner.ts"

const nativeOf = (value: { readonly native?: Readonly<Record<string, unknown>> }): Wire | undefined =>
  value.native?.["anthropic"] as Wire | undefined

const encodeMedia = (block: MediaBlock): Wire => {
  const { source } = block
  if (block.kind !== "image" && block.kind !== "document") return { type: "text", text: mediaNote(block) }
  const title = block.kind === "document" && block.name !== undefined && { title: block.name }
  if (source.type === "url") return { type: block.kind, source: { type: "url", url: source.url }, ...title }
  if (source.type === "file") return { type: block.kind, source: { type: "file", file_id: source.id }, ...title }
  const fallback = block.kind === "image" ? "image/png" : "application/pdf"
  const inner = { type: "base64", media_type: block.mediaType ?? fallback, data: source.data }
  return { type: block.kind, source: inner, ...title }
}

const encodeThinking = (block: ThinkingBlock): Wire =>
  block.redacted === true
    ? { type: "redacted_thinking", data: block.signature ?? "" }
    : { type: "thinking", thinking: block.text, signature: block.signature ?? "" }

const isEmpty = (content: unknown): boolean => content === "" || (Array.isArray(content) && content.length === 0)

const encodeContent = (result: ResultBlock, native: Wire | undefined): unknown => {
  const { content } = result
  const first = content[0]
  const previous = native?.["content"]
  if (content.length === 0) return isEmpty(previous) ? previous : undefined
  if (content.length === 1 && first?.type === "text" && !nativeOf(first) && !Array.isArray(previous)) return first.text
  const blocks = content.map(encodeBlock)
  return sameElements(blocks, previous) ? previous : blocks
}

const encodeResult = (block: ResultBlock, native: Wire | undefined): Wire => {
  const content = encodeContent(block, native)
  const error = block.error === true
  if (native) {
    const same = native["tool_use_id"] === block.callId && native["content"] === content
    const stated = native["is_error"]
    const isStated = stated === undefined || stated === null || typeof stated === "boolean"
    if (same && isStated && (stated === true) === error) return native
  } else if (content !== undefined && !error) return { type: "tool_result", tool_use_id: block.callId, content }
  const { is_error: _, content: __, ...kept } = native ?? {}
  return {
    ...kept,
    type: "tool_result",
    tool_use_id: block.callId,
    ...(content !== undefined && { content }),
    ...(error && { is_error: true }),
  }
}

export const encodeBlock = (block: Block): Wire => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      if (native) return native["text"] === block.text ? native : { ...native, text: block.text }
      // Without native values of any format, a text block is what this format writes.
      return block.native === undefined ? (block as TextBlock & Wire) : { type: "text", text: block.text }
    case "thinking":
      if (!native || block.redacted === true) return native ?? encodeThinking(block)
      return typeof native["thinking"] === "string" ? native : { ...native, thinking: block.text }
    case "media":
      return native ?? encodeMedia(block)
    case "opaque":
      return native && block.kind !== "malformed" ? native : { type: "text", text: block.text }
    case "call": {
      const { id, name, arguments: input } = block
      if (!native) return { type: "tool_use", id, name, input }
      if (native["id"] === id && native["name"] === name && native["input"] === input) return native
      return { ...native, type: "tool_use", id, name, input }
    }
    case "result":
      return encodeResult(block, native)
  }
}

/** An opaque block of another format with no text for others has nothing to say here. */
const isSayable = (block: Block): boolean => block.type !== "opaque" || block.text !== "" || nativeOf(block) !== undefined

/** True when blocks are what the content says, word for word: the message can go back as it came. */
const isUntouched = (content: unknown, blocks: readonly Block[]): boolean => {
  const only = blocks[0]
  if (typeof content === "string") return blocks.length === 1 && only?.type === "text" && only.text === content
  if (!Array.isArray(content) || content.length !== blocks.length) return false
  for (let index = 0; index < blocks.length; index++) {
    if (encodeBlock(blocks[index] as Block) !== content[index]) return false
  }
  return true
}

const carrierOf = (outcome: Outcome | undefined): Wire | undefined =>
  outcome?.carrier?.["anthropic"] as Wire | undefined

/** True when a message carried these results and nothing else, word for word: it can go back as it came. */
const isUntouchedCarrier = (carrier: Wire, outcomes: readonly Outcome[]): boolean => {
  const { content } = carrier
  if (!Array.isArray(content) || content.length !== outcomes.length) return false
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomes[index] as Outcome
    if (!outcome.result || carrierOf(outcome) !== carrier) return false
    if (encodeBlock(outcome.result) !== content[index]) return false
  }
  return true
}

const write = (messages: MessageJoiner, role: string, native: Wire | undefined, blocks: readonly Block[]): void => {
  if (native && native["role"] === role && isUntouched(native["content"], blocks) && messages.pass(role, native)) return
  messages.open(role, native)
  for (const block of blocks) if (isSayable(block)) messages.add(encodeBlock(block))
}

/**
 * One message with blocks of any kind, for session files whose records hold such messages: `native` itself where it says
 * just that, undefined where none of the blocks can be written.
 */
export const encodeMessage = (role: "user" | "assistant", blocks: readonly Block[], native?: Wire): Wire | undefined => {
  const messages = new MessageJoiner()
  write(messages, role, native, blocks)
  return messages.close()[0]
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const messages = new MessageJoiner()
  const say = (role: string, native: Wire | undefined, blocks: readonly Block[]): void => write(messages, role, native, blocks)
  const assistant = (message: AssistantMessage): void => say("assistant", nativeOf(message), message.blocks)

  /** `touched`: the history was repaired here, so that nothing keeps the results of one message in several. */
  const carry = (outcomes: readonly Outcome[], touched: boolean): void => {
    const carrier = carrierOf(outcomes[0])
    if (carrier?.["role"] === "user" && isUntouchedCarrier(carrier, outcomes) && messages.pass("user", carrier)) return
    const shared = touched ? carrierOf(outcomes.find(carrierOf)) : undefined
    for (let index = 0; index < outcomes.length; index++) {
      const { result } = outcomes[index] as Outcome
      if (!result) continue
      messages.open("user", touched ? shared : carrierOf(outcomes[index]))
      messages.add(encodeBlock(result))
    }
  }

  const system: ContentBlock[] = []
  let nativeSystem: unknown
  let leading = true
  const { items, edited = items.length } = conversation
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    if (item.role === "system" && leading && !staysInList(nativeOf(item), options)) {
      const native = nativeOf(item)
      if (system.length === 0 && native && "system" in native) nativeSystem = native["system"]
      for (const block of item.blocks) system.push(block)
      continue
    }
    leading = false
    if (item.role !== "exchange") {
      say(item.role, nativeOf(item), item.blocks)
      continue
    }
    assistant(item.message)
    carry(item.outcomes, index >= edited)
    if (item.reply) assistant(item.reply)
  }
  const list = messages.close()
  // In place: `map` makes a list with room for holes, which JSON.stringify walks more slowly.
  if (stripping) for (let index = 0; index < list.length; index++) list[index] = allowed.message(list[index] as Wire)
  return {
    ...envelope(conversation, system.length > 0, stripping),
    ...encodeSystem(system, nativeSystem),
    messages: list,
  }
}

/** A system message that came among the others stays there, unless the target is asked what it takes. */
const staysInList = (native: Wire | undefined, options: EncodeOptions): boolean =>
  native !== undefined && "role" in native && options.extras !== "strip" && options.forProvider !== true

/** What stood around the messages. A system prompt that settle left out does not come back with it. */
const envelope = (conversation: Conversation, hasSystem: boolean, stripping: boolean): Wire => {
  const native = nativeOf(conversation) ?? {}
  const { system, ...rest } = native
  const kept = hasSystem || system === undefined || isEmpty(system) ? native : rest
  return stripping ? allowed.body(kept) : kept
}

const encodeSystem = (blocks: readonly ContentBlock[], native: unknown): Wire => {
  if (blocks.length === 0) return {}
  const [first] = blocks
  if (blocks.length === 1 && first?.type === "text" && !nativeOf(first) && !Array.isArray(native)) return { system: first.text }
  const encoded = blocks.map(encodeBlock)
  return { system: sameElements(encoded, native) ? native : encoded }
}
