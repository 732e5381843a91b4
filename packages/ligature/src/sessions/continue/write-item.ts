/** What is said with an item now → the very item where it still says that, the item patched, or a new one. */
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
import { sameElements } from "../../formats/engine/codec.ts"
import { mediaNote, writeUrl } from "../../formats/engine/media.ts"
import { listOf, stringOf } from "../engine/fields.ts"
import { sameBlocks, sameCall, sameResult } from "../engine/same-blocks.ts"
import { format, messageOf, statesOf } from "./fields.ts"
import { callsIn, type ItemSaid } from "./read-item.ts"

const ownNative = (block: Block): Wire | undefined => {
  const wire = block.native?.[format]
  return isWire(wire) ? wire : undefined
}

const writePart = (block: Block): Wire | undefined => {
  const wire = ownNative(block)
  if (block.type === "text") {
    if (!wire) return { type: "text", text: block.text }
    return wire["text"] === block.text ? wire : { ...wire, text: block.text }
  }
  if (block.type !== "media" && block.type !== "opaque") return undefined
  if (wire) return wire
  const url = block.type === "media" ? writeUrl(block) : undefined
  if (url !== undefined) return { type: "imageUrl", imageUrl: { url } }
  return { type: "text", text: block.type === "media" ? mediaNote(block) : block.text }
}

const writeContent = (blocks: readonly Block[], before: unknown): unknown => {
  const spoken = blocks.filter((block) => block.type === "text" || block.type === "media" || block.type === "opaque")
  const [only] = spoken
  if (spoken.length === 0) return ""
  if (spoken.length === 1 && only?.type === "text" && !Array.isArray(before)) return only.text
  const parts = spoken.flatMap((block) => writePart(block) ?? [])
  return sameElements(parts, before) ? before : parts
}

const isContext = (block: Block, item: Wire | undefined): boolean => {
  const wire = ownNative(block)
  return wire !== undefined && item !== undefined && listOf(item["contextItems"]).includes(wire)
}

export const writeSpoken = (
  item: Wire | undefined,
  said: ItemSaid | undefined,
  role: string,
  blocks: readonly Block[],
): Wire => {
  if (item && said && sameBlocks(said.blocks, blocks)) return item
  const before = item ? messageOf(item) : { role }
  const words = blocks.filter((block) => !isContext(block, item))
  const message = { ...before, content: writeContent(words, before["content"]) }
  return item ? { ...item, message, ...contextOf(item, blocks) } : { message, contextItems: [] }
}

/** What the user attached, where its text changed: it is read with a line break of its own. */
const contextOf = (item: Wire, blocks: readonly Block[]): Wire => {
  const before = item["contextItems"]
  const texts = new Map(blocks.flatMap((block) => (block.type === "text" ? [[ownNative(block), block.text] as const] : [])))
  const after = listOf(before).map((context) => {
    const text = isWire(context) ? texts.get(context) : undefined
    return !isWire(context) || text === undefined || text === `${stringOf(context["content"])}\n` ? context : { ...context, content: text.replace(/\n$/, "") }
  })
  return Array.isArray(before) && !sameElements(after, before) ? { contextItems: after } : {}
}

/** `named`: something is written that refers to the id. */
const writeCall = ({ call, named }: Stated, before: CallBlock | undefined): Wire => {
  const wire = ownNative(call)
  if (wire && before && sameCall(before, call) && !(named && wire["id"] !== call.id)) return wire
  const held = wire && isWire(wire["function"]) ? wire["function"] : {}
  const said = { ...held, name: call.name, arguments: writeArgumentsText(call) }
  return { ...wire, id: call.id, type: "function", function: said }
}

/** Results are text here: what else one holds is said in words. */
const answerOf = ({ content }: ResultBlock): string => {
  const words = content.map((block) => (block.type === "media" ? mediaNote(block) : block.text))
  return words.length === 1 ? (words[0] ?? "") : words.filter((word) => word !== "").join("\n")
}

const statuses = {
  done: "done",
  failed: "errored",
  "not-run": "canceled",
  interrupted: "errored",
  lost: "errored",
} as const

const writeState = (call: CallBlock, wire: Wire, result: ResultBlock, state: Wire | undefined): Wire => ({
  ...state,
  toolCallId: call.id,
  toolCall: wire,
  status: statuses[outcomeKind(result)],
  parsedArgs: call.arguments,
  output: [{ name: call.name, description: "Result of the call", content: answerOf(result) }],
})

/** A call of an assistant item, and the result that its state is to hold. */
export interface Stated {
  readonly call: CallBlock
  readonly result: ResultBlock | undefined
  /** The call must bear its id, because a result that is written refers to it. */
  readonly named: boolean
}

/**
 * Only what changed is written: states whose call keeps its id and its result stay as they are, and so do those of no
 * call, unless they name one whose own state changed. New ones follow.
 */
const writeStates = (
  item: Wire,
  said: ItemSaid,
  stated: readonly Stated[],
  wires: readonly Wire[],
): readonly Wire[] => {
  const results = new Map(said.results.map((result) => [ownNative(result), result]))
  const stateOf = said.states ?? new Map<Wire, Wire>()
  const written = new Map<Wire, Wire>()
  const fresh: Wire[] = []
  stated.forEach(({ call, result }, index) => {
    const wire = wires[index] ?? {}
    const native = ownNative(call)
    const state = native && stateOf.get(native)
    const before = state && results.get(state)
    if (!state) {
      if (result) fresh.push(writeState(call, wire, result, undefined))
    } else if (!result || (before && sameResult({ ...before, callId: result.callId }, result))) {
      const isSame = state["toolCallId"] === call.id || wire === native
      written.set(state, isSame ? state : { ...state, toolCallId: call.id, ...("toolCall" in state && { toolCall: wire }) })
    } else written.set(state, writeState(call, wire, result, state))
  })
  const taken = new Set(stateOf.values())
  const isWhole = stated.every(({ call }, index) => wires[index] === ownNative(call))
  const isSame = isWhole && fresh.length === 0 && [...written].every(([before, after]) => before === after)
  const named = new Set<unknown>(isSame ? [] : stated.map(({ call }) => call.id))
  const kept = statesOf(item).flatMap((state): readonly Wire[] => {
    const now = written.get(state)
    if (now) return [now]
    return taken.has(state) || named.has(state["toolCallId"]) ? [] : [state]
  })
  return [...kept, ...fresh]
}

export const writeAssistant = (
  item: Wire | undefined,
  said: ItemSaid | undefined,
  blocks: readonly Block[],
  stated: readonly Stated[],
): Wire => {
  const before = new Map<unknown, CallBlock>()
  for (const block of said?.blocks ?? []) if (block.type === "call") before.set(ownNative(block), block)
  const calls = stated.map((one) => writeCall(one, before.get(ownNative(one.call))))
  const base = item ?? { message: { role: "assistant" }, contextItems: [] }
  const states = writeStates(base, said ?? { role: "assistant", blocks: [], results: [] }, stated, calls)
  const sameStates = sameElements(states, statesOf(base))
  const words = blocks.filter((block) => block.type !== "call" && block.type !== "thinking")
  const wordsBefore = said?.blocks.filter((block) => block.type !== "call" && block.type !== "thinking") ?? []
  const sameWords = item !== undefined && sameBlocks(wordsBefore, words)
  const sameCalls = sameElements(calls, callsIn(base))
  const reasoning = reasoningOf(base, blocks)
  if (sameWords && sameCalls && sameStates && !("reasoning" in reasoning)) return base
  const message = messageOf(base)
  const content = sameWords ? message["content"] : writeContent(words, message["content"])
  const hasList = Array.isArray(base["toolCallStates"]) || !isWire(base["toolCallState"])
  const [only] = states
  const written = hasList || states.length > 1 ? { toolCallStates: states } : { toolCallState: only }
  return {
    ...base,
    message: { ...message, content, ...(calls.length > 0 && !sameCalls && { toolCalls: calls }) },
    ...(!sameStates && states.length > 0 && written),
    ...reasoning,
  }
}

/** An item of thinking whose text may have changed. */
export const writeThinking = (item: Wire, said: ItemSaid | undefined, { text }: ThinkingBlock): Wire => {
  const isSame = said?.blocks.some((block) => block.type === "thinking" && block.text === text) === true
  return isSame ? item : { ...item, message: { ...messageOf(item), content: text } }
}

/** Thoughts that the agent took out of a text, where they changed. */
const reasoningOf = (base: Wire, blocks: readonly Block[]): Wire => {
  const { reasoning } = base
  if (!isWire(reasoning)) return {}
  const thought = blocks.find((block) => block.type === "thinking" && block.native?.[format] === reasoning)
  if (thought?.type !== "thinking" || thought.text === reasoning["text"]) return {}
  return { reasoning: { ...reasoning, text: thought.text } }
}

export const newThinking = ({ text, signature, redacted }: ThinkingBlock): Wire => ({
  message: {
    role: "thinking",
    content: text,
    ...(signature !== undefined && (redacted === true ? { redactedThinking: signature } : { signature })),
  },
  contextItems: [],
})

/** A tool item for a result. No field says that the tool failed: the mark does. */
export const writeTool = (
  item: Wire | undefined,
  said: ItemSaid | undefined,
  result: ResultBlock,
  callId: string,
): Wire => {
  const [before] = said?.blocks ?? []
  const message = item ? messageOf(item) : { role: "tool" }
  const same = before?.type === "result" && sameResult({ ...before, callId: result.callId }, result)
  if (item && same && message["toolCallId"] === callId) return item
  const words =
    result.error === true && result.synthetic === undefined ? `${errorMark}${answerOf(result)}` : answerOf(result)
  const next = { ...message, ...(!same && { content: words }), toolCallId: callId }
  return { ...(item ?? { contextItems: [] }), message: next }
}
