/** Whether two readings of one record say the same: then the record itself can go back as it is. */
import { type Block, type CallBlock, canonicalJson, type ResultBlock } from "../../../model/index.ts"

const sameCall = (left: CallBlock, right: CallBlock): boolean => {
  if (left.id !== right.id || left.name !== right.name || left.fault !== right.fault) return false
  if (left.arguments === right.arguments) return true
  // Text that was no object is the same before and after it was wrapped in one.
  if (left.fault === undefined && left.raw !== undefined && left.raw === right.raw) return true
  return canonicalJson(left.arguments) === canonicalJson(right.arguments)
}

const sameResult = (left: ResultBlock, right: ResultBlock): boolean =>
  left.callId === right.callId &&
  left.error === right.error &&
  left.denied === right.denied &&
  left.synthetic === right.synthetic &&
  sameBlocks(left.content, right.content)

/** Media and opaque blocks are never edited in place: they are the same object, or hold the same wire value. */
const sameNative = (left: Block, right: Block): boolean => {
  for (const format in left.native) if (right.native?.[format] === left.native[format]) return true
  return left === right
}

const sameBlock = (left: Block, right: Block): boolean => {
  if (left === right) return true
  if (left.type === "text") return right.type === "text" && left.text === right.text
  if (left.type === "call") return right.type === "call" && sameCall(left, right)
  if (left.type === "result") return right.type === "result" && sameResult(left, right)
  if (left.type === "thinking") {
    return right.type === "thinking" && left.text === right.text && left.signature === right.signature
  }
  return left.type === right.type && sameNative(left, right)
}

export const sameBlocks = (left: readonly Block[], right: readonly Block[]): boolean => {
  if (left === right) return true
  if (left.length !== right.length) return false
  return left.every((block, index) => sameBlock(block, right[index] as Block))
}
