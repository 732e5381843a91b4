/**
 * LangChain messages in, a valid list out. Works on real messages by their fields, without LangChain: on `AIMessage`s and
 * chunks, on what a checkpoint holds, on the plain objects LangChain takes for messages. Whatever is valid comes back as
 * the very same object.
 *
 * Messages that had to be written are plain objects such as `{ role: "tool", content, tool_call_id }`. Models, graphs and
 * prompts of LangChain turn them into messages on their own. Where real ones are wanted at once, give `coerce`.
 */
import { sameElements } from "../../formats/engine/codec.ts"
import {
  type Block,
  type CallBlock,
  callsOf,
  type Exchange,
  isWire,
  mediaNote,
  type Message,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import { langgraph } from "../../sessions/langgraph/index.ts"
import { assertAdapter, type AdapterOptions, settleFor, tell } from "../settle-for.ts"

// Blocks of the model → LangChain messages, as the plain objects LangChain turns into messages wherever it takes some:
// `{ role: "tool", content, tool_call_id }`. A message that was changed keeps every field that still says the truth,
// its id included, so that a graph's reducer puts it in the place of the old one.

const format = "langgraph"

/** The message a block or message was read from. */
const recordOf = (value: { readonly native?: Readonly<Record<string, unknown>> }): Wire | undefined => {
  const record = value.native?.[format]
  return isWire(record) ? record : undefined
}

const kept: readonly string[] = ["id", "name", "additional_kwargs", "response_metadata", "usage_metadata", "artifact", "metadata", "status"]

/** Fields of a message object, which may be inherited or wrapped as LangChain writes them to JSON. */
const fieldsOf = (record: Wire): Wire => (record["type"] === "constructor" && isWire(record["kwargs"]) ? record["kwargs"] : record)

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
const writeClient = (message: Message): Wire => {
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

const writeAssistant = (message: Message): Wire => {
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

const writeResult = (result: ResultBlock, callName: string): Wire => {
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

export interface LangChainOptions<Made = unknown> extends AdapterOptions {
  /** Makes a message of a plain object: `coerceMessageLikeToMessage` of `@langchain/core/messages`. */
  readonly coerce?: (message: never) => Made
}

/** LangChain leaves calls with broken arguments aside when it writes a request, and their results would be orphans. */
const hidesCalls = (record: Wire): boolean => {
  const invalid = fieldsOf(record)["invalid_tool_calls"]
  return Array.isArray(invalid) && invalid.length > 0
}

const writer = (known: ReadonlySet<unknown>): ((item: Message | Exchange) => readonly unknown[]) => {
  const untouched = (value: object & Parameters<typeof recordOf>[0]): Wire | undefined => (known.has(value) ? recordOf(value) : undefined)
  const assistant = (message: Message): unknown => {
    const record = untouched(message)
    return record && !hidesCalls(record) ? record : writeAssistant(message)
  }
  return (item) => {
    if (item.role !== "exchange") return [untouched(item) ?? writeClient(item)]
    const calls = callsOf(item)
    const results = item.outcomes.flatMap(({ result }, index) =>
      result ? [untouched(result) ?? writeResult(result, calls[index]?.name ?? "")] : [],
    )
    return [assistant(item.message), ...results, ...(item.reply ? [assistant(item.reply)] : [])]
  }
}

/**
 * The messages, valid: every call answered, every result after its call, nothing empty. The very same list where it was.
 *
 * @example
 * const valid = validMessages(messages, { onRepair: ({ entries }) => console.warn(entries) })
 */
export const validMessages = <Input>(messages: readonly Input[], options: LangChainOptions<Input> = {}): Input[] => {
  assertAdapter(options, { coerce: true })
  const transcript = langgraph.decode(messages)
  const { conversation, report } = settleFor(transcript, options)
  const known = new Set<unknown>()
  for (const message of transcript.messages) {
    known.add(message)
    for (const block of message.blocks) known.add(block)
  }
  const write = writer(known)
  const written = conversation.items.flatMap(write)
  if (sameElements(written, messages)) return messages as Input[]
  tell(report, options)
  const before = new Set<unknown>(messages)
  const make = (options.coerce ?? ((message) => message)) as (message: unknown) => Input
  return written.map((message) => (before.has(message) ? (message as Input) : make(message)))
}

/**
 * For `createReactAgent({ llm, tools, preModelHook })` of LangGraph: what the model gets is valid, the state stays as it is.
 *
 * @example
 * const preModelHook = validPreModelHook()
 */
export const validPreModelHook = <Input>(
  options: LangChainOptions<Input> = {},
): ((state: { readonly messages: readonly Input[] }) => { llmInputMessages: Input[] }) => {
  assertAdapter(options, { coerce: true })
  return ({ messages }) => ({ llmInputMessages: validMessages(messages, options) })
}

/** What `createMiddleware` of LangChain takes. */
export interface ValidModelCall {
  readonly name: string
  readonly wrapModelCall: <Request extends { readonly messages: readonly unknown[] }, Answer>(
    request: Request,
    handler: (request: Request) => Answer,
  ) => Answer
}

/**
 * For `createAgent({ model, tools, middleware: [createMiddleware(validModelCall())] })` of LangChain.
 *
 * @example
 * const call = validModelCall({ profile: "openai-chat" })
 */
export const validModelCall = (options: LangChainOptions = {}): ValidModelCall => {
  assertAdapter(options, { coerce: true })
  return {
    name: "LigatureValidMessages",
    wrapModelCall: (request, handler) => {
      const messages = validMessages(request.messages, options)
      return handler(messages === request.messages ? request : { ...request, messages })
    },
  }
}
