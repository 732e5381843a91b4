/**
 * Whether blocks still say what a record says: then the record itself can go back as it is. The encoder reads a record
 * again and compares. Settle keeps the values it does not touch, so that most of them are the very same objects.
 */
import {
  type Block,
  type CallBlock,
  canonicalJson,
  type MediaBlock,
  type OpaqueBlock,
  type ResultBlock,
  type ThinkingBlock,
} from "../../model/index.ts"

const sameCall = (left: CallBlock, right: CallBlock): boolean => {
  if (left.id !== right.id || left.name !== right.name || left.fault !== right.fault) return false
  if (left.arguments === right.arguments) return true
  // Arguments that came as text are parsed anew by every reading, and wrapped where they are no object.
  if (left.fault === undefined && left.raw !== undefined && left.raw === right.raw) return true
  return canonicalJson(left.arguments) === canonicalJson(right.arguments)
}

/** Whether both name the tool, each in another way. Which of them a result names at all is for its format to say. */
const isRenamed = ({ name: left }: ResultBlock, { name: right }: ResultBlock): boolean =>
  left !== undefined && right !== undefined && left !== right

export const sameResult = (left: ResultBlock | undefined, right: ResultBlock | undefined): boolean => {
  if (!left || !right) return left === right
  if (left.error !== right.error || left.denied !== right.denied || left.synthetic !== right.synthetic) return false
  if (isRenamed(left, right)) return false
  return left.callId === right.callId && sameBlocks(left.content, right.content)
}

const sameMedia = (left: MediaBlock, right: MediaBlock): boolean => {
  const [one, other] = [left.source, right.source]
  if (left.mediaType !== right.mediaType) return false
  if (one === other) return true
  if (one.type === "base64") return other.type === "base64" && one.data === other.data
  if (one.type === "url") return other.type === "url" && one.url === other.url
  return other.type === "file" && one.id === other.id
}

/** Long values are cut in the text of an opaque block: where both have the whole, that decides. */
const sameOpaque = (left: OpaqueBlock, right: OpaqueBlock): boolean => {
  if (left.kind !== right.kind || left.text !== right.text) return false
  for (const format in left.native) {
    const [one, other] = [left.native[format], right.native[format]]
    if (other !== undefined && one !== other && canonicalJson(one) !== canonicalJson(other)) return false
  }
  return true
}

const sameThinking = (left: ThinkingBlock, right: ThinkingBlock): boolean =>
  left.text === right.text && left.signature === right.signature && left.unsigned === right.unsigned

export const sameBlock = (left: Block, right: Block): boolean => {
  if (left === right) return true
  switch (left.type) {
    case "text":
      return right.type === "text" && left.text === right.text
    case "thinking":
      return right.type === "thinking" && sameThinking(left, right)
    case "media":
      return right.type === "media" && sameMedia(left, right)
    case "call":
      return right.type === "call" && sameCall(left, right)
    case "result":
      return right.type === "result" && sameResult(left, right)
    case "opaque":
      return right.type === "opaque" && sameOpaque(left, right)
  }
}

export const sameBlocks = (left: readonly Block[], right: readonly Block[]): boolean => {
  if (left === right) return true
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) {
    if (!sameBlock(left[index] as Block, right[index] as Block)) return false
  }
  return true
}
