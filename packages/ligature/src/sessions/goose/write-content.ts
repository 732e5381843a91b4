/** Blocks → content of goose messages. A block whose wire value still says the same is that very value. */
import type {
  Block,
  CallBlock,
  ContentBlock,
  MediaBlock,
  ResultBlock,
  ThinkingBlock,
  Wire,
} from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { mediaNote } from "../../formats/engine/media.ts"
import { stringOf } from "../engine/fields.ts"
import { nativeOf } from "./format.ts"
import { isScreenOnly, readOutcome } from "./read-content.ts"

const isResource = (wire: Wire): boolean => wire["type"] === "resource"

const writeMedia = (block: MediaBlock): Wire => {
  const hasHome = (block.kind === "image" || block.kind === "audio") && block.source.type === "base64"
  if (!hasHome || block.source.type !== "base64") return { type: "text", text: mediaNote(block) }
  const fallback = block.kind === "image" ? "image/png" : "audio/wav"
  return { type: block.kind, data: block.source.data, mimeType: block.mediaType ?? fallback }
}

const writeThinking = (block: ThinkingBlock): Wire =>
  block.redacted === true
    ? { type: "redactedThinking", data: block.signature ?? "" }
    : { type: "thinking", thinking: block.text, signature: block.signature ?? "" }

const rewriteThinking = ({ text }: ThinkingBlock, native: Wire): Wire => {
  const field = typeof native["thinking"] === "string" || typeof native["text"] !== "string" ? "thinking" : "text"
  return stringOf(native[field]) === text ? native : { ...native, [field]: text }
}

const writeCall = (block: CallBlock, native: Wire | undefined): Wire => {
  const { id, name, arguments: input } = block
  const toolCall = native?.["toolCall"] as { readonly value?: Wire } | undefined
  const value = toolCall?.value
  if (native && value && native["id"] === id && value["name"] === name) {
    const previous = value["arguments"]
    if (previous === input || (previous === undefined && Object.keys(input).length === 0)) return native
  }
  return {
    ...native,
    type: native?.["type"] ?? "toolRequest",
    id,
    toolCall: { status: "success", value: { ...value, name, arguments: input } },
  }
}

/** The words of a plain text part, or of one whose text is all that is read from it. */
const saysText = (wire: Wire, words: string): boolean => {
  const { resource } = wire
  if (isResource(wire)) return (resource as Wire | undefined)?.["text"] === words
  return wire["text"] === words
}

const writePart = (block: ContentBlock): Wire => {
  const native = nativeOf(block)
  if (block.type === "text") {
    if (native && saysText(native, block.text)) return native
    if (native && !isResource(native)) return { ...native, text: block.text }
    return block.native === undefined ? (block as unknown as Wire) : { type: "text", text: block.text }
  }
  if (native && !(block.type === "opaque" && block.kind === "malformed")) return native
  return block.type === "media" ? writeMedia(block) : { type: "text", text: block.text }
}

/** A part that came as bare text says the same as the text block it was read into. */
const sameParts = (content: readonly ContentBlock[], parts: readonly unknown[]): boolean => {
  if (content.length !== parts.length) return false
  return content.every((block, index) => {
    const part = parts[index]
    if (block.type === "text" && typeof part === "string") return block.text === part
    if (writePart(block) === part) return true
    return block.type === "text" && nativeOf(block) === undefined && isTextPart(part) && part["text"] === block.text
  })
}

const isTextPart = (value: unknown): value is Wire =>
  typeof value === "object" && value !== null && (value as Wire)["type"] === "text"

const writeResult = (block: ResultBlock, native: Wire | undefined): Wire => {
  const previous = native && readOutcome(native["toolResult"])
  const failed = block.error === true
  if (native && previous && sameParts(block.content, previous.parts)) {
    if (previous.failed === failed || block.synthetic !== undefined) {
      return native["id"] === block.callId ? native : { ...native, id: block.callId }
    }
  }
  const content = block.content.map(writePart)
  const value = { content, isError: failed }
  return { ...native, type: "toolResponse", id: block.callId, toolResult: { status: "success", value } }
}

const writeBlock = (block: Block): Wire => {
  const native = nativeOf(block)
  switch (block.type) {
    case "call":
      return writeCall(block, native)
    case "result":
      return writeResult(block, native)
    case "thinking":
      return native ? rewriteThinking(block, native) : writeThinking(block)
    default:
      return writePart(block)
  }
}

const isSayable = (block: Block): boolean =>
  block.type !== "opaque" || block.text !== "" || nativeOf(block) !== undefined

/** What the screen alone shows goes back to where it stood, counted by what the model sees before it. */
const withScreenParts = (written: readonly Wire[], previous: readonly unknown[]): readonly unknown[] => {
  const content: unknown[] = []
  let next = 0
  for (const wire of previous) {
    if (isScreenOnly(wire)) content.push(wire)
    else if (next < written.length) content.push(written[next++])
  }
  while (next < written.length) content.push(written[next++])
  return content
}

/** The content these blocks make; `previous` itself when it already says so. */
export const writeContent = (blocks: readonly Block[], previous: unknown): unknown => {
  const [only] = blocks
  if (typeof previous === "string") {
    if (blocks.length === 0 && previous === "") return previous
    if (blocks.length === 1 && only?.type === "text" && only.text === previous) return previous
  }
  if (blocks.length === 0 && (previous === undefined || previous === null)) return previous
  const written: Wire[] = []
  for (const block of blocks) if (isSayable(block)) written.push(writeBlock(block))
  if (!Array.isArray(previous)) return written
  if (sameElements(written, previous)) return previous
  const content = withScreenParts(written, previous)
  return sameElements(content, previous) ? previous : content
}
