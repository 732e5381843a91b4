/**
 * Blocks of the model → LangChain messages, as the plain objects LangChain turns into messages wherever it takes some:
 * `{ role: "tool", content, tool_call_id }`. A message that was changed keeps every field that still says the truth,
 * its id included, so that a graph's reducer puts it in the place of the old one.
 */
import {
  type Block,
  type CallBlock,
  isWire,
  mediaNote,
  type Message,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"

export const format = "langgraph"

/** The message a block or message was read from. */
export const recordOf = (value: { readonly native?: Readonly<Record<string, unknown>> }): Wire | undefined => {
  const record = value.native?.[format]
  return isWire(record) ? record : undefined
}

const kept: readonly string[] = [
  "id", "name", "additional_kwargs", "response_metadata", "usage_metadata", "artifact", "metadata", "status",
]

/** Fields of a message object, which may be inherited or wrapped as LangChain writes them to JSON. */
export const fieldsOf = (record: Wire): Wire =>
  record["type"] === "constructor" && isWire(record["kwargs"]) ? record["kwargs"] : record

const keptFields = (record: Wire | undefined): Record<string, unknown> => {
  const fields = record ? fieldsOf(record) : {}
  const found: Record<string, unknown> = {}
  for (const name of kept) if (fields[name] !== undefined) found[name] = fields[name]
  return found
}

const callParts: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "function_call"])

const partOf = (block: Block): readonly unknown[] => {
  const native = recordOf(block)
  switch (block.type) {
    case "text":
      if (!native) return [{ type: "text", text: block.text }]
      return [native["text"] === block.text ? native : { ...native, text: block.text }]
    case "media":
      return [native ?? { type: "text", text: mediaNote(block) }]
    case "thinking":
      return native && "type" in native ? [native] : []
    case "opaque":
      if (native && block.kind !== "malformed") return [native]
      return block.text === "" ? [] : [{ type: "text", text: block.text }]
    default:
      return []
  }
}

/** One text where it was or may be one, else a list of parts. */
const contentOf = (blocks: readonly Block[], before: unknown): unknown => {
  const parts = blocks.flatMap(partOf)
  const [only] = parts
  if (parts.length === 0) return ""
  const texts = parts.every((part) => isWire(part) && part["type"] === "text" && Object.keys(part).length === 2)
  if (!texts || Array.isArray(before)) return parts
  return parts.length === 1 ? (only as Wire)["text"] : parts.map((part) => (part as Wire)["text"]).join("\n\n")
}

/** The message of a system or user. `undefined` for a record of another role: that one said something else. */
export const writeClient = (message: Message): Wire => {
  const record = recordOf(message)
  const type = record && String(record["type"] ?? record["role"])
  const own = type !== undefined && type !== "tool" && type !== "ai" && type !== "assistant" ? record : undefined
  const { status: _, artifact: __, ...fields } = keptFields(own)
  return { role: message.role, ...fields, content: contentOf(message.blocks, own && fieldsOf(own)["content"]) }
}

/** Calls as content parts follow the calls of the message: some providers read one, some the other. */
const withCallParts = (content: unknown, calls: readonly CallBlock[], before: unknown): unknown => {
  const list: readonly unknown[] = Array.isArray(before) ? before : []
  const parts = list.filter((part): part is Wire => isWire(part) && callParts.has(part["type"]))
  const [sample] = parts
  if (!sample) return content
  const field = "input" in sample ? "input" : "args"
  const known = new Map(parts.map((part) => [part["id"], part]))
  const written = calls.map((call, index) => {
    const part = known.get(call.providerId ?? call.id) ?? parts[index] ?? { type: sample["type"] }
    return { ...part, id: call.id, name: call.name, [field]: call.arguments }
  })
  const said = Array.isArray(content) ? content : content === "" ? [] : [{ type: "text", text: content }]
  return [...said, ...written]
}

export const writeAssistant = (message: Message): Wire => {
  const record = recordOf(message)
  const before = record && fieldsOf(record)["content"]
  const { additional_kwargs: extra, response_metadata: metadata, status: _, artifact: __, ...fields } = keptFields(record)
  const calls = message.blocks.filter((block): block is CallBlock => block.type === "call")
  // What repeats the calls in a provider's words would now say something else.
  const { tool_calls: _calls, function_call: _call, ...words } = isWire(extra) ? extra : {}
  const { output: _output, ...about } = isWire(metadata) ? metadata : {}
  return {
    role: "assistant",
    ...fields,
    content: withCallParts(contentOf(message.blocks, before), calls, before),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args, type: "tool_call" })),
    }),
    ...(Object.keys(words).length > 0 && { additional_kwargs: words }),
    ...(Object.keys(about).length > 0 && { response_metadata: about }),
  }
}

const isSameContent = (record: Wire, result: ResultBlock): boolean => {
  const { content } = fieldsOf(record)
  return typeof content === "string" ? content === resultText(result) : Array.isArray(content)
}

export const writeResult = (result: ResultBlock, callName: string): Wire => {
  const record = recordOf(result)
  const same = record !== undefined && isSameContent(record, result)
  const content = same ? fieldsOf(record)["content"] : contentOf(result.content, undefined)
  const failed = result.error === true
  return {
    role: "tool",
    name: result.name ?? callName,
    ...keptFields(record),
    ...(failed && { status: "error" }),
    content,
    tool_call_id: result.callId,
  }
}
