/** What an item says now → the item patched, or a new one. */
import {
  type Block,
  type CallBlock,
  errorMark,
  isWire,
  outcomeKind,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { mediaNote, writeUrl } from "../../formats/engine/media.ts"
import { hasMalformed } from "../../formats/engine/message-list.ts"
import { listOf, nativeIn, stringOf, wireOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { callsIn, format, messageOf, stateOfCalls, statesOf } from "./read-item.ts"

const writePart = (block: Block): Wire | undefined => {
  const wire = nativeIn(block, format)
  if (block.type === "text") return patch(wire, { ...(!wire && { type: "text" }), text: block.text })
  if (block.type !== "media" && block.type !== "opaque") return undefined
  // What could not be read is written as the text it was shown as, or it would stay damaged.
  if (wire && !hasMalformed(block)) return wire
  const url = block.type === "media" ? writeUrl(block) : undefined
  if (url !== undefined) return { type: "imageUrl", imageUrl: { url } }
  return { type: "text", text: block.type === "media" ? mediaNote(block) : block.text }
}

const isContent = ({ type }: Block): boolean => type === "text" || type === "media" || type === "opaque"

/** Whether the content of an item says what it said; what could not be read is never left as it is. */
const isSameContent = (before: readonly Block[], now: readonly Block[]): boolean => {
  const earlier = before.filter(isContent)
  const content = now.filter(isContent)
  return content.length === earlier.length && content.every((block, index) => block === earlier[index] && !hasMalformed(block))
}

const writeContent = (blocks: readonly Block[], before: unknown): unknown => {
  const content = blocks.filter(isContent)
  const [only] = content
  if (content.length === 0) return Array.isArray(before) && before.length === 0 ? before : ""
  if (content.length === 1 && only?.type === "text" && !Array.isArray(before)) return only.text
  return patchList(
    before,
    content.flatMap((block) => writePart(block) ?? []),
  )
}

/** What the user attached, where its text changed: it is read with a line break of its own. */
const writeContext = (item: Wire, blocks: readonly Block[]): unknown => {
  const before = item["contextItems"]
  if (!Array.isArray(before)) return before
  const texts = new Map(blocks.flatMap((block) => (block.type === "text" ? [[nativeIn(block, format), block.text] as const] : [])))
  return patchList(
    before,
    before.map((context: unknown) => {
      const text = isWire(context) ? texts.get(context) : undefined
      if (!isWire(context) || text === undefined || text === `${stringOf(context["content"])}\n`) return context
      return { ...context, content: text.replace(/\n$/, "") }
    }),
  )
}

const writeText = ({ role, blocks }: RecordMessage, item: Wire | undefined): Wire => {
  const context = new Set<unknown>(listOf(item?.["contextItems"]))
  const content = blocks.filter((block) => !context.has(nativeIn(block, format)))
  const before = item ? messageOf(item) : undefined
  // What was the result of a tool is now text of the user.
  const isOther = before?.["role"] === "tool" || before?.["role"] === "thinking"
  const message = patch(isOther ? undefined : before, {
    ...((!before || isOther) && { role }),
    content: writeContent(content, before?.["content"]),
  })
  return item ? patch(item, { message, contextItems: writeContext(item, blocks) }) : { message, contextItems: [] }
}

/** Results are text here: what else one has is described. */
const answerOf = ({ content }: ResultBlock): string => {
  const parts = content.map((block) => (block.type === "media" ? mediaNote(block) : block.text))
  return parts.length === 1 ? (parts[0] ?? "") : parts.filter((part) => part !== "").join("\n")
}

const statuses = { done: "done", failed: "errored", "not-run": "canceled", interrupted: "errored", lost: "errored" } as const

/** A call of an assistant item, as written, with the result that its state is to hold. */
interface StatedCall {
  readonly call: CallBlock
  readonly wire: Wire
  readonly result: ResultBlock | undefined
  /** The state the call had, and the result that was read from it. */
  readonly state: Wire | undefined
  readonly before: ResultBlock | undefined
}

const writeCall = (call: CallBlock, isReferred: boolean, before: readonly Block[]): Wire => {
  const wire = nativeIn(call, format)
  // An id that was only needed to tell calls apart here is not written, unless something refers to it.
  if (wire && before.includes(call) && !isReferred) return wire
  const held = wireOf(wire?.["function"])
  const written = patch(held, { name: call.name, arguments: writeArgumentsText(call) })
  return patch(wire, { id: call.id, type: "function", function: written })
}

const isSameResult = (before: ResultBlock, now: ResultBlock): boolean =>
  before.content === now.content && before.error === now.error && before.denied === now.denied

const writeState = ({ call, wire, result, state, before }: StatedCall): Wire | undefined => {
  if (!result && !state) return undefined
  if (state && (!result || (before && isSameResult(before, result)))) {
    const isSame = state["toolCallId"] === call.id || wire === nativeIn(call, format)
    return isSame ? state : { ...state, toolCallId: call.id, ...("toolCall" in state && { toolCall: wire }) }
  }
  if (!result) return state
  return {
    ...state,
    toolCallId: call.id,
    toolCall: wire,
    status: statuses[outcomeKind(result)],
    parsedArgs: call.arguments,
    output: [{ name: call.name, description: "Result of the call", content: answerOf(result) }],
  }
}

/**
 * States whose call keeps its id and its result stay as they are, and so do those of no call, unless they name one whose own
 * state changed. New ones follow.
 */
const writeStates = (item: Wire, calls: readonly StatedCall[]): readonly Wire[] => {
  const written = new Map<Wire, Wire>()
  const added: Wire[] = []
  for (const each of calls) {
    const now = writeState(each)
    if (now && each.state) written.set(each.state, now)
    else if (now) added.push(now)
  }
  const taken = new Set(stateOfCalls(item).values())
  const isSame =
    added.length === 0 &&
    [...written].every(([before, now]) => before === now) &&
    calls.every(({ call, wire }) => wire === nativeIn(call, format))
  const named = new Set<unknown>(isSame ? [] : calls.map(({ call }) => call.id))
  const kept = statesOf(item).flatMap((state): readonly Wire[] => {
    const now = written.get(state)
    return now ? [now] : taken.has(state) || named.has(state["toolCallId"]) ? [] : [state]
  })
  return [...kept, ...added]
}

/** Thinking that the agent took out of a text; other thinking goes there, too, where it has no item of its own. */
const writeReasoning = (item: Wire, blocks: readonly Block[]): unknown => {
  const { reasoning } = item
  const text = blocks.flatMap((block) => (block.type === "thinking" ? [block.text] : [])).join("\n\n")
  if (text === "" || (isWire(reasoning) && reasoning["text"] === text)) return reasoning
  return { ...(isWire(reasoning) ? reasoning : { active: false }), text }
}

const writeAssistant = (blocks: readonly Block[], item: Wire | undefined, { before }: WritePlace): Wire => {
  const earlier = before.flatMap((message) => message.blocks)
  const resultOf = new Map(blocks.flatMap((block) => (block.type === "result" ? [[block.callId, block] as const] : [])))
  const base = item && messageOf(item)["role"] === "assistant" ? item : { message: { role: "assistant", content: "" }, contextItems: [] }
  const stateOf = stateOfCalls(base)
  const calls = blocks.flatMap((block): readonly StatedCall[] => {
    if (block.type !== "call") return []
    const result = resultOf.get(block.id)
    const native = nativeIn(block, format)
    const state = native && stateOf.get(native)
    const was = earlier.find(
      (each): each is ResultBlock => each.type === "result" && state !== undefined && nativeIn(each, format) === state,
    )
    const isOwn = result ? was !== undefined && result.native === was.native : block.assigned !== true
    return [{ call: block, wire: writeCall(block, !isOwn, earlier), result, state, before: was }]
  })
  const message = messageOf(base)
  const wires = calls.map(({ wire }) => wire)
  const called = callsIn(base)
  const isSame = patchList(called, wires) === called
  const states = writeStates(base, calls)
  const isSameStates =
    patchList(statesOf(base), states).length === statesOf(base).length && states.every((state, index) => state === statesOf(base)[index])
  const [only] = states
  const hasList = Array.isArray(base["toolCallStates"]) || !isWire(base["toolCallState"])
  const isSameText = isSameContent(earlier, blocks)
  return patch(base, {
    message: patch(message, {
      ...((!isSameText || item !== base) && { content: writeContent(blocks, message["content"]) }),
      ...(wires.length > 0 && !isSame && { toolCalls: wires }),
    }),
    ...(!isSameStates && states.length > 0 && (hasList || states.length > 1 ? { toolCallStates: states } : { toolCallState: only })),
    ...(blocks.some(({ type }) => type === "thinking") && { reasoning: writeReasoning(base, blocks) }),
  })
}

const writeThinking = ({ text, signature, redacted, unsigned }: ThinkingBlock, item: Wire | undefined): Wire => {
  if (item && messageOf(item)["role"] === "thinking") {
    // Repaired thinking is plain: what was in the place of a signature goes, or it would be found again.
    const isPlain = signature === undefined && unsigned !== true && stringOf(messageOf(item)["signature"]) !== ""
    return patch(item, { message: patch(messageOf(item), { content: text, ...(isPlain && { signature: undefined }) }) })
  }
  const proof = signature !== undefined && (redacted === true ? { redactedThinking: signature } : { signature })
  return { message: { role: "thinking", content: text, ...proof }, contextItems: [] }
}

/** A tool item for a result. No field says that the tool failed: the mark does. */
const writeTool = (result: ResultBlock, item: Wire | undefined, { before }: WritePlace): Wire => {
  const was = before[0]?.blocks[0]
  const isSame = was?.type === "result" && isSameResult(was, result) && !hasMalformed(result)
  const content = `${result.error === true && result.synthetic === undefined ? errorMark : ""}${answerOf(result)}`
  const message = patch(item ? messageOf(item) : { role: "tool" }, { ...(!isSame && { content }), toolCallId: result.callId })
  return patch(item ?? { contextItems: [] }, { message })
}

export const writeItem = (messages: readonly RecordMessage[], item: Wire | undefined, place: WritePlace): Wire => {
  const [{ role } = { role: "user" as const }] = messages
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  if (first?.type === "result") return writeTool(first, item && messageOf(item)["role"] === "tool" ? item : undefined, place)
  if (role !== "assistant") return writeText({ role, blocks }, item)
  if (first?.type === "thinking" && blocks.length === 1) return writeThinking(first, item)
  return writeAssistant(blocks, item, place)
}
