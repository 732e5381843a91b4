/**
 * Messages as they are stored: without the wire values that our blocks say as well, which are two thirds of the bytes. An
 * answer keeps those without which it would be written differently for the provider it came from: signatures, ids of items.
 */
import { type Block, encode, type Message, settle } from "ligature"

const withoutNative = <Value extends { readonly native?: unknown }>(value: Value): Omit<Value, "native"> => {
  const { native: _, ...rest } = value
  return rest
}

const leanBlock = (block: Block): Block =>
  block.type === "text" || block.type === "call" || block.type === "result" ? (withoutNative(block) as Block) : block

const textOf = (message: Message, wire: string): string | undefined => {
  try {
    const { conversation } = settle({ format: wire, messages: [message], ids: "optional" }, { tip: "open" })
    return JSON.stringify(encode(conversation, wire as Parameters<typeof encode>[1]).value)
  } catch {
    return undefined
  }
}

/** What was said to the model comes again with every request, so that its wire values are not needed. */
export const leanMessage = (message: Message): Message => {
  const { line: _, ...rest } = withoutNative(message) as Message
  return { ...rest, blocks: message.blocks.map(leanBlock) }
}

/** `wire`: of the provider that wrote it. */
export const leanAnswer = (message: Message, wire: string): Message => {
  const whole = textOf(message, wire)
  if (whole === undefined) return message
  const blocks = withoutNative(message) as Message
  for (const each of [{ ...blocks, blocks: message.blocks.map(leanBlock) }, blocks]) if (textOf(each, wire) === whole) return each
  return message
}

const replaced = (text: string, patterns: readonly RegExp[]): string => {
  let changed = text
  for (const pattern of patterns) changed = changed.replace(pattern, "[redacted]")
  return changed
}

/** Every text of a value, wire values included. */
const redactedValue = (value: unknown, patterns: readonly RegExp[]): unknown => {
  if (typeof value === "string") return replaced(value, patterns)
  if (Array.isArray(value)) return value.map((each) => redactedValue(each, patterns))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactedValue(each, patterns)]))
}

export const redacted = <Value>(value: Value, patterns: readonly RegExp[]): Value =>
  patterns.length === 0 ? value : (redactedValue(value, patterns) as Value)
