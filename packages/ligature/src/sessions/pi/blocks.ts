/** Content of pi messages ↔ blocks. A block that is written unchanged is the very wire value it was read from. */
import { type Block, type ContentBlock, isWire, readArgumentsObject, type Wire } from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { kindOfMediaType, mediaNote } from "../../formats/engine/media.ts"
import { isPlainText, nativeIn, stringOf, textOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"

export const format = "pi"

/** For providers that sign nothing, this is the name of the field in which they gave their reasoning. */
const isSignature = (value: unknown): value is string => typeof value === "string" && value !== "" && !/^reasoning(?:_\w+)?$/.test(value)

const readers: Readonly<Record<string, (wire: Wire) => Block>> = {
  text: (wire) => {
    const { text } = wire
    if (typeof text !== "string") return malformedBlock(format, wire)
    return isPlainText(wire) ? wire : { type: "text", text, native: { pi: wire } }
  },
  thinking: (wire) => {
    const { thinking, thinkingSignature, redacted } = wire
    return {
      type: "thinking",
      text: stringOf(thinking),
      ...(isSignature(thinkingSignature) && { signature: thinkingSignature }),
      ...(redacted === true && { redacted }),
      native: { pi: wire },
    }
  },
  toolCall: (wire) => {
    const { id, name, arguments: input } = wire
    return { type: "call", id: stringOf(id), name: stringOf(name), ...readArgumentsObject(input), native: { pi: wire } }
  },
  image: (wire) => {
    const { data, mimeType } = wire
    if (typeof data !== "string") return malformedBlock(format, wire)
    const mediaType = textOf(mimeType)
    return {
      type: "media",
      kind: mediaType === undefined ? "image" : kindOfMediaType(mediaType),
      ...(mediaType !== undefined && { mediaType }),
      source: { type: "base64", data },
      native: { pi: wire },
    }
  },
}

const readBlock = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, wire["type"]) ? readers[wire["type"]] : undefined
  return reader?.(wire) ?? { type: "opaque", kind: wire["type"], text: previewOf(wire), native: { pi: wire } }
}

export const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.map(readBlock)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

/** What a result or the note of an extension may contain: a call there is not one to run. */
export const readResultBlocks = (content: unknown): readonly ContentBlock[] =>
  readContent(content).map((block): ContentBlock => {
    if (block.type === "text" || block.type === "media" || block.type === "opaque") return block
    const wire = block.native?.[format]
    return { type: "opaque", kind: block.type, text: previewOf(wire), native: { pi: wire } }
  })

const writeBlock = (block: Block): Wire | undefined => {
  const native = nativeIn(block, format)
  switch (block.type) {
    case "text":
      if (!native && block.native === undefined) return block as unknown as Wire
      return patch(native, { type: "text", text: block.text })
    case "thinking":
      if (native) return stringOf(native["thinking"]) === block.text ? native : patch(native, { thinking: block.text })
      return {
        type: "thinking",
        thinking: block.text,
        ...(block.signature !== undefined && { thinkingSignature: block.signature }),
        ...(block.redacted === true && { redacted: true }),
      }
    case "media":
      if (native) return native
      if (block.kind !== "image" || block.source.type !== "base64") return { type: "text", text: mediaNote(block) }
      return { type: "image", data: block.source.data, mimeType: block.mediaType ?? "image/png" }
    case "opaque":
      if (native && block.kind !== "malformed") return native
      return block.text === "" && !native ? undefined : { type: "text", text: block.text }
    case "call":
      return patch(native, { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments })
    case "result":
      return undefined
  }
}

/** The content these blocks make; `before` itself where it says so already. */
export const writeContent = (blocks: readonly Block[], before: unknown): unknown => {
  const [only] = blocks
  if (blocks.length === 0 && (before === "" || before === undefined || before === null)) return before
  if (typeof before === "string" && blocks.length === 1 && only?.type === "text" && !nativeIn(only, format)) return only.text
  return patchList(
    before,
    blocks.flatMap((block) => writeBlock(block) ?? []),
  )
}
