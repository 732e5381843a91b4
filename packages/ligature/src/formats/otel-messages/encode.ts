/**
 * Conversation → messages of a span. Everything is input, except what came as output and what follows it. Results go back
 * into the messages that carried them; those of another format share one message per exchange.
 */
import {
  type AssistantMessage,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type Item,
  type Message,
  type Native,
  pushAll,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { attributesOf, format, inputKey, isSpan, likeBefore, listOf, nativeOf, outputKey, systemKey } from "./format.ts"
import { writePart, writeResult } from "./write-part.ts"

/** The wire message, whichever list it came in. */
const wireOf = (native: Wire | undefined): Wire | undefined => {
  if (!native || "role" in native) return native
  return isWire(native["output"]) ? native["output"] : undefined
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

const carrierOf = (carrier: Native | undefined): Wire | undefined => {
  const native = carrier?.[format]
  return isWire(native) ? native : undefined
}

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
  attributes[key] = sameElements(list, before) || (list.length === 0 && listOf(before).length === 0 && before !== undefined) ? before : likeBefore(list, before)
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
