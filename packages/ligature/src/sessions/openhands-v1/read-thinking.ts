/** Reasoning beside an action or a message: Anthropic's blocks verbatim, or the text that other providers return. */
import { type Block, isWire, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { isSignature } from "../../formats/anthropic/signature.ts"
import { sameBlocks } from "../engine/same-blocks.ts"
import { format } from "./event.ts"

const textAt = (wire: Wire, key: string): string | undefined => {
  const value = wire[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The block is of Anthropic's own format, so that it may be replayed there. */
const readBlock = (wire: Wire, event: Wire): ThinkingBlock | undefined => {
  const native = { [anthropic.format]: wire, [format]: event }
  const type = wire["type"]
  if (type === "redacted_thinking") {
    return { type: "thinking", text: "", signature: textAt(wire, "data") ?? "", redacted: true, native }
  }
  if (type !== "thinking") return undefined
  const signature = textAt(wire, "signature")
  const words = textAt(wire, "thinking") ?? ""
  if (!isSignature(signature)) return { type: "thinking", text: words, unsigned: true, native }
  return { type: "thinking", text: words, signature, native }
}

/** An item of the Responses API, as far as it is text. */
const summaryOf = (item: unknown): string | undefined => {
  if (!isWire(item) || !Array.isArray(item["summary"])) return undefined
  const words = (item["summary"] as readonly unknown[]).filter((part): part is string => typeof part === "string")
  return words.length === 0 ? undefined : words.join("\n")
}

/** `holder` is the action event, or the message inside a message event. */
export const readThinking = (holder: Wire, event: Wire): readonly ThinkingBlock[] => {
  const list = holder["thinking_blocks"]
  const blocks: ThinkingBlock[] = []
  if (Array.isArray(list)) {
    for (const wire of list as readonly unknown[]) {
      const block = isWire(wire) ? readBlock(wire, event) : undefined
      if (block) blocks.push(block)
    }
  }
  if (blocks.length > 0) return blocks
  const words = textAt(holder, "reasoning_content") ?? summaryOf(holder["responses_reasoning_item"])
  return words === undefined ? [] : [{ type: "thinking", text: words, native: { [format]: event } }]
}

/**
 * The fields that say this thinking, where it is not what the holder says. Signed blocks stay blocks; other text is
 * what providers without signatures return.
 */
export const thinkingFields = (blocks: readonly Block[], holder: Wire, event: Wire): Wire => {
  const now = blocks.filter((block): block is ThinkingBlock => block.type === "thinking")
  if (sameBlocks(readThinking(holder, event), now)) return {}
  const signed = now.flatMap((block) => block.native?.[anthropic.format] ?? [])
  const plain = now.filter((block) => block.native?.[anthropic.format] === undefined).map(({ text }) => text)
  const words = signed.length > 0 || plain.length === 0 ? null : plain.join("\n")
  return {
    thinking_blocks: signed,
    reasoning_content: words,
    ...("responses_reasoning_item" in holder && { responses_reasoning_item: null }),
  }
}
