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
import { withText } from "../engine/write-back.ts"
import { allowed } from "./allowed.ts"

// Makes messages of encoded blocks. Results and user text share the user role in this format, and neighbours of one role count as one message: so
// what is side by side is joined, except where two messages of this very format stood apart and nobody touched them. The choice looks at
// neighbours only, so that appending changes nothing in front.

const contentOf = (message: Wire): readonly Wire[] => {
  const { content } = message
  return Array.isArray(content) ? content : [{ type: "text", text: content }]
}

class MessageJoiner {
  private readonly messages: Wire[] = []
  /**
   * The first `count` are the content of the open message. The list is never emptied: an empty one would have to grow
   * anew for every message (measured: 150 bytes each).
   */
  private readonly content: Wire[] = []
  private count = 0
  private role = ""
  /** The wire message all of it came from, if it came from one. */
  private wire: Wire | undefined
  /** Content of the last message while it is being joined: grown in place, so that long runs stay linear. */
  private growing: Wire[] | undefined
  private lastUntouched = false

  /** Goes on with the open message when the new one came with it, else begins a new one. */
  open(role: string, wire: Wire | undefined): void {
    if (this.role === role && this.wire === wire) return
    this.finish()
    this.role = role
    this.wire = wire
  }

  /** Writes into the open message. */
  add(block: Wire): void {
    this.content[this.count++] = block
  }

  /** Takes an untouched message as it is; false where a neighbour may have to be joined with it. */
  pass(role: string, wire: Wire): boolean {
    if (this.wire === wire) return false
    this.finish()
    if (this.messages.at(-1)?.["role"] === role && !this.lastUntouched) return false
    this.messages.push(wire)
    this.growing = undefined
    this.lastUntouched = true
    return true
  }

  /** All messages; the list is the caller's from here on. */
  close(): Wire[] {
    this.finish()
    return this.messages
  }

  private finish(): void {
    const { role } = this
    if (this.count > 0) {
      const message = this.untouched()
      const last = this.messages.at(-1)
      if (last?.["role"] === role && !(message && this.lastUntouched)) {
        this.append(last)
        this.lastUntouched = false
      } else {
        this.messages.push(message ?? this.written())
        this.growing = undefined
        this.lastUntouched = message !== undefined
      }
      this.count = 0
    }
    this.role = ""
    this.wire = undefined
  }

  /** The message as it came when its content is still the same, else undefined. */
  private untouched(): Wire | undefined {
    const { wire, content, count, role } = this
    if (!wire || wire["role"] !== role) return undefined
    const previous = wire["content"]
    if (typeof previous !== "string") return this.holds(previous) ? wire : undefined
    const only = content[0]
    return count === 1 && only?.["type"] === "text" && only["text"] === previous ? wire : undefined
  }

  private holds(previous: unknown): boolean {
    if (!Array.isArray(previous) || previous.length !== this.count) return false
    for (let index = 0; index < this.count; index++) if (this.content[index] !== previous[index]) return false
    return true
  }

  private append(last: Wire): void {
    if (!this.growing) {
      this.growing = [...contentOf(last)]
      this.messages[this.messages.length - 1] = { ...last, content: this.growing }
    }
    for (let index = 0; index < this.count; index++) this.growing.push(this.content[index] as Wire)
  }

  /** A message whose content was one text stays one text. */
  private written(): Wire {
    const { wire, role, content, count } = this
    const written = content.slice(0, count)
    if (!wire) return { role, content: written }
    const only = content[0]
    const plain = typeof wire["content"] === "string" && count === 1 && only?.["type"] === "text"
    return { ...wire, role, content: plain ? only["text"] : written }
  }
}

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
      if (native) return withText(native, block.text)
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

const carrierOf = (outcome: Outcome | undefined): Wire | undefined => outcome?.carrier?.["anthropic"] as Wire | undefined

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
