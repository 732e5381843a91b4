/** Blocks → content of pi messages. A block whose wire value still says the same is that very value. */
import type { Block, CallBlock, MediaBlock, ThinkingBlock, Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { mediaNote } from "../../formats/engine/media.ts"
import { stringOf } from "../engine/fields.ts"
import { nativeOf } from "./format.ts"

const writeThinking = (block: ThinkingBlock): Wire => ({
  type: "thinking",
  thinking: block.text,
  ...(block.signature !== undefined && { thinkingSignature: block.signature }),
  ...(block.redacted === true && { redacted: true }),
})

const writeMedia = (block: MediaBlock): Wire => {
  if (block.kind !== "image" || block.source.type !== "base64") return { type: "text", text: mediaNote(block) }
  return { type: "image", data: block.source.data, mimeType: block.mediaType ?? "image/png" }
}

const writeCall = (block: CallBlock, native: Wire | undefined): Wire => {
  const { id, name, arguments: input } = block
  if (native && native["id"] === id && native["name"] === name && native["arguments"] === input) return native
  return { ...native, type: "toolCall", id, name, arguments: input }
}

const writeBlock = (block: Block): Wire => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      if (native) return native["text"] === block.text ? native : { ...native, text: block.text }
      return block.native === undefined ? (block as unknown as Wire) : { type: "text", text: block.text }
    case "thinking":
      if (!native) return writeThinking(block)
      return stringOf(native["thinking"]) === block.text ? native : { ...native, thinking: block.text }
    case "media":
      return native ?? writeMedia(block)
    case "opaque":
      return native && block.kind !== "malformed" ? native : { type: "text", text: block.text }
    case "call":
      return writeCall(block, native)
    case "result":
      return { type: "text", text: "" }
  }
}

const isSayable = (block: Block): boolean =>
  block.type !== "opaque" || block.text !== "" || nativeOf(block) !== undefined

/** The content these blocks make; `previous` itself when it already says so. */
export const writeContent = (blocks: readonly Block[], previous: unknown): unknown => {
  const only = blocks[0]
  if (typeof previous === "string") {
    if (blocks.length === 0 && previous === "") return previous
    if (blocks.length === 1 && only?.type === "text" && !nativeOf(only)) return only.text
  }
  if (blocks.length === 0 && (previous === undefined || previous === null)) return previous
  const content: Wire[] = []
  for (const block of blocks) if (isSayable(block)) content.push(writeBlock(block))
  return sameElements(content, previous) ? previous : content
}
