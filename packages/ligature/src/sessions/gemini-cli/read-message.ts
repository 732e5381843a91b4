/**
 * One record → what was said with it. A record of the model holds its thoughts, its text, and each call together with
 * what became of it; records since 2026 may name a call among the parts of the text as well (its signature lies there),
 * which is the same call.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type Place,
  pushAll,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { readContentPart, readPart, type Reading } from "../../formats/gemini/read-part.ts"
import { type CallIds, nextCallId } from "../engine/call-id.ts"
import { listOf, stringOf } from "../engine/fields.ts"
import { format, partsOf } from "./fields.ts"

export interface Said {
  readonly role: "user" | "assistant"
  readonly blocks: readonly Block[]
  readonly results: readonly ResultBlock[]
  /** The record where its text, and the calls where their results, are not of this shape: they must be written anew. */
  readonly misshapen: ReadonlySet<Wire>
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

const readContent = (content: unknown, reading: Reading, place: Place): readonly Block[] => {
  const blocks: Block[] = []
  for (const part of partsOf(content)) {
    if (typeof part === "string") blocks.push({ type: "text", text: part })
    else for (const block of readPart(part, reading, place)) blocks.push(block)
  }
  return blocks
}

/** Notes the value of which something was found that is not of its shape. */
const noting = <Value>(wire: Wire, { diagnostics }: Reading, misshapen: Set<Wire>, read: () => Value): Value => {
  const before = diagnostics.length
  const value = read()
  if (diagnostics.length > before) misshapen.add(wire)
  return value
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

const deniedWords = ["User denied", "did not allow", "rejected"]

const isDenied = (call: Wire, content: readonly ContentBlock[]): boolean => {
  const [first] = content
  if (call["status"] !== "cancelled" || first?.type !== "text" || first.text.length > 400) return false
  return deniedWords.some((words) => first.text.includes(words))
}

const readResult = (call: Wire, id: string, reading: Reading, place: Place): ResultBlock | undefined => {
  const { result, status } = call
  if (result === undefined || result === null) return undefined
  const parts = partsOf(result)
  if (parts.length === 0 && openStatuses.has(status)) return undefined
  const own = ownResponse(parts, stringOf(call["id"]))
  const read = own === undefined ? undefined : readPart(own, reading, place).find((block) => block.type === "result")
  const first = parts.findIndex((part) => responseOf(part) !== undefined)
  const content: ContentBlock[] = read ? [...read.content] : []
  if (!read || parts[first] === own) {
    for (const part of parts) {
      if (responseOf(part)) continue
      if (typeof part === "string") content.push({ type: "text", text: part })
      else pushAll(content, readContentPart(part, reading, place))
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
    native: { ...read?.native, [format]: call },
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
 * The calls among the parts of the text: a call takes the one of its id, else the first without id that bears its name.
 */
class SpokenCalls {
  private readonly waiting = new Map<string, number[]>()

  constructor(blocks: readonly Block[]) {
    for (let index = blocks.length - 1; index >= 0; index--) {
      const block = blocks[index]
      if (block?.type !== "call") continue
      const key = block.id === "" ? `name ${block.name}` : `id ${block.id}`
      const list = this.waiting.get(key)
      if (list) list.push(index)
      else this.waiting.set(key, [index])
    }
  }

  take(call: CallBlock): number {
    const byId = this.waiting.get(`id ${call.providerId ?? call.id}`)?.pop()
    return byId ?? this.waiting.get(`name ${call.name}`)?.pop() ?? -1
  }
}

const readModel = (wire: Wire, reading: Reading, ids: CallIds, place: Place): Said => {
  const blocks: Block[] = []
  for (const thought of listOf(wire["thoughts"])) {
    const block = readThought(thought)
    if (block) blocks.push(block)
  }
  const misshapen = new Set<Wire>()
  const content = noting(wire, reading, misshapen, () => readContent(wire["content"], reading, place))
  const spoken = new SpokenCalls(content)
  const calls: CallBlock[] = []
  const results: ResultBlock[] = []
  const found = new Map<number, CallBlock>()
  for (const toolCall of listOf(wire["toolCalls"])) {
    if (!isWire(toolCall)) continue
    const isOpen = toolCall["result"] === undefined || toolCall["result"] === null
    const id = nextCallId(stringOf(toolCall["id"]), isOpen, ids)
    const call = readCall(toolCall, id)
    const result = noting(toolCall, reading, misshapen, () => readResult(toolCall, call.id, reading, place))
    if (result) results.push(result)
    const index = spoken.take(call)
    if (index < 0) calls.push(call)
    else found.set(index, { ...call, native: { ...content[index]?.native, ...call.native } })
  }
  content.forEach((block, index) => blocks.push(found.get(index) ?? block))
  for (const call of calls) blocks.push(call)
  return { role: "assistant", blocks, results, misshapen }
}

const readUser = (wire: Wire, reading: Reading, place: Place): Said => {
  const misshapen = new Set<Wire>()
  const blocks = noting(wire, reading, misshapen, () => readContent(wire["content"], reading, place))
  return { role: "user", blocks, results: [], misshapen }
}

export const readMessage = (wire: Wire, reading: Reading, ids: CallIds, place: Place): Said =>
  wire["type"] === "user" ? readUser(wire, reading, place) : readModel(wire, reading, ids, place)

/** How many calls of these records bear each id. */
export const countIds = (wires: Iterable<Wire>): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const wire of wires) {
    if (wire["type"] !== "gemini") continue
    for (const call of listOf(wire["toolCalls"])) {
      const id = isWire(call) ? stringOf(call["id"]) : ""
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}
