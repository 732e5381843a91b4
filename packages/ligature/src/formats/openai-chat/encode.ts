/** Conversation → Chat Completions. Every message and every result is a wire message of its own; none are merged. */
import {
  callsOf,
  type Conversation,
  type Exchange,
  type Item,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../engine/codec.ts"
import { allowed } from "./allowed.ts"
import { nativeWireOf, saysCalls, withoutCalls } from "./native.ts"
import { writeAssistant } from "./write-assistant.ts"
import { isLegacyCall } from "./write-call.ts"
import { writeContent } from "./write-content.ts"
import { writeResult } from "./write-result.ts"

/** `developer` is the system role of newer models: a message that came with it keeps it, where the server knows it. */
const roleOf = (message: SystemMessage | UserMessage, native: Wire | undefined, options: EncodeOptions): string => {
  const developer = message.role === "system" && native?.["role"] === "developer" && options.developerRole !== "system"
  return developer ? "developer" : message.role
}

/** Undefined where nothing is left to say. */
const writeSpoken = (message: SystemMessage | UserMessage, options: EncodeOptions): Wire | undefined => {
  const native = nativeWireOf(message)
  const role = roleOf(message, native, options)
  const content = writeContent(message.blocks, native?.["content"], role, options)
  if (content === undefined) return undefined
  const { name } = message
  if (!native) return name === undefined ? { role, content } : { role, name, content }
  const calls = saysCalls(native)
  const sameName = name === undefined ? typeof native["name"] !== "string" : native["name"] === name
  if (native["role"] === role && native["content"] === content && sameName && !calls) return native
  return { ...(calls ? withoutCalls(native) : native), role, content, ...(name !== undefined && { name }) }
}

const envelope = (conversation: Conversation, stripping: boolean): Wire => {
  const native = nativeWireOf(conversation) ?? {}
  return stripping ? allowed.body(native) : native
}

/** A conversation out of a store has no envelope, but may hold messages that were recorded in this format. */
const isFromHere = (conversation: Conversation): boolean =>
  nativeWireOf(conversation) !== undefined ||
  conversation.items.some((item) => {
    if (item.role !== "exchange") return nativeWireOf(item) !== undefined
    return nativeWireOf(item.message) !== undefined || item.outcomes.some(({ result }) => result && nativeWireOf(result) !== undefined)
  })

const isLegacy = (exchange: Exchange): boolean => {
  const [only, ...others] = callsOf(exchange)
  return only !== undefined && others.length === 0 && isLegacyCall(only, nativeWireOf(exchange.message))
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const messages: Wire[] = []
  // What is written here from scratch has no field that would have to go, but for names that not every server knows.
  const cleaning = stripping && (isFromHere(conversation) || options.objectArguments === true)
  const push = (message: Wire | undefined): void => {
    if (message) messages.push(cleaning ? allowed.message(message, options.objectArguments !== true) : message)
  }
  /** The style of old lasts until the first call that cannot be said in it: what follows needs ids as well. */
  let old = !stripping
  const { items } = conversation
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item
    if (item.role !== "exchange") {
      push(writeSpoken(item, options))
      continue
    }
    const { message, outcomes, reply } = item
    if (old && outcomes.length > 0) old = isLegacy(item)
    push(writeAssistant(message, old, options))
    let ordinal = 0
    for (let index = 0; index < message.blocks.length; index++) {
      const block = message.blocks[index]
      if (block?.type !== "call") continue
      const result = outcomes[ordinal++]?.result
      if (result) push(writeResult(result, block, old, options))
    }
    if (reply) push(writeAssistant(reply, false, options))
  }
  return { ...envelope(conversation, stripping), messages }
}
