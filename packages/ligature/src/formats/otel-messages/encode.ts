/**
 * Conversation → messages of a span. Everything is input, except what came as output and what follows it. Results go back
 * into the messages that carried them; those of another format share one message per exchange.
 */
import {
  type AssistantMessage,
  type Block,
  type CallBlock,
  callsOf,
  type ContentBlock,
  type Conversation,
  type Exchange,
  type Item,
  type MediaBlock,
  type Message,
  type Native,
  pushAll,
  type ResultBlock,
  resultText,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { asWire, idText } from "../engine/wire.ts"
import { errorMarkOf, sameResult } from "../engine/write-back.ts"
import { attributesOf, format, inputKey, isSpan, likeBefore, listOf, nativeOf, outputKey, readResult, systemKey } from "./decode.ts"

// Blocks → message parts. A part that still says the same comes back as it is.

const say = (type: "text" | "reasoning", content: string, native: Wire | undefined): Wire => {
  if (!native) return { type, content }
  return native["content"] === content ? native : { ...native, content }
}

const writeMedia = ({ kind, mediaType, source }: MediaBlock): Wire => {
  const rest = { ...(mediaType !== undefined && { mime_type: mediaType }), modality: kind === "file" ? "document" : kind }
  switch (source.type) {
    case "base64":
      return { type: "blob", ...rest, content: source.data }
    case "url":
      return { type: "uri", ...rest, uri: source.url }
    case "file":
      return { type: "file", ...rest, file_id: source.id }
  }
}

const writeContent = (block: ContentBlock): readonly Wire[] => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      return [say("text", block.text, native)]
    case "media":
      return [native ?? writeMedia(block)]
    case "opaque":
      if (native && block.kind !== "malformed") return [native]
      return block.text === "" ? [] : [{ type: "text", content: block.text }]
  }
}

/** An id that nobody said need not be said: calls and responses pair by order without it. */
const idOf = (call: CallBlock): { readonly id?: string } => (call.assigned === true || call.id === "" ? {} : { id: call.id })

const sameId = (native: Wire, { id }: { readonly id?: string }): boolean => idText(native["id"]) === (id ?? "")

const sameArguments = ({ arguments: given }: Wire, call: CallBlock): boolean => {
  if (call.fault !== undefined) return false
  if (typeof given === "string") return given === call.raw
  return given === call.arguments || ((given === undefined || given === null) && Object.keys(call.arguments).length === 0)
}

const writeCall = (call: CallBlock): Wire => {
  const native = nativeOf(call)
  const id = idOf(call)
  if (!native) return { type: "tool_call", ...id, name: call.name, arguments: call.arguments }
  const same = sameArguments(native, call)
  if (same && sameId(native, id) && native["name"] === call.name) return native
  return { ...native, ...id, name: call.name, ...(!same && { arguments: call.arguments }) }
}

/** Media makes a list of parts of a response; else it is text, or the value that text is the JSON of. */
const writeResponse = (result: ResultBlock): unknown => {
  const mark = errorMarkOf(result)
  if (result.content.every((block) => block.type === "text")) return mark + resultText(result)
  const parts = result.content.flatMap(writeContent)
  return mark === "" ? parts : [{ type: "text", content: mark }, ...parts]
}

const writeResult = (result: ResultBlock, call: CallBlock): Wire => {
  const native = nativeOf(result)
  const id = idOf(call)
  if (!native) return { type: "tool_call_response", ...id, response: writeResponse(result) }
  if (sameResult(readResult(native), result, format)) return sameId(native, id) ? native : { ...native, ...id }
  return { ...native, ...id, response: writeResponse(result) }
}

export const writePart = (block: Block): readonly Wire[] => {
  switch (block.type) {
    case "call":
      return [writeCall(block)]
    case "thinking":
      return block.text === "" && nativeOf(block) === undefined ? [] : [say("reasoning", block.text, nativeOf(block))]
    case "result":
      return []
    default:
      return writeContent(block)
  }
}

/** The wire message, whichever list it came in. */
const wireOf = (native: Wire | undefined): Wire | undefined => {
  if (!native || "role" in native) return native
  return asWire(native["output"])
}

const isOutput = (native: Wire | undefined): boolean => native !== undefined && !("role" in native) && "output" in native

interface Written {
  readonly wire: Wire
  readonly output: boolean
}

const withParts = (role: string, native: Wire | undefined, parts: readonly Wire[], name?: string): Written => {
  const wire = wireOf(native)
  const output = isOutput(native)
  if (!wire) return { wire: { role, ...(name !== undefined && { name }), parts }, output }
  return { wire: sameElements(parts, wire["parts"]) ? wire : { ...wire, role: wire["role"] === "tool" ? "tool" : role, parts }, output }
}

const writeMessage = (message: SystemMessage | UserMessage | AssistantMessage): readonly Written[] => {
  const native = nativeOf(message)
  const parts = message.blocks.flatMap(writePart)
  return parts.length === 0 ? [] : [withParts(message.role, native, parts, (message as Message).name)]
}

const carrierOf = (carrier: Native | undefined): Wire | undefined => asWire(carrier?.[format])

const writeExchange = (exchange: Exchange): readonly Written[] => {
  const out: Written[] = [...writeMessage(exchange.message)]
  const calls = callsOf(exchange)
  let open: { readonly native: Wire | undefined; readonly parts: Wire[] } | undefined
  const close = (): void => {
    if (open) out.push(withParts("tool", open.native, open.parts))
    open = undefined
  }
  exchange.outcomes.forEach(({ result, carrier }, index) => {
    const call = calls[index]
    if (!result || !call) return
    const native = carrierOf(carrier)
    if (open && wireOf(open.native) !== wireOf(native)) close()
    open ??= { native, parts: [] }
    open.parts.push(writeResult(result, call))
  })
  close()
  if (exchange.reply) pushAll(out, writeMessage(exchange.reply))
  return out
}

const writeItem = (item: Item): readonly Written[] => (item.role === "exchange" ? writeExchange(item) : writeMessage(item))

/** The system instructions, where the conversation still begins with them. */
const systemOf = ({ items }: Conversation): { readonly count: number; readonly value?: unknown } => {
  const [first] = items
  const native = first?.role === "system" ? nativeOf(first) : undefined
  if (first?.role !== "system" || !native || !("system" in native)) return { count: 0 }
  const { system } = native
  const parts = first.blocks.flatMap(writePart)
  const [only] = parts
  if (typeof system === "string" && parts.length === 1 && only?.["content"] === system) return { count: 1, value: system }
  return { count: 1, value: sameElements(parts, system) ? system : likeBefore(parts, system) }
}

const setOrOmit = (attributes: Record<string, unknown>, key: string, list: readonly unknown[], isNeeded: boolean): void => {
  const before = attributes[key]
  if (list.length === 0 && before === undefined && !isNeeded) return
  attributes[key] =
    sameElements(list, before) || (list.length === 0 && listOf(before).length === 0 && before !== undefined)
      ? before
      : likeBefore(list, before)
}

/** The schema of the standard allows fields of anybody in every message and part, so that none has to be left out. */
export const encode = (conversation: Conversation, _options: EncodeOptions = {}): Wire => {
  const body = nativeOf(conversation) ?? {}
  const { count, value: system } = systemOf(conversation)
  const input: Wire[] = []
  const output: Wire[] = []
  let isAnswer = false
  for (const item of count === 0 ? conversation.items : conversation.items.slice(count)) {
    for (const written of writeItem(item)) {
      if (written.output) isAnswer = true
      ;(isAnswer ? output : input).push(written.wire)
    }
  }
  const attributes: Record<string, unknown> = { ...attributesOf(body) }
  if (count > 0) attributes[systemKey] = system
  else if (listOf(attributes[systemKey]).length > 0) delete attributes[systemKey]
  setOrOmit(attributes, inputKey, input, output.length === 0)
  setOrOmit(attributes, outputKey, output, false)
  return isSpan(body) ? { ...body, attributes } : attributes
}
