/**
 * Conversation → chat. One that came from this format gives its value back with as little changed as possible; a
 * foreign one becomes a chat with one stored message for each of the user's and one for everything the assistant did
 * after it.
 */
import { asWord, type Conversation, isWire, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { putBack, type Spoken } from "../engine/put-back.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { epoch, millisecondsOf } from "../engine/iso-time.ts"
import { type ChatReading, format } from "./format.ts"
import { putIntoValue, withSystem } from "./put-chat.ts"
import { regroup } from "./regroup.ts"
import { newStored, rewriteStored } from "./write-message.ts"

const unknownModel = "unknown"

const writeBack = (conversation: Conversation, reading: ChatReading): Wire => {
  const spoken: Spoken[] = []
  const model = conversation.origin?.model ?? unknownModel
  for (const group of regroup(conversation)) {
    const last = spoken.at(-1)?.record
    if (group.turn) spoken.push({ record: rewriteStored(group, group.turn), from: group.turn.stored })
    else {
      const id = deriveUuid(format, asWord(last?.["id"]), asWord(spoken.length))
      const timestamp = typeof last?.["timestamp"] === "number" ? last["timestamp"] : 0
      spoken.push({ record: newStored(group, { id, parentId: null, timestamp }, model) })
    }
  }
  const nodes = putBack(reading, spoken)
  const value = nodes === reading.records ? reading.value : putIntoValue(reading.value, reading.records, nodes)
  return withPrompt(value, conversation) as Wire
}

/** The prompt of the chat, where a repair changed its words. */
const withPrompt = (value: unknown, { items: [first] }: Conversation): unknown => {
  const native = first?.role === "system" ? first.native?.[format] : undefined
  const before = isWire(native) ? native["system"] : undefined
  const words = first?.role === "system" ? first.blocks.map((block) => (block.type === "text" ? block.text : "")).join("") : ""
  return typeof before === "string" && words !== before ? withSystem(value, before, words) : value
}

/** The system prompt of a chat is one of its parameters. */
const leadingSystem = (conversation: Conversation): string => {
  const words: string[] = []
  for (const item of conversation.items) {
    if (item.role !== "system") break
    for (const block of item.blocks) if (block.type !== "media") words.push(block.text)
  }
  return words.join("\n\n")
}

const withoutLeadingSystem = (conversation: Conversation): Conversation => {
  const first = conversation.items.findIndex((item) => item.role !== "system")
  return first <= 0 ? conversation : { ...conversation, items: conversation.items.slice(first) }
}

const newChat = (conversation: Conversation, options: EncodeOptions): Wire => {
  const {
    id = deriveUuid(format, conversationSeed(conversation)),
    startedAt = epoch,
    title = "New Chat",
  } = options.session ?? {}
  const seconds = Math.floor((millisecondsOf(startedAt) ?? 0) / 1000)
  const system = leadingSystem(conversation)
  const model = conversation.origin?.model ?? unknownModel
  const nodes: Wire[] = []
  for (const group of regroup(system === "" ? conversation : withoutLeadingSystem(conversation))) {
    const parentId = (nodes.at(-1)?.["id"] as string | undefined) ?? null
    const head = { id: deriveUuid(format, id, asWord(nodes.length)), parentId, timestamp: seconds + nodes.length }
    nodes.push(newStored(group, head, model))
  }
  const linked = nodes.map((node, index) => {
    const next = nodes[index + 1]
    return next ? { ...node, childrenIds: [next["id"]] } : node
  })
  const history = {
    messages: Object.fromEntries(linked.map((node) => [node["id"], node])),
    currentId: linked.at(-1)?.["id"] ?? null,
  }
  const params = system === "" ? {} : { system }
  const chat = {
    id: "",
    title,
    models: [model],
    params,
    history,
    messages: linked,
    tags: [],
    timestamp: seconds * 1000,
    files: [],
  }
  return { id, title, chat, created_at: seconds, updated_at: seconds + Math.max(0, nodes.length - 1) }
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) return newChat(conversation, options)
  return writeBack(conversation, native as unknown as ChatReading)
}
