/** The chat message an answer in one piece would have held, made of finished blocks. */
import { type Block, isWire, type Message, type Wire } from "../../../model/index.ts"
import type { Content } from "./content.ts"

const nativeOf = (block: Block): Wire | undefined => {
  const native = block.native?.["openai-chat"]
  return isWire(native) ? native : undefined
}

/** A part of the content keeps the part itself; fields beside the content keep an object without a type. */
const isPart = (native: Wire | undefined): native is Wire => native !== undefined && "type" in native

const contentOf = (blocks: readonly Block[], content: Content): unknown => {
  const words = blocks.filter((block) => block.type !== "call")
  if (!content.inParts) {
    const plain = words.find((block) => block.type === "text" && block.native === undefined)
    return plain?.type === "text" ? plain.text : content.worded ? "" : null
  }
  return words.flatMap((block): readonly unknown[] => {
    const native = nativeOf(block)
    if (isPart(native)) return [native]
    return block.type === "text" && !native ? [{ type: "text", text: block.text }] : []
  })
}

export const composeMessage = (blocks: readonly Block[], others: Wire, content: Content): Message => {
  const wire: Record<string, unknown> = { role: "assistant", content: contentOf(blocks, content) }
  if (content.refusalNamed) wire["refusal"] = null
  const calls: Wire[] = []
  for (const block of blocks) {
    const native = nativeOf(block)
    if (block.type !== "call") {
      if (native && !isPart(native)) Object.assign(wire, native)
    } else if (native && "type" in native) calls.push(native)
    else if (native) wire["function_call"] = native
  }
  if (calls.length > 0) wire["tool_calls"] = calls
  return { role: "assistant", blocks, native: { "openai-chat": { ...others, ...wire } } }
}
