/** Messages → one record: the one they came from, with what changed in it, or a new one. */
import { hasMalformed } from "../../formats/engine/message-list.ts"
import { type Block, type CallBlock, outcomeKind, type ResultBlock, resultText, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { isWire } from "../../model/index.ts"
import { newReading } from "../../formats/gemini/read-blocks.ts"
import { writePart, writeResult } from "../../formats/gemini/write-blocks.ts"
import { listOf, nativeIn } from "../engine/fields.ts"
import { patchList } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { copiesIn, format, readContent, readThought, responseOf, withMark } from "./read-message.ts"

const hasPart = (block: Block): boolean => isWire(block.native?.["gemini"])

/** Thoughts and calls have fields of their own, unless they came as parts of the text. */
const isContent = (block: Block): boolean => {
  if (block.type === "call") return hasPart(block)
  if (block.type !== "thinking") return true
  return hasPart(block) || (block.text === "" && block.signature !== undefined)
}

/** What could not be read is written as the text it was shown as, or it would stay damaged. */
/** What a record said before, as far as it may stay as it is. */
class Before {
  readonly #blocks: ReadonlySet<Block>
  readonly #results: ReadonlyMap<unknown, ResultBlock>
  /** Results that the record has twice; undefined for a new record. */
  readonly copies: ReadonlySet<unknown> | undefined

  constructor(messages: readonly RecordMessage[], like: Wire | undefined) {
    this.copies = like && copiesIn(like["toolCalls"])
    const blocks = messages.flatMap((message) => message.blocks)
    this.#blocks = new Set(blocks.filter((block) => !hasMalformed(block)))
    this.#results = new Map(blocks.flatMap((block) => (block.type === "result" ? [[nativeIn(block, format), block] as const] : [])))
  }

  has(block: Block): boolean {
    return this.#blocks.has(block)
  }

  resultOf(native: Wire): ResultBlock | undefined {
    return this.#results.get(native)
  }
}

const partOf = (block: Block): Wire | undefined =>
  block.type === "result" ? writeResult(block, { type: "call", id: block.callId, name: block.name ?? "", arguments: {} }) : writePart(block)

/** The content as it came where nothing in it changed; a single string stays a string. */
const writeContent = (blocks: readonly Block[], like: Wire | undefined, role: "user" | "assistant", before: Before): unknown => {
  const given = like?.["content"]
  if (like && blocks.every((block) => before.has(block)) && readContent(given, newReading()).length === blocks.length) return given
  const [only] = blocks
  const isPlain = blocks.length === 1 && only?.type === "text" && !hasPart(only)
  if (isPlain && (typeof given === "string" || (role === "assistant" && given === undefined))) return only.text
  if (blocks.length === 0 && (given === undefined || typeof given === "string")) return ""
  return patchList(
    given,
    blocks.flatMap((block) => partOf(block) ?? []),
  )
}

const statuses = {
  done: "success",
  failed: "error",
  "not-run": "cancelled",
  interrupted: "error",
  lost: "error",
} as const

const statusOf = (call: CallBlock, result: ResultBlock | undefined): string => {
  if (result) return statuses[outcomeKind(result)]
  return call.pending === "approval" ? "awaiting_approval" : "executing"
}

/** The agent sends a call with the id of its record, so the part that answers it needs that id as well. */
const answerTo = (call: CallBlock, result: ResultBlock): Wire => {
  const { assigned: _, ...named } = call
  return writeResult(result, named)
}

const newCall = (call: CallBlock, result: ResultBlock | undefined, timestamp: string): Wire => ({
  id: call.id,
  name: call.name,
  args: call.arguments,
  result: result ? [answerTo(call, result)] : null,
  status: statusOf(call, result),
  timestamp,
  ...(result && { resultDisplay: resultText(result) }),
  description: "",
  displayName: call.name,
  renderOutputAsMarkdown: true,
})

/**
 * The list with the one part that changed. Results of other calls that are nowhere else stay where they are, and so do parts
 * beside the response that are still content of the result. A new session has each result once.
 */
const patchedResult = (native: Wire, result: ResultBlock, call: CallBlock, { copies }: Before): unknown => {
  const { result: held } = native
  const own = result.native?.["gemini"]
  if (copies === undefined || !Array.isArray(held) || !held.includes(own)) return [answerTo(call, result)]
  const beside = new Set<unknown>(held)
  const kept = new Set(result.content.filter((block) => !hasMalformed(block)).map((block) => block.native?.["gemini"]))
  const inside = result.content.filter((block) => hasMalformed(block) || !beside.has(block.native?.["gemini"]))
  const part = answerTo(call, { ...result, content: inside })
  return held.flatMap((element: unknown) => {
    if (element === own) return [part]
    if (copies.has(element)) return []
    return responseOf(element) !== undefined || (typeof element === "object" && kept.has(element)) ? [element] : []
  })
}

const sameOutcome = (one: ResultBlock | undefined, other: ResultBlock): boolean =>
  one !== undefined && one.content === other.content && one.error === other.error && one.denied === other.denied

const writeCall = (call: CallBlock, result: ResultBlock | undefined, before: Before, timestamp: string): Wire => {
  const native = nativeIn(call, format)
  if (!native) return newCall(call, result, timestamp)
  const earlier = before.resultOf(native)
  const sameResult = earlier === result && (result === undefined || before.has(result))
  if (before.has(call) && sameResult) return native
  const said = { ...native, id: call.id, name: call.name, args: call.arguments }
  if (sameResult) return said
  if (!result) return { ...said, result: null }
  return {
    ...said,
    result: patchedResult(native, result, call, before),
    ...(!sameOutcome(earlier, result) && { status: statusOf(call, result) }),
  }
}

const writeThought = (block: ThinkingBlock, timestamp: string): Wire => {
  const native = nativeIn(block, format)
  if (native && readThought(native)?.text === block.text) return native
  return { timestamp, ...native, subject: "", description: block.text }
}

const writeThoughts = (blocks: readonly Block[], like: Wire | undefined, before: Before, timestamp: string): unknown => {
  const given = like?.["thoughts"]
  const thoughts = blocks.filter((block) => block.type === "thinking" && block.text !== "" && !isContent(block))
  const readable = listOf(given).filter((thought) => readThought(thought) !== undefined)
  if (thoughts.length === readable.length && thoughts.every((block) => before.has(block))) return given
  return patchList(
    given,
    thoughts.map((block) => writeThought(block as ThinkingBlock, timestamp)),
  )
}

/** An empty list is written only where there was one. */
const listField = (key: string, list: unknown, like: Wire | undefined): Wire =>
  listOf(list).length > 0 || Array.isArray(like?.[key]) ? { [key]: list } : {}

export const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  const before = new Before(place.before, like)
  const { time: timestamp } = place
  if (!messages.some(({ role }) => role === "assistant")) {
    const blocks = messages.flatMap((message) => message.blocks)
    // What the agent would take for a command, and never send, is marked.
    if (!like) return { id: place.id, timestamp, type: "user", content: writeContent(withMark(blocks), like, "user", before) }
    return { ...like, content: writeContent(blocks, like, "user", before) }
  }
  const blocks = messages.flatMap((message) => (message.role === "tool" ? [] : message.blocks))
  const results = new Map(
    messages.flatMap((message) => message.blocks.flatMap((block) => (block.type === "result" ? [[block.callId, block] as const] : []))),
  )
  const calls = blocks.flatMap((block) => {
    if (block.type !== "call") return []
    const result = results.get(block.id)
    // A call among the parts needs no record of its own, unless it has a result here.
    const isAlone = nativeIn(block, format) === undefined && hasPart(block) && result === undefined
    return isAlone ? [] : [writeCall(block, result, before, timestamp)]
  })
  const model = messages.find(({ origin }) => origin)?.origin?.model
  return {
    ...(like ?? { id: place.id, timestamp, type: "gemini" }),
    content: writeContent(blocks.filter(isContent), like, "assistant", before),
    ...listField("thoughts", writeThoughts(blocks, like, before, timestamp), like),
    ...(!like && { tokens: null, ...(model !== undefined && { model }) }),
    ...listField("toolCalls", patchList(like?.["toolCalls"], calls), like),
  }
}
