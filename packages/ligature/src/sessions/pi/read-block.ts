/** Content of pi messages → blocks: one reader per block type; what no reader knows becomes an opaque block. */
import { type Block, type ContentBlock, isWire, readArgumentsObject, type Wire } from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { kindOfMediaType } from "../../formats/engine/media.ts"
import { isPlainText } from "../engine/fields.ts"
import { format } from "./format.ts"

type Reader = (wire: Wire) => Block

const readText: Reader = (wire) => {
  const { text } = wire
  if (typeof text !== "string") return malformedBlock(format, wire)
  return isPlainText(wire) ? wire : { type: "text", text, native: { pi: wire } }
}

/** For providers that sign nothing, the name of the field stands there in which they gave their reasoning. */
const isProof = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && !/^reasoning(?:_\w+)?$/.test(value)

const readThinking: Reader = (wire) => {
  const { thinking, thinkingSignature } = wire
  return {
    type: "thinking",
    text: typeof thinking === "string" ? thinking : "",
    ...(isProof(thinkingSignature) && { signature: thinkingSignature }),
    ...(wire["redacted"] === true && { redacted: true as const }),
    native: { pi: wire },
  }
}

const readCall: Reader = (wire) => {
  const { id, name, arguments: input } = wire
  const head = { id: typeof id === "string" ? id : "", name: typeof name === "string" ? name : "" }
  return { type: "call", ...head, ...readArgumentsObject(input), native: { pi: wire } }
}

const readImage: Reader = (wire) => {
  const { data, mimeType } = wire
  if (typeof data !== "string") return malformedBlock(format, wire)
  const mediaType = typeof mimeType === "string" && mimeType !== "" ? mimeType : undefined
  return {
    type: "media",
    kind: mediaType === undefined ? "image" : kindOfMediaType(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    source: { type: "base64", data },
    native: { pi: wire },
  }
}

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  thinking: readThinking,
  toolCall: readCall,
  image: readImage,
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

/** What may stand in a result or a user's message; a call there is none of ours to run. */
export const readResultBlocks = (content: unknown): readonly ContentBlock[] =>
  readContent(content).map((block): ContentBlock => {
    if (block.type === "text" || block.type === "media" || block.type === "opaque") return block
    const wire = block.native?.[format]
    return { type: "opaque", kind: block.type, text: previewOf(wire), native: { pi: wire } }
  })
