/** What is wrong with a block, as far as its shape goes: not of this format, or not of any. */
import { type Block, isWire } from "../../model/index.ts"
import { malformedMessage, ofAnotherApi } from "../engine/malformed.ts"
import { leftover } from "../engine/unread.ts"

export const isMalformed = (block: Block): boolean => {
  if (block.type !== "result") return block.type === "opaque" && block.kind === "malformed"
  for (const inner of block.content) if (isMalformed(inner)) return true
  return false
}

/** What is of this format has a native value, or is a plain text block itself. `wire`: what the block was read from. */
const isBorrowed = (block: Block, wire: unknown): boolean => {
  if (block === wire || !isWire(wire)) return false
  if (block.native === undefined || leftover in block.native) return true
  if (block.type !== "result" || typeof wire["content"] === "string") return false
  const said: readonly unknown[] = Array.isArray(wire["content"]) ? wire["content"] : []
  return block.content.some((inner, index) => isBorrowed(inner, said[index]))
}

/** What a block broke by standing here; most are of the format. */
export const reportOf = (block: Block, wire: unknown): typeof malformedMessage | undefined => {
  if (block === wire) return undefined
  if (isMalformed(block)) return malformedMessage
  if (block.type === "result" && isWire(wire) && wire["content"] === null) return ofAnotherApi
  return isBorrowed(block, wire) ? ofAnotherApi : undefined
}
