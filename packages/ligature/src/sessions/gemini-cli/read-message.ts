/**
 * One record → its blocks, and the results of its calls. A record of the model has its thoughts, its text, and each call
 * together with its result; records since 2026 may have a call among the parts of the text as well (with its signature),
 * which is the same call.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  pushAll,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
  withFields,
} from "../../model/index.ts"
import { readContentPart, type Reading, readPart } from "../../formats/gemini/read-blocks.ts"
import { type CallIds, nextCallId } from "../engine/call-id.ts"
import { listOf, stringOf } from "../engine/fields.ts"
import { partsOf } from "./history.ts"

export const format = "gemini-cli"

export interface Said {
  readonly blocks: readonly Block[]
  readonly results: readonly ResultBlock[]
}

const openStatuses: ReadonlyMap<unknown, "approval" | "running"> = new Map([
  ["awaiting_approval", "approval"],
  ["validating", "running"],
  ["scheduled", "running"],
  ["executing", "running"],
])

export const readThought = (thought: unknown): ThinkingBlock | undefined => {
  if (!isWire(thought)) return undefined
  const subject = stringOf(thought["subject"])
  const description = stringOf(thought["description"])
  if (subject.trim() === "" && description.trim() === "") return undefined
  const text = subject === "" ? description : `**${subject}**\n${description}`
  return { type: "thinking", text, native: { [format]: thought } }
}

export const readContent = (content: unknown, reading: Reading): readonly Block[] => {
  const blocks: Block[] = []
  for (const part of partsOf(content)) {
    if (typeof part === "string") blocks.push({ type: "text", text: part })
    else for (const block of readPart(part, reading, {})) blocks.push(block)
  }
  return blocks
}

/** Texts of the user that the agent takes for commands or for notices of its own: it never sends them to a model. */
const isIgnored = (text: string): boolean => /^\s*(?:[/?]|<(?:session|hook)_context>)/.test(text)

const mark = "\u2060"
const marked = /^\u2060+(?=\s*(?:[/?]|<(?:session|hook)_context>))/

/** A word joiner (invisible, without width) before such a text: then it is sent. Taken back when the record is read. */
export const withMark = (blocks: readonly Block[]): readonly Block[] => {
  const [first, ...others] = blocks
  if (first?.type !== "text" || !(isIgnored(first.text) || marked.test(first.text))) return blocks
  return [{ ...first, text: mark + first.text }, ...others]
}

const withoutMark = (blocks: readonly Block[]): readonly Block[] => {
  const [first, ...others] = blocks
  if (first?.type !== "text" || !marked.test(first.text)) return blocks
  return [{ ...first, text: first.text.slice(mark.length) }, ...others]
}

export const responseOf = (part: unknown): Wire | undefined => {
  const held = isWire(part) ? (part["functionResponse"] ?? part["function_response"]) : undefined
  return isWire(held) ? held : undefined
}

/**
 * The part that answers this call. A result may list the answers of its neighbours as well, since it is a copy of a
 * turn.
 */
export const ownResponse = (parts: readonly unknown[], id: string): unknown => {
  let first: unknown
  for (const part of parts) {
    const held = responseOf(part)
    if (!held) continue
    if (held["id"] === id) return part
    first ??= part
  }
  return first
}

/**
 * Parts in the results of calls that another call has as its own answer, or that are there twice. Versions of 2026 write the
 * answers of a whole turn into the result of each of its calls when they resume a session, and send all of them the next time.
 */
export const copiesIn = (toolCalls: unknown): ReadonlySet<unknown> => {
  const calls = listOf(toolCalls).filter(isWire)
  const own = new Map<unknown, unknown>()
  for (const { id, result } of calls) {
    const part = partsOf(result).find((each) => responseOf(each)?.["id"] === id)
    if (typeof id === "string" && part !== undefined) own.set(id, part)
  }
  const copies = new Set<unknown>()
  for (const { result } of calls) {
    for (const part of partsOf(result)) {
      const id = responseOf(part)?.["id"]
      if (own.has(id) && own.get(id) !== part) copies.add(part)
    }
  }
  return copies
}

const deniedWords = ["User denied", "did not allow", "rejected"]

const isDenied = (call: Wire, content: readonly ContentBlock[]): boolean => {
  const [first] = content
  if (call["status"] !== "cancelled" || first?.type !== "text" || first.text.length > 400) return false
  return deniedWords.some((words) => first.text.includes(words))
}

const readResult = (call: Wire, id: string, reading: Reading): ResultBlock | undefined => {
  const { result, status } = call
  if (result === undefined || result === null) return undefined
  const parts = partsOf(result)
  if (parts.length === 0 && openStatuses.has(status)) return undefined
  const own = ownResponse(parts, stringOf(call["id"]))
  const read = own === undefined ? undefined : readPart(own, reading, {}).find((block) => block.type === "result")
  const first = parts.findIndex((part) => responseOf(part) !== undefined)
  const content: ContentBlock[] = read ? [...read.content] : []
  if (!read || parts[first] === own) {
    for (const part of parts) {
      if (responseOf(part)) continue
      if (typeof part === "string") content.push({ type: "text", text: part })
      else pushAll(content, readContentPart(part, reading, {}))
    }
  }
  const failed = status === "error" || status === "cancelled" || read?.error === true
  return {
    type: "result",
    callId: id,
    name: stringOf(call["name"]),
    ...readResultContent(content, { errorMark: false }),
    ...(failed && { error: true as const }),
    ...(isDenied(call, content) && { denied: true as const }),
    native: withFields(read?.native, { [format]: call }),
  }
}

const readCall = (wire: Wire, id: Pick<CallBlock, "id">): CallBlock => {
  const pending = openStatuses.get(wire["status"])
  const args = wire["args"]
  return {
    type: "call",
    ...id,
    name: stringOf(wire["name"]),
    ...(args === undefined || args === null ? { arguments: {} } : readArgumentsObject(args)),
    ...(pending && wire["result"] == null && { pending }),
    native: { [format]: wire },
  }
}

/**
 * The calls among the parts of the text: a call takes the one of its id, else the first without id that has its name.
 */
class SpokenCalls {
  readonly #waiting = new Map<string, number[]>()

  constructor(blocks: readonly Block[]) {
    for (let index = blocks.length - 1; index >= 0; index--) {
      const block = blocks[index]
      if (block?.type !== "call") continue
      const key = block.id === "" ? `name ${block.name}` : `id ${block.id}`
      const list = this.#waiting.get(key)
      if (list) list.push(index)
      else this.#waiting.set(key, [index])
    }
  }

  take(call: CallBlock): number {
    const byId = this.#waiting.get(`id ${call.providerId ?? call.id}`)?.pop()
    return byId ?? this.#waiting.get(`name ${call.name}`)?.pop() ?? -1
  }
}

export const readMessage = (wire: Wire, reading: Reading, ids: CallIds): Said => {
  const content = readContent(wire["content"], reading)
  if (wire["type"] === "user") return { blocks: withoutMark(content), results: [] }
  const spoken = new SpokenCalls(content)
  const calls: CallBlock[] = []
  const results: ResultBlock[] = []
  const found = new Map<number, CallBlock>()
  for (const toolCall of listOf(wire["toolCalls"])) {
    if (!isWire(toolCall)) continue
    const isOpen = toolCall["result"] === undefined || toolCall["result"] === null
    const call = readCall(toolCall, nextCallId(stringOf(toolCall["id"]), isOpen, ids))
    const result = readResult(toolCall, call.id, reading)
    if (result) results.push(result)
    const index = spoken.take(call)
    if (index < 0) calls.push(call)
    else found.set(index, { ...call, native: { ...content[index]?.native, ...call.native } })
  }
  const thoughts = listOf(wire["thoughts"]).flatMap((thought) => readThought(thought) ?? [])
  return { blocks: [...thoughts, ...content.map((block, index) => found.get(index) ?? block), ...calls], results }
}

/** How many calls of these records have each id. */
export const countIds = (records: readonly unknown[]): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const record of records) {
    for (const call of isWire(record) && record["type"] === "gemini" ? listOf(record["toolCalls"]) : []) {
      const id = isWire(call) ? stringOf(call["id"]) : ""
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}
