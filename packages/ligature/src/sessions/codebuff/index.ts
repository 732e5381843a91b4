/**
 * `chat-messages.json` of Codebuff and Freebuff: what the screen shows, messages of `user`, `ai` and `error` with blocks. A tool
 * is a block with its input and, once it ran, its output. Facts are from its sources (CodebuffAI/codebuff cli/src/types/chat.ts,
 * July 2026) and a file. Only read: the agent goes on from `run-state.json`.
 */
import { type Block, type CallBlock, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { idText } from "../../formats/engine/wire.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "codebuff"

interface Turn {
  readonly blocks: Block[]
  readonly results: ResultBlock[]
}

/** Some files leave ids out; a call and its output are one block, so that any name pairs them. */
const readTool = (block: Wire, name: string): readonly [CallBlock, ResultBlock | undefined] => {
  const id = idText(block["toolCallId"]) || name
  const { toolName, input, output = block["outputRaw"] } = block
  const call = callBlock(format, block, { id, name: toolName, input })
  const named = id === name ? { ...call, assigned: true as const } : call
  return [named, output === undefined ? undefined : resultBlock(format, block, { callId: id, name: toolName, content: output })]
}

/** What the user was asked and answered, which is a tool as well. */
const askedOf = (block: Wire): Wire => ({
  ...block,
  toolName: "ask_user",
  input: { questions: block["questions"] ?? [] },
  output: block["answers"] ?? (block["skipped"] === true ? "skipped" : undefined),
})

/** A sub-agent as the screen shows it, or anything else of the screen. */
const noteOf = (block: Wire): Block => {
  const said = [textAt(block, "initialPrompt"), textAt(block, "content"), textAt(block, "question")].filter(
    (words) => words !== undefined && words !== "",
  )
  const who = textAt(block, "agentName") ?? textAt(block, "agentType") ?? stringOf(block["type"])
  return { type: "opaque", kind: stringOf(block["type"]), text: `[${[who, ...said].join(": ")}]`, native: { [format]: block } }
}

const imageOf = (block: Wire, data: string): Block => {
  const mediaType = textOf(block["mediaType"])
  return {
    type: "media",
    kind: "image",
    ...(mediaType !== undefined && { mediaType }),
    source: { type: "base64", data },
    native: { [format]: block },
  }
}

const readBlocks = (message: Wire): Turn => {
  const turn: Turn = { blocks: [], results: [] }
  listOf(message["blocks"]).forEach((block, index) => {
    if (!isWire(block)) return
    const { type, content, textType } = block
    if (type === "text") {
      if (textType === "reasoning") turn.blocks.push({ type: "thinking", text: stringOf(content) })
      else for (const each of readContent(format, content)) turn.blocks.push(each)
    } else if (type === "image" && typeof block["image"] === "string") {
      turn.blocks.push(imageOf(block, block["image"]))
    } else if (type === "tool" || type === "ask-user") {
      const [call, result] = readTool(type === "tool" ? block : askedOf(block), `call_${stringOf(message["id"])}_${index}`)
      turn.blocks.push(call)
      if (result) turn.results.push(result)
    } else if (type !== "mode-divider") turn.blocks.push(noteOf(block))
  })
  return turn
}

const isDivider = ({ content }: Wire): boolean => content === "mode-divider"

const read = (message: Wire): RecordReading => {
  const { variant, content, metadata } = message
  if (variant === "error" || isDivider(message)) return {}
  if (variant === "user") return { messages: [{ role: "user", blocks: [...readContent(format, content), ...readBlocks(message).blocks] }] }
  // Runs of a sub-agent have a variant of their own in old files.
  if (variant !== "ai" && variant !== "agent") return { unknownType: variant }
  const { blocks, results } = readBlocks(message)
  const model = textAt(metadata, "model")
  const said = blocks.some(({ type }) => type === "text") ? [] : readContent(format, content)
  const messages: readonly RecordMessage[] = [
    { role: "assistant", blocks: [...said, ...blocks], ...(model !== undefined && { origin: { model } }) },
    ...(results.length === 0 ? [] : [{ role: "tool" as const, blocks: results }]),
  ]
  return said.length + blocks.length === 0 ? {} : { messages }
}

const isMessage = (value: unknown): boolean =>
  isWire(value) &&
  (value["variant"] === "user" || value["variant"] === "ai") &&
  typeof value["id"] === "string" &&
  (typeof value["content"] === "string" || Array.isArray(value["blocks"]))

export const codebuff = defineSession({
  format,
  title: "Codebuff chat",
  agent: "Codebuff",
  aliases: ["freebuff"],
  sources: "CodebuffAI/codebuff cli/src/types/chat.ts (July 2026); a file in getagentseal/codeburn",
  capabilities: declareHomes({
    native: ["structured-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "empty-result"],
  }),
  layout: "list",
  view: "whole",
  records: recordsOf,
  read,
  facts: ({ timestamp, metadata }) => ({ startedAt: textOf(timestamp), model: textAt(metadata, "model") }),
  marks: [{ certainty: "certain", evidence: "its messages are variants of user and ai with an id", isOn: isMessage }],
})
