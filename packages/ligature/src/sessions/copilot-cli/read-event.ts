/** One event → the message it adds to what the model sees; undefined for everything that only tells what happened. */
import {
  type Block,
  type CallBlock,
  isWire,
  type Message,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { textOf } from "../engine/fields.ts"
import { dataOf, format } from "./format.ts"

type Reader = (data: Wire, record: Wire) => Message | undefined

const native = (wire: unknown) => ({ "copilot-cli": wire })

const readCall = (wire: unknown): Block => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const { toolCallId, name, arguments: input } = wire
  const head = { type: "call", id: textOf(toolCallId) ?? "", name: textOf(name) ?? "" } as const
  if (wire["type"] === "custom" && typeof input === "string") {
    return { ...head, arguments: { input }, custom: true, native: native(wire) } satisfies CallBlock
  }
  const read = typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input)
  return { ...head, ...read, native: native(wire) }
}

/**
 * Reasoning comes as text and as a sealed copy of it; the seal is the model's, and means something to this agent only.
 */
export const readThinking = (data: Wire): readonly Block[] => {
  const words = textOf(data["reasoningText"])
  const seal = textOf(data["reasoningOpaque"]) ?? textOf(data["encryptedContent"])
  if (words === undefined && seal === undefined) return []
  return [
    {
      type: "thinking",
      text: words ?? "",
      ...(seal !== undefined && { signature: seal }),
      ...(words === undefined && { redacted: true as const }),
      native: native(data),
    },
  ]
}

const readAssistant: Reader = (data, record) => {
  const { content, toolRequests } = data
  const blocks: Block[] = [...readThinking(data)]
  if (typeof content === "string") {
    if (content !== "") blocks.push(text(content))
  } else if (content !== undefined && content !== null) blocks.push(malformedBlock(format, content))
  if (Array.isArray(toolRequests)) for (const wire of toolRequests as readonly unknown[]) blocks.push(readCall(wire))
  else if (toolRequests !== undefined && toolRequests !== null) blocks.push(malformedBlock(format, toolRequests))
  const model = textOf(data["model"])
  return { role: "assistant", blocks, ...(model !== undefined && { origin: { model } }), native: native(record) }
}

/** What the model was told of the result: its text, or the reason why there is none. */
export const resultWords = (data: Wire): string | undefined => {
  const { result, error } = data
  if (isWire(result) && typeof result["content"] === "string") return result["content"]
  if (isWire(error) && typeof error["message"] === "string") return error["message"]
  if (typeof result === "string") return result
  return typeof error === "string" ? error : undefined
}

const denials: ReadonlySet<unknown> = new Set(["denied", "rejected"])

const readResult: Reader = (data, record) => {
  const words = resultWords(data)
  const { error, toolName } = data
  const name = textOf(toolName)
  const block: Block = {
    type: "result",
    callId: textOf(data["toolCallId"]) ?? "",
    ...(name !== undefined && { name }),
    ...readResultContent(words === undefined || words === "" ? [] : [text(words)], { errorMark: false }),
    ...(data["success"] === false && { error: true as const }),
    ...(isWire(error) && denials.has(error["code"]) && { denied: true as const }),
    native: native(data),
  }
  return { role: "tool", blocks: [block], native: native(record) }
}

/** What the model saw of the user's words: the agent adds to them before it sends them. */
export const userWords = (data: Wire): unknown => textOf(data["transformedContent"]) ?? data["content"]

const readWords =
  (role: "user" | "system", words: (data: Wire) => unknown): Reader =>
  (data, record) => {
    const said = words(data)
    if (said === undefined || said === null) return undefined
    const blocks = typeof said === "string" ? (said === "" ? [] : [text(said)]) : [malformedBlock(format, said)]
    return { role, blocks, native: native(record) }
  }

const contentOf = (data: Wire): unknown => data["content"]

const readSummary: Reader = (data, record) => {
  const summary = textOf(data["summaryContent"])
  if (summary === undefined || summary.trim() === "" || data["success"] === false) return undefined
  return { role: "user", blocks: [text(summary)], summary: true, native: native(record) }
}

const readers: ReadonlyMap<unknown, Reader> = new Map([
  ["system.message", readWords("system", contentOf)],
  ["user.message", readWords("user", userWords)],
  ["system.notification", readWords("user", contentOf)],
  ["assistant.message", readAssistant],
  ["tool.execution_complete", readResult],
  ["session.compaction_complete", readSummary],
])

export const isMessageEvent = (record: unknown): record is Wire => isWire(record) && readers.has(record["type"])

export const readEvent = (record: Wire): Message | undefined => readers.get(record["type"])?.(dataOf(record), record)

/** Families of events that only tell what happened; an event of another family is not known. */
const families: ReadonlySet<string> = new Set([
  "session",
  "assistant",
  "tool",
  "user",
  "system",
  "subagent",
  "hook",
  "permission",
  "abort",
  "skill",
  "pending_messages",
  "external_tool",
  "command",
  "elicitation",
  "exit_plan_mode",
  "mcp",
  "model",
  "sampling",
  "user_input",
  "capabilities",
  "auto_mode_switch",
])

export const isKnownType = (type: unknown): boolean => {
  if (typeof type !== "string") return false
  const dot = type.indexOf(".")
  return families.has(dot < 0 ? type : type.slice(0, dot))
}
