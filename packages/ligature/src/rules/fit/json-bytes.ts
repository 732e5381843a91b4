/** About how many bytes an item has in a request, media aside. Exact for its text, a flat rate for the JSON around it. */
import { type Block, callsOf, elidedBytes, type Item } from "../../model/index.ts"

const aroundBlock = 120

/** Bytes of a text as JSON: UTF-8, with escapes. */
const bytesOf = (value: string): number => {
  let bytes = 0
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code < 0x20) bytes += 6
    else if (code === 0x22 || code === 0x5c) bytes += 2
    else if (code < 0x80) bytes += 1
    // Halves of a pair have two each of the four bytes it takes.
    else bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
  }
  return bytes + elidedBytes(value)
}

const lengthOf = (signature = ""): number => signature.length + elidedBytes(signature)

const bytesOfBlock = (block: Block): number => {
  switch (block.type) {
    case "text":
    case "opaque":
      return aroundBlock + bytesOf(block.text)
    case "thinking":
      return aroundBlock + bytesOf(block.text) + lengthOf(block.signature)
    case "call":
      return aroundBlock + bytesOf(block.raw ?? JSON.stringify(block.arguments))
    case "result":
      return block.content.reduce((sum, inner) => sum + bytesOfBlock(inner), aroundBlock)
    case "media":
      return aroundBlock
  }
}

const sum = (blocks: readonly Block[]): number => blocks.reduce((total, block) => total + bytesOfBlock(block), 0)

export const jsonBytes = (item: Item): number => {
  if (item.role !== "exchange") return sum(item.blocks)
  const results = item.outcomes.reduce((total, { result }) => total + (result ? bytesOfBlock(result) : 0), 0)
  return sum(item.message.blocks) + results + (item.reply ? sum(item.reply.blocks) : 0) + callsOf(item).length * aroundBlock
}
