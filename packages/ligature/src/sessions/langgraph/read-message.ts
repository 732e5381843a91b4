/** One LangChain message → one message of the model. */
import {
  type Block,
  type CallBlock,
  isContent,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { previewOf } from "../../formats/engine/malformed.ts"
import { readUrl } from "../../formats/engine/media.ts"
import { listOf, textAt, wireOf } from "../engine/fields.ts"
import type { RecordMessage } from "../engine/session-format.ts"

export const format = "langgraph"

/** `AIMessage` → `ai`, `HumanMessageChunk` → `human`: as the objects name themselves. */
const kindOfClass = (name: string): string => name.replace(/Message(?:Chunk)?$/, "").toLowerCase()

const classOf = ({ id, type }: Wire): string | undefined => {
  const last = listOf(id).at(-1)
  return type === "constructor" && typeof last === "string" ? last : undefined
}

interface LanggraphMessage {
  readonly kind: string
  readonly fields: Wire
}

/** The message without its wrapping; undefined where it is none. */
export const unwrap = (value: unknown): LanggraphMessage | undefined => {
  if (!isWire(value)) return undefined
  const name = classOf(value)
  const kwargs = value["kwargs"]
  if (name !== undefined && isWire(kwargs)) return { kind: kindOfClass(name), fields: kwargs }
  const kind = textAt(value, "type") ?? textAt(value, "role")
  return kind === undefined ? undefined : { kind: kindOfClass(kind), fields: value }
}

const roles: ReadonlyMap<string, Role> = new Map([
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["chat", "user"],
  ["developer", "system"],
  ["function", "tool"],
  ["human", "user"],
  ["system", "system"],
  ["tool", "tool"],
  ["user", "user"],
])

const nothing: ReadonlySet<unknown> = new Set()

/** Parts that repeat a call which is in `tool_calls` as well. */
const callParts: ReadonlySet<unknown> = new Set(["function_call", "input_json_delta", "tool_call", "tool_call_chunk", "tool_use"])

const readPart = (part: unknown): Block | undefined => {
  if (typeof part === "string") return part === "" ? undefined : text(part)
  if (!isWire(part)) return undefined
  const { type } = part
  const native = { [format]: part }
  if (type === "text" || type === "output_text") {
    const words = textAt(part, "text") ?? ""
    return words === "" ? undefined : { type: "text", text: words, native }
  }
  if (type === "thinking" || type === "reasoning" || type === "reasoning_content") {
    const words = textAt(part, "thinking") ?? textAt(part, "reasoning") ?? textAt(part, "text") ?? ""
    const signature = textAt(part, "signature")
    return { type: "thinking", text: words, ...(signature !== undefined && { signature }), native }
  }
  const holder = part["image_url"]
  const url = isWire(holder) ? holder["url"] : holder
  if (type === "image_url" && typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native }
  return { type: "opaque", kind: typeof type === "string" ? type : "part", text: previewOf(part), native }
}

const readContent = (content: unknown, skipped: ReadonlySet<unknown>): Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (content === null || content === undefined) return []
  if (!Array.isArray(content)) return [text(JSON.stringify(content))]
  const blocks: Block[] = []
  for (const part of content as readonly unknown[]) {
    if (isWire(part) && skipped.has(part["type"])) continue
    const block = readPart(part)
    if (block) blocks.push(block)
  }
  return blocks
}

const readCall = (wire: Wire): CallBlock => {
  const inner = wire["function"]
  const target = isWire(inner) ? inner : wire
  const value = target["args"] ?? target["arguments"] ?? target["input"]
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)
  const id = textAt(wire, "id") ?? ""
  return { type: "call", id, name: textAt(target, "name") ?? "", ...read, native: { [format]: wire } }
}

/** The parsed calls, those whose arguments would not parse, or else what the provider had said. */
const readCalls = (fields: Wire): readonly CallBlock[] => {
  const extra = wireOf(fields["additional_kwargs"])
  const own = [...listOf(fields["tool_calls"]), ...listOf(fields["invalid_tool_calls"])].filter(isWire)
  if (own.length > 0) return own.map(readCall)
  const raw = listOf(extra["tool_calls"]).filter(isWire)
  if (raw.length > 0) return raw.map(readCall)
  const parts = listOf(fields["content"]).filter(isWire)
  return parts.filter(({ type }) => type === "tool_use").map(readCall)
}

const readAssistant = (fields: Wire): Block[] => {
  const extra = wireOf(fields["additional_kwargs"])
  const reasoning = textAt(extra, "reasoning_content")
  const blocks: Block[] = reasoning ? [{ type: "thinking", text: reasoning, native: { [format]: extra } }] : []
  for (const block of readContent(fields["content"], callParts)) blocks.push(block)
  for (const call of readCalls(fields)) blocks.push(call)
  return blocks
}

const readTool = (fields: Wire, record: Wire): Block => {
  const name = textAt(fields, "name")
  return {
    type: "result",
    callId: textAt(fields, "tool_call_id") ?? "",
    ...(name !== undefined && { name }),
    ...readResultContent(readContent(fields["content"], nothing).filter(isContent), { errorMark: false }),
    ...(fields["status"] === "error" && { error: true as const }),
    native: { [format]: record },
  }
}

const readBlocks = (role: Role, fields: Wire, record: Wire): readonly Block[] => {
  if (role === "tool") return [readTool(fields, record)]
  return role === "assistant" ? readAssistant(fields) : readContent(fields["content"], nothing)
}

/** Undefined where the record is no message of a known class. */
export const readMessage = (record: Wire): RecordMessage | undefined => {
  const { kind, fields } = unwrap(record) ?? {}
  const role = kind === undefined ? undefined : roles.get(kind)
  if (role === undefined || fields === undefined) return undefined
  const id = textAt(fields, "id")
  const name = role === "tool" ? undefined : textAt(fields, "name")
  const metadata = wireOf(fields["response_metadata"])
  const model = textAt(metadata, "model_name") ?? textAt(metadata, "model")
  return {
    role,
    blocks: readBlocks(role, fields, record),
    ...(id !== undefined && { id }),
    ...(name !== undefined && name !== "" && { name }),
    ...(role === "assistant" && model !== undefined && { origin: { model } }),
  }
}
