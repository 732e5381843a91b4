/**
 * Conversation → Anthropic Messages. Results and user text share the user role here, so the encoder gathers what stands
 * side by side into one user message, except where two messages of this very format stood apart: those stay apart.
 */
import type {
  AssistantMessage,
  Block,
  ContentBlock,
  Conversation,
  MediaBlock,
  ResultBlock,
  ThinkingBlock,
  Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../codec.ts"
import { mediaNote } from "../media.ts"
import { allowed } from "./allowed.ts"

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
  const [first] = content
  const previous = native?.["content"]
  if (content.length === 0) return isEmpty(previous) ? previous : undefined
  if (content.length === 1 && first?.type === "text" && !nativeOf(first)) return first.text
  const blocks = content.map(encodeBlock)
  return sameElements(blocks, previous) ? previous : blocks
}

const encodeResult = (block: ResultBlock, native: Wire | undefined): Wire => {
  const content = encodeContent(block, native)
  const error = block.error === true
  if (native) {
    const same = native["tool_use_id"] === block.callId && native["content"] === content
    if (same && (native["is_error"] === true) === error) return native
  }
  const { is_error: _, content: __, ...kept } = native ?? {}
  return {
    ...kept,
    type: "tool_result",
    tool_use_id: block.callId,
    ...(content !== undefined && { content }),
    ...(error && { is_error: true }),
  }
}

const encodeBlock = (block: Block): Wire => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      if (native) return native["text"] === block.text ? native : { ...native, text: block.text }
      return { type: "text", text: block.text }
    case "thinking":
      return native ?? encodeThinking(block)
    case "media":
      return native ?? encodeMedia(block)
    case "opaque":
      return native && block.kind !== "malformed" ? native : { type: "text", text: block.text }
    case "call": {
      const { id, name, arguments: input } = block
      if (native && native["id"] === id && native["name"] === name && native["input"] === input) return native
      return { ...native, type: "tool_use", id, name, input }
    }
    case "result":
      return encodeResult(block, native)
  }
}

/** An opaque block of another format with no text for others has nothing to say here. */
const isSayable = (block: Block): boolean => block.type !== "opaque" || block.text !== "" || nativeOf(block) !== undefined

interface Draft {
  /** The wire message all of this came from, if it came from one. */
  readonly wire: Wire | undefined
  readonly role: string
  readonly content: Wire[]
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const out: Wire[] = []
  let draft: Draft | undefined

  const close = (): void => {
    if (!draft) return
    const { wire, role, content } = draft
    const previous = wire?.["content"]
    const [first] = content
    let message: Wire
    if (wire && sameElements(content, previous)) message = wire
    else if (content.length === 1 && first?.["type"] === "text" && typeof previous === "string") {
      message = first["text"] === previous ? (wire as Wire) : { ...wire, content: first["text"] }
    } else message = { ...wire, role, content }
    out.push(stripping ? allowed.message(message) : message)
    draft = undefined
  }

  /** Opens a message, or goes on with the open one when nothing says that the two stood apart. */
  const open = (role: string, wire: Wire | undefined): Wire[] => {
    if (draft && draft.role === role) {
      if (draft.wire === wire) return draft.content
      if (draft.wire === undefined || wire === undefined) {
        draft = { wire: undefined, role, content: draft.content }
        return draft.content
      }
    }
    close()
    draft = { wire, role, content: [] }
    return draft.content
  }

  const assistant = (message: AssistantMessage): void => {
    const content = open("assistant", nativeOf(message))
    for (const block of message.blocks) if (isSayable(block)) content.push(encodeBlock(block))
  }

  const system: ContentBlock[] = []
  let nativeSystem: unknown
  let leading = true
  for (const item of conversation.items) {
    if (item.role === "system" && leading) {
      const native = nativeOf(item)
      if (system.length === 0 && native && "system" in native) nativeSystem = native["system"]
      for (const block of item.blocks) system.push(block)
      continue
    }
    leading = false
    if (item.role !== "exchange") {
      const content = open(item.role, nativeOf(item))
      for (const block of item.blocks) if (isSayable(block)) content.push(encodeBlock(block))
      continue
    }
    assistant(item.message)
    for (const outcome of item.outcomes) {
      if (outcome.result) open("user", nativeOf({ native: outcome.carrier ?? {} })).push(encodeBlock(outcome.result))
    }
    if (item.reply) assistant(item.reply)
  }
  close()
  return { ...envelope(conversation, stripping), ...encodeSystem(system, nativeSystem), messages: out }
}

const envelope = (conversation: Conversation, stripping: boolean): Wire => {
  const native = nativeOf(conversation) ?? {}
  return stripping ? allowed.body(native) : native
}

const encodeSystem = (blocks: readonly ContentBlock[], native: unknown): Wire => {
  if (blocks.length === 0) return {}
  const [first] = blocks
  if (blocks.length === 1 && first?.type === "text" && !nativeOf(first)) return { system: first.text }
  const encoded = blocks.map(encodeBlock)
  return { system: sameElements(encoded, native) ? native : encoded }
}
