/**
 * Whether blocks still say what a record says. The encoder reads a record again and compares: settle keeps values it
 * does not touch, so equal arguments are the very same object.
 */
import type { Block, CallBlock, MediaBlock, ResultBlock } from "../../../model/index.ts"

const sameSource = (left: MediaBlock, right: MediaBlock): boolean => {
  const [one, other] = [left.source, right.source]
  if (one === other) return true
  if (one.type === "base64") return other.type === "base64" && one.data === other.data
  if (one.type === "url") return other.type === "url" && one.url === other.url
  return other.type === "file" && one.id === other.id
}

const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

/** Arguments that came as text are parsed anew by every reading: there the text decides. */
const sameArguments = (left: CallBlock, right: CallBlock): boolean => {
  if (left.arguments === right.arguments) return true
  if (left.fault === undefined && right.fault === undefined && left.raw !== undefined) return left.raw === right.raw
  return left.fault === right.fault && isEmpty(left.arguments) && isEmpty(right.arguments)
}

export const sameCall = (left: CallBlock, right: CallBlock): boolean =>
  left.id === right.id && left.name === right.name && sameArguments(left, right)

export const sameResult = (left: ResultBlock | undefined, right: ResultBlock | undefined): boolean => {
  if (!left || !right) return left === right
  if (left.error !== right.error || left.denied !== right.denied || left.synthetic !== right.synthetic) return false
  return left.callId === right.callId && sameBlocks(left.content, right.content)
}

export const sameBlock = (left: Block, right: Block): boolean => {
  if (left === right) return true
  switch (left.type) {
    case "text":
      return right.type === "text" && left.text === right.text
    case "thinking":
      return right.type === "thinking" && left.text === right.text && left.signature === right.signature
    case "media":
      return right.type === "media" && left.mediaType === right.mediaType && sameSource(left, right)
    case "call":
      return right.type === "call" && sameCall(left, right)
    case "result":
      return right.type === "result" && sameResult(left, right)
    case "opaque":
      return right.type === "opaque" && left.kind === right.kind && left.text === right.text
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
