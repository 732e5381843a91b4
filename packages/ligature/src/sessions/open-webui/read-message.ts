/**
 * One stored message → the messages it stands for. The assistant's may hold several rounds: words and calls, their
 * results, words again. Cards that follow each other are calls of one round; items say themselves what came after what.
 */
import { type Block, isWire, type Message, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { readUrl } from "../../formats/engine/media.ts"
import { readCard, readCode, readReasoning } from "./cards.ts"
import { format, type Turn } from "./format.ts"
import { hasItems, readItem } from "./output-items.ts"
import { type Segment, splitContent } from "./segments.ts"

const readPart = (part: unknown): Block => {
  if (!isWire(part)) return malformedBlock(format, part)
  if (typeof part["text"] === "string") return { type: "text", text: part["text"], native: { "open-webui": part } }
  const image = part["image_url"]
  const url = isWire(image) ? image["url"] : image
  if (typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native: { "open-webui": part } }
  return malformedBlock(format, part)
}

const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

/** Pictures lie beside the words; other files went into the prompt by ways that leave no trace here. */
const readFiles = (files: unknown): readonly Block[] => {
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown): readonly Block[] => {
    if (!isWire(file) || file["type"] !== "image" || typeof file["url"] !== "string") return []
    return [{ type: "media", kind: "image", ...readUrl(file["url"]), native: { "open-webui": file } }]
  })
}

/** One text that is the whole content is the content; between cards the blank lines around it mean nothing. */
const readText = (segment: Segment, alone: boolean): Block =>
  alone ? text(segment.source) : { type: "text", text: segment.source.trim(), native: { "open-webui": segment } }

const readOther = (segment: Segment, alone: boolean): Block | undefined => {
  if (segment.kind === "text") return readText(segment, alone)
  return segment.kind === "reasoning" ? readReasoning(segment) : readCode(segment)
}

const readSegments = (content: string): readonly Block[] => {
  const segments = splitContent(content)
  const blocks: Block[] = []
  let results: ResultBlock[] = []
  const endRound = (): void => {
    for (const result of results) blocks.push(result)
    results = []
  }
  for (const segment of segments) {
    if (segment.kind === "tool_calls") {
      const { call, result } = readCard(segment)
      blocks.push(call)
      if (result) results.push(result)
      continue
    }
    endRound()
    const block = readOther(segment, segments.length === 1)
    if (block) blocks.push(block)
  }
  endRound()
  return blocks
}

const readAssistant = (stored: Wire): readonly Block[] => {
  if (hasItems(stored)) {
    const blocks: Block[] = []
    for (const wire of stored["output"] as readonly unknown[]) {
      const block = readItem(wire)
      if (block) blocks.push(block)
    }
    if (blocks.length > 0) return blocks
  }
  const { content } = stored
  return typeof content === "string" ? readSegments(content) : readContent(content)
}

/** Runs of results and runs of other blocks, each a message. */
const toMessages = (turn: Turn): readonly Message[] => {
  const native = { "open-webui": turn }
  const messages: { role: "assistant" | "tool"; blocks: Block[]; native: typeof native }[] = []
  for (const block of turn.blocks) {
    const role = block.type === "result" ? "tool" : "assistant"
    const last = messages.at(-1)
    if (last?.role === role) last.blocks.push(block)
    else messages.push({ role, blocks: [block], native })
  }
  return messages
}

const sideOf = (role: unknown): "user" | "system" | "assistant" | undefined =>
  role === "user" || role === "system" || role === "assistant" ? role : undefined

/** Undefined for what is no message. Empty for one that says nothing: a place kept for words that never came. */
export const readStored = (stored: unknown): readonly Message[] | undefined => {
  const role = isWire(stored) ? sideOf(stored["role"]) : undefined
  if (!isWire(stored) || role === undefined) return undefined
  const { id, model } = stored
  const named = typeof id === "string" ? { id } : {}
  if (role !== "assistant") {
    const blocks = [...readContent(stored["content"]), ...readFiles(stored["files"])]
    const turn: Turn = { stored, blocks }
    return blocks.length === 0 ? [] : [{ role, blocks, ...named, native: { "open-webui": turn } }]
  }
  const origin = typeof model === "string" ? { origin: { model } } : {}
  return toMessages({ stored, blocks: readAssistant(stored) }).map((message) =>
    message.role === "assistant" ? { ...message, ...named, ...origin } : { ...message, ...named },
  )
}
