/**
 * What was said → one record: the very record it came from where that still says it, that record patched, or a new one.
 */
import {
  type Block,
  type CallBlock,
  isWire,
  outcomeKind,
  type ResultBlock,
  resultText,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { writePart, writeResult } from "../../formats/gemini/write-part.ts"
import { listOf } from "../engine/fields.ts"
import { sameBlocks, sameCall, sameResult } from "../engine/same-blocks.ts"
import { format } from "./fields.ts"
import { readThought, responseOf, type Said } from "./read-message.ts"
import type { Answer, Saying } from "./sayings.ts"

/** What a new record says of itself. */
export interface Envelope {
  readonly id: string
  readonly timestamp: string
}

const ownNative = (block: Block): Wire | undefined => {
  const native = block.native?.[format]
  return isWire(native) ? native : undefined
}

const hasPart = (block: Block): boolean => isWire(block.native?.["gemini"])

/** Thoughts and calls have homes of their own, unless they came as parts of the text. */
const isContent = (block: Block): boolean => {
  if (block.type === "call") return hasPart(block)
  if (block.type !== "thinking") return true
  return hasPart(block) || (block.text === "" && block.signature !== undefined)
}

const writeThought = (block: ThinkingBlock, timestamp: string): Wire => {
  const native = ownNative(block)
  if (native && readThought(native)?.text === block.text) return native
  return { timestamp, ...native, subject: "", description: block.text }
}

const partOf = (block: Block, saying: Saying): Wire | undefined => {
  if (block.type !== "result") return writePart(block)
  const call = saying.answered.get(block)
  return call && writeResult(block, call)
}

/** The content as it came where nothing in it changed; a single string goes on as a string. */
const writeContent = (blocks: readonly Block[], saying: Saying): unknown => {
  const before = saying.wire?.["content"]
  const [only] = blocks
  const plain = blocks.length === 1 && only?.type === "text" && !hasPart(only)
  if (plain && (typeof before === "string" || (saying.role === "assistant" && before === undefined))) return only.text
  if (blocks.length === 0 && (before === undefined || typeof before === "string")) return ""
  const parts: Wire[] = []
  for (const block of blocks) {
    const part = partOf(block, saying)
    if (part) parts.push(part)
  }
  return sameElements(parts, before) ? before : parts
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

const newCall = ({ call, result }: Answer, timestamp: string): Wire => ({
  id: call.id,
  name: call.name,
  args: call.arguments,
  result: result ? [writeResult(result, call)] : null,
  status: statusOf(call, result),
  timestamp,
  ...(result && { resultDisplay: resultText(result) }),
  description: "",
  displayName: call.name,
  renderOutputAsMarkdown: true,
})

interface Before {
  readonly calls: ReadonlyMap<unknown, CallBlock>
  readonly results: ReadonlyMap<unknown, ResultBlock>
  readonly misshapen: ReadonlySet<Wire>
}

/** What could not be read is written as the text it was shown as, or it would stay damaged. */
const isMalformed = (block: Block): boolean => block.type === "opaque" && block.kind === "malformed"

const saysTheSame = (said: Said, wire: Wire, blocks: readonly Block[]): boolean =>
  !said.misshapen.has(wire) && sameBlocks(said.blocks, blocks) && !blocks.some(isMalformed)

const beforeOf = (said: Said): Before => {
  const calls = new Map<unknown, CallBlock>()
  for (const block of said.blocks) if (block.type === "call") calls.set(block.native?.[format], block)
  const results = new Map<unknown, ResultBlock>()
  for (const result of said.results) results.set(result.native?.[format], result)
  return { calls, results, misshapen: said.misshapen }
}

const isResponse = (element: unknown): boolean => responseOf(element) !== undefined

/**
 * The list with the one part that changed. Answers of the call's neighbours that it holds as well stay where they are,
 * and so do parts beside the answer which the result still says.
 */
const patchedResult = (native: Wire, result: ResultBlock, call: CallBlock): unknown => {
  const { result: held } = native
  const own = result.native?.["gemini"]
  if (!Array.isArray(held) || !held.includes(own)) return [writeResult(result, call)]
  const beside = new Set<unknown>(held)
  const readable = result.content.filter((block) => !isMalformed(block))
  const said = new Set(readable.map((block) => block.native?.["gemini"]))
  const inside = result.content.filter((block) => isMalformed(block) || !beside.has(block.native?.["gemini"]))
  const part = writeResult({ ...result, content: inside }, call)
  return held.flatMap((element: unknown) => {
    if (element === own) return [part]
    return isResponse(element) || (typeof element === "object" && said.has(element)) ? [element] : []
  })
}

const writeCall = (answer: Answer, before: Before, timestamp: string): Wire => {
  const { call, result } = answer
  const native = ownNative(call)
  if (!native) return newCall(answer, timestamp)
  const [callBefore, resultBefore] = [before.calls.get(native), before.results.get(native)]
  const sameAnswer = sameResult(resultBefore, result) && !before.misshapen.has(native)
  if (callBefore && sameCall(callBefore, call) && sameAnswer) return native
  const said = { ...native, id: call.id, name: call.name, args: call.arguments }
  if (sameAnswer) return said
  if (!result) return { ...said, result: null }
  const renamed = resultBefore && sameResult({ ...resultBefore, callId: result.callId }, result)
  return { ...said, result: patchedResult(native, result, call), ...(!renamed && { status: statusOf(call, result) }) }
}

/** A call that is named among the parts alone needs no record of its own, unless its answer has no other home. */
const needsRecord = ({ call, result, elsewhere }: Answer): boolean =>
  ownNative(call) !== undefined || !hasPart(call) || (result !== undefined && !elsewhere)

const writeList = (key: string, list: readonly unknown[], wire: Wire | undefined): Wire => {
  const before = wire?.[key]
  if (sameElements(list, before)) return { [key]: before }
  return list.length > 0 || Array.isArray(before) ? { [key]: list } : {}
}

/** `said` is what the record said when it was read. */
export const writeMessage = (saying: Saying, said: Said | undefined, envelope: Envelope): Wire => {
  const { wire, blocks } = saying
  if (saying.role === "user") {
    if (wire && said && saysTheSame(said, wire, blocks)) return wire
    const content = writeContent(blocks, saying)
    return wire ? { ...wire, content } : { ...envelope, type: "user", content }
  }
  const before = beforeOf(said ?? { role: "assistant", blocks: [], results: [], misshapen: new Set() })
  const calls = saying.answers.filter(needsRecord).map((answer) => writeCall(answer, before, envelope.timestamp))
  const untouched = wire && said && saysTheSame(said, wire, blocks)
  if (wire && untouched && sameElements(calls, listOf(wire["toolCalls"]).filter(isWire))) return wire
  const thoughts: Wire[] = []
  for (const block of blocks) {
    if (block.type === "thinking" && !isContent(block) && block.text !== "") {
      thoughts.push(writeThought(block, envelope.timestamp))
    }
  }
  const model = saying.origin?.model
  return {
    ...(wire ?? { ...envelope, type: "gemini" }),
    content: untouched ? wire?.["content"] : writeContent(blocks.filter(isContent), saying),
    ...(untouched ? {} : writeList("thoughts", thoughts, wire)),
    ...(!wire && { tokens: null, ...(model !== undefined && { model }) }),
    ...writeList("toolCalls", calls, wire),
  }
}
