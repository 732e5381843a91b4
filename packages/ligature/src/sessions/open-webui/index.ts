/**
 * Chats of Open WebUI, as it exports them: an export is a list of chats; a chat has the tree of its messages by id, the message
 * it goes on from, and a copy of the path to it. One stored message of the assistant may hold several rounds of calls and
 * results, as cards inside of its content or as items of its output.
 *
 * The default view is whole; `effective` begins with the last summary of the context, where the chat has one.
 */
import { asWord, type Block, type Diagnostic, isWire, phrase, type ResultBlock, type Role, text, type Wire } from "../../model/index.ts"
import { declareHomes, sameElements } from "../../formats/engine/codec.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { readUrl } from "../../formats/engine/media.ts"
import { anomaly } from "../engine/anomaly.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { listOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { isoOf, millisecondsOf } from "../engine/iso-time.ts"
import type { RecordMessage, RecordReading, SessionFacts, SessionFormat } from "../engine/session-format.ts"
import { format, readCard, readCode, readReasoning } from "./cards.ts"
import { hasItems, readItem } from "./output-items.ts"
import { chatOf, entryOf, goingOnFrom, keyedById, nodesOf, putIntoValue, withPrompt } from "./put-chat.ts"
import { type Segment, splitContent } from "./segments.ts"
import { writeStored } from "./write-message.ts"

const native = (wire: unknown) => ({ [format]: wire })

const readPart = (part: unknown): Block => {
  if (!isWire(part)) return malformedBlock(format, part)
  if (typeof part["text"] === "string") return { type: "text", text: part["text"], native: native(part) }
  const image = part["image_url"]
  const url = isWire(image) ? image["url"] : image
  if (typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native: native(part) }
  return malformedBlock(format, part)
}

const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

/** Pictures are beside the text; other files went into the prompt by ways that leave no trace here. */
const readFiles = (files: unknown): readonly Block[] =>
  listOf(files).flatMap((file): readonly Block[] => {
    if (!isWire(file) || file["type"] !== "image" || typeof file["url"] !== "string") return []
    return [{ type: "media", kind: "image", ...readUrl(file["url"]), native: native(file) }]
  })

/** One text that is the whole content is the content; between cards the blank lines around it mean nothing. */
const readSegment = (segment: Segment, isAlone: boolean): Block | undefined => {
  if (segment.kind !== "text") return segment.kind === "reasoning" ? readReasoning(segment) : readCode(segment)
  return isAlone ? text(segment.source) : { type: "text", text: segment.source.trim(), native: native(segment) }
}

/** Cards that follow each other are calls of one round. */
const readSegments = (content: string): readonly Block[] => {
  const segments = splitContent(content)
  const blocks: Block[] = []
  let results: ResultBlock[] = []
  const endRound = (): void => {
    for (const result of results) blocks.push(result)
    results = []
  }
  for (const segment of segments) {
    if (segment.kind === "tool_calls") {
      const { call, result } = readCard(segment)
      blocks.push(call)
      if (result) results.push(result)
      continue
    }
    endRound()
    const block = readSegment(segment, segments.length === 1)
    if (block) blocks.push(block)
  }
  endRound()
  return blocks
}

const readAssistant = (stored: Wire): readonly Block[] => {
  const items = hasItems(stored) ? listOf(stored["output"]).flatMap((wire) => readItem(wire) ?? []) : []
  if (items.length > 0) return items
  const { content } = stored
  return typeof content === "string" ? readSegments(content) : readContent(content)
}

/** Runs of results and runs of other blocks, each a message. */
const inRounds = (blocks: readonly Block[]): readonly RecordMessage[] => {
  const messages: { readonly role: Role; readonly blocks: Block[] }[] = []
  for (const block of blocks) {
    const role = block.type === "result" ? "tool" : "assistant"
    const last = messages.at(-1)
    if (last?.role === role) last.blocks.push(block)
    else messages.push({ role, blocks: [block] })
  }
  return messages
}

const readMessages = (stored: Wire): readonly RecordMessage[] | undefined => {
  const { role, model, content, files } = stored
  if (role === "user" || role === "system") return [{ role, blocks: [...readContent(content), ...readFiles(files)] }]
  if (role !== "assistant") return undefined
  const origin = typeof model === "string" && { origin: { model } }
  return inRounds(readAssistant(stored)).map((message) => ({ ...message, ...(message.role === "assistant" && origin) }))
}

/** A summary of everything before this message. */
const summaryOf = (stored: Wire): string | undefined => {
  const summary = textOf(stored["contextSummary"]) ?? textOf(stored["context_summary"])
  return summary?.trim() === "" ? undefined : summary
}

/** One that says nothing is a place kept for an answer that never came. */
const read = (stored: Wire): RecordReading => {
  const messages = readMessages(stored)?.filter(({ blocks }) => blocks.length > 0)
  if (!messages) return { findings: [{ kind: "malformed-record", what: "Expected a message of the user or the assistant" }] }
  const id = textAt(stored, "id")
  const named = id === undefined ? messages : messages.map((message) => ({ ...message, id }))
  const summary = summaryOf(stored)
  const isCut = messages.length > 0 && stored["role"] === "assistant" && stored["done"] === false
  return {
    messages: summary === undefined ? named : [{ role: "user", blocks: [text(summary)], summary: true }, ...named],
    ...(summary !== undefined && { compaction: { kind: "summary", summary } }),
    ...(isCut && { findings: [{ kind: "stream-cut", what: "The answer was not done when the chat was stored" }] }),
  }
}

/** Messages whose parent is not in the chat, and the message that lists each as its child. */
const adoptedIn = (value: unknown): ReadonlyMap<unknown, string> => {
  const { nodes } = nodesOf(chatOf(entryOf(value)))
  const ids = new Set(nodes.map((node) => wireOf(node)["id"]))
  const listed = new Map<unknown, string>()
  for (const node of nodes) {
    const { id, childrenIds } = wireOf(node)
    if (typeof id === "string") for (const child of listOf(childrenIds)) if (!listed.has(child)) listed.set(child, id)
  }
  const lost = nodes.filter((node) => isWire(node) && node["parentId"] !== null && !ids.has(node["parentId"]))
  return new Map(
    lost.flatMap((node) => {
      const id = wireOf(node)["id"]
      const parent = listed.get(id)
      return parent === undefined ? [] : [[id, parent] as const]
    }),
  )
}

/**
 * The chat with messages that say the id they are stored under, which is what others name, and the parent that lists them where
 * theirs is not in the chat; and with a message in it to go on from.
 */
const prepare = (given: unknown): ReturnType<NonNullable<SessionFormat["prepare"]>> => {
  const diagnostics: Diagnostic[] = []
  let value = given
  const { keys = [], nodes } = nodesOf(chatOf(entryOf(value)))
  const strange = keys.filter((key, index) => isWire(nodes[index]) && wireOf(nodes[index])["id"] !== key)
  if (strange.length > 0) {
    const what = `${strange.length} messages have another id than the one they are stored under`
    diagnostics.push(anomaly("missing-record-id", {}, what, strange))
    value = keyedById(value)
  }
  const adopted = adoptedIn(value)
  for (const [id] of adopted) {
    const what = `Message ${asWord(id)} is listed as a child, but names another parent, which is not in the chat`
    diagnostics.push(anomaly("dangling-parent", { path: `history.messages.${asWord(id)}` }, what, [asWord(id)]))
  }
  if (adopted.size > 0) {
    const before = nodesOf(chatOf(entryOf(value))).nodes
    const linked = before.map((node) => {
      const parentId = isWire(node) ? adopted.get(node["id"]) : undefined
      return parentId === undefined ? node : { ...wireOf(node), parentId }
    })
    value = putIntoValue(value, before, linked)
  }
  const { nodes: named, history } = nodesOf(chatOf(entryOf(value)))
  const currentId = history?.["currentId"]
  const last = named.findLast(isWire)
  const isKnown = textOf(currentId) !== undefined && named.some((node) => wireOf(node)["id"] === currentId)
  if (history && last && !isKnown && currentId !== last["id"]) {
    const what = `The current message of the chat is ${JSON.stringify(currentId)}, which is not in it`
    diagnostics.push({ ...anomaly("dangling-parent", {}, what), repair: { kind: "safe", what: "set it to the last message" } })
    value = goingOnFrom(value, asWord(last["id"]))
  }
  if (Array.isArray(given) && given.length > 1) {
    diagnostics.push(anomaly("missing-context", {}, `The export holds ${given.length} chats: the first is read`))
  }
  return { value, diagnostics }
}

/** The prompt set for this chat. It is no message of the tree. */
const promptOf = (value: unknown): string | undefined => {
  const chat = chatOf(entryOf(value))
  const prompt = textOf(wireOf(chat["params"])["system"]) ?? textOf(chat["system"])
  return prompt?.trim() === "" ? undefined : prompt
}

const newChat = ([header, ...nodes]: readonly unknown[]): Wire => {
  const { chatId: id, title, system, seconds, model } = wireOf(header)
  const created = typeof seconds === "number" ? seconds : 0
  const linked = nodes.map((node, index) =>
    index + 1 < nodes.length ? { ...wireOf(node), childrenIds: [wireOf(nodes[index + 1])["id"]] } : wireOf(node),
  )
  const history = { messages: Object.fromEntries(linked.map((node) => [node["id"], node])), currentId: linked.at(-1)?.["id"] ?? null }
  const params = system === "" ? {} : { system }
  const chat = { id: "", title, models: [model], params, history, messages: linked, tags: [], timestamp: created * 1000, files: [] }
  return { id, title, chat, created_at: created, updated_at: created + Math.max(0, nodes.length - 1) }
}

const about = (value: unknown): SessionFacts => {
  const entry = entryOf(value)
  const chat = chatOf(entry)
  const { created_at: seconds } = entry
  const { timestamp } = chat
  // Seconds in rows, milliseconds in chats.
  const started = typeof seconds === "number" ? seconds * 1000 : timestamp
  const isNamed = nodesOf(chat).nodes.some((node) => wireOf(node)["role"] === "assistant" && textOf(wireOf(node)["model"]) !== undefined)
  return {
    id: textOf(entry["id"]) ?? textOf(chat["id"]),
    title: textOf(entry["title"]) ?? textOf(chat["title"]),
    startedAt: typeof started === "number" && Number.isSafeInteger(started) ? isoOf(started) : undefined,
    ...(!isNamed && { model: textOf(listOf(chat["models"])[0]) }),
  }
}

/** A chat: the tree of its messages, whose nodes list their children. */
const isChat = (value: unknown): value is Wire => {
  if (!isWire(value)) return false
  const { nodes, history } = nodesOf(chatOf(value))
  if (history && "currentId" in history) return true
  return nodes.some((node) => isWire(node) && Array.isArray(node["childrenIds"]) && "parentId" in node)
}

export const openWebui = defineSession({
  format,
  title: "Open WebUI chat",
  agent: "Open WebUI",
  sources:
    "open-webui/open-webui backend/open_webui/models/chats.py and utils/misc.py (July 2026); exports in yetanotherchris/openwebui-importer",
  aliases: ["openwebui"],
  capabilities: declareHomes({
    native: [
      "empty-result",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "raw-arguments",
      "call-id",
      "item-id",
      "system-in-the-middle",
    ],
    convention: ["result-error"],
  }),
  layout: "value",
  pathOf: (stored, index) => `history.messages.${textAt(stored, "id") ?? index}`,
  view: "whole",
  prepare,
  records: (value) => nodesOf(chatOf(entryOf(value))).nodes,
  wrap: (value, records) => {
    if (value === undefined) return newChat(records)
    const before = nodesOf(chatOf(entryOf(value))).nodes
    return (sameElements(records, before) ? value : putIntoValue(value, before, records)) as Wire
  },
  system: { read: promptOf, write: (value, words, before) => withPrompt(value, before, words) as Wire },
  links: {
    id: "id",
    parent: "parentId",
    content: (stored) => [stored],
    newId: (...seed) => deriveUuid(format, ...seed),
    tip: (value) => textOf(nodesOf(chatOf(entryOf(value))).history?.["currentId"]),
  },
  read,
  effective: (path) =>
    path.slice(
      Math.max(
        0,
        path.findLastIndex(({ reading }) => reading.compaction !== undefined),
      ),
    ),
  write: writeStored,
  results: "with-call",
  answers: "joined",
  header: ({ session: { id, title = "New Chat", startedAt }, system, origin }) => [
    { chatId: id, title, system, seconds: Math.floor((millisecondsOf(startedAt ?? "") ?? 0) / 1000), model: origin?.model ?? "unknown" },
  ],
  writes: "own",
  facts: ({ role, model }) => (role === "assistant" ? { model: textOf(model) } : {}),
  about,
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it has a chat as a tree of messages with the one it goes on from",
      isOn: (value) => (Array.isArray(value) ? value.slice(0, 8) : [value]).some(isChat),
    },
  ],
  sessionsIn: (root) => {
    if (!Array.isArray(root)) return isChat(root) ? [{ path: [], value: root }] : []
    return root.flatMap((value: unknown, index) => (isChat(value) ? [{ path: [index], value }] : []))
  },
  place: () => ({
    path: () => "chat-export.json",
    resume: () => "Settings, Data Controls, Import Chats",
    note: phrase`the file can be anywhere; a single chat must be in a list, […], to be imported`,
  }),
})
