/**
 * One item → its messages. The result of a call is in a tool item after it, or in the state of the call; files of some versions
 * have both, and then the tool item is what the model saw.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { readUrl } from "../../formats/engine/media.ts"
import { type CallIds, nextCallId } from "../engine/call-id.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"
import type { RecordMessage } from "../engine/session-format.ts"

export const format = "continue"

export const messageOf = (item: Wire): Wire => wireOf(item["message"])

/** States of calls: a list since there are parallel calls, a single one before. */
export const statesOf = (item: Wire): readonly Wire[] => {
  const states = listOf(item["toolCallStates"]).filter(isWire)
  if (states.length > 0) return states
  return isWire(item["toolCallState"]) ? [item["toolCallState"]] : []
}

/** What the model is told about a call that the user stopped, where nothing else is recorded. */
const canceledText = "The user cancelled this tool call."

const native = (wire: unknown) => ({ [format]: wire })

const readPart = (part: unknown): Block => {
  if (typeof part === "string") return { type: "text", text: part }
  if (!isWire(part)) return malformedBlock(format, part)
  if (typeof part["text"] === "string") return { type: "text", text: part["text"], native: native(part) }
  const url = wireOf(part["imageUrl"])["url"]
  if (typeof url !== "string") {
    return { type: "opaque", kind: stringOf(part["type"]) || "part", text: previewOf(part), native: native(part) }
  }
  const { source, mediaType } = readUrl(url)
  return { type: "media", kind: "image", ...(mediaType !== undefined && { mediaType }), source, native: native(part) }
}

const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

/** What the user attached: the model gets it before the text. */
const readContext = (item: Wire): readonly Block[] =>
  listOf(item["contextItems"]).flatMap((context): readonly Block[] => {
    const text = isWire(context) ? stringOf(context["content"]) : ""
    return text.trim() === "" ? [] : [{ type: "text", text: `${text}\n`, native: native(context) }]
  })

const readThinking = (item: Wire): readonly Block[] => {
  const message = messageOf(item)
  const signature = stringOf(message["signature"])
  const hidden = stringOf(message["redactedThinking"])
  const text =
    typeof message["content"] === "string"
      ? message["content"]
      : readContent(message["content"])
          .map((block) => (block.type === "text" ? block.text : ""))
          .join("")
  if (hidden !== "") return [{ type: "thinking", text, signature: hidden, redacted: true, native: native(item) }]
  if (text.trim() === "" && signature === "") return []
  const proof = isSignature(signature) ? { signature } : signature !== "" && { unsigned: true as const }
  return [{ type: "thinking", text, ...proof, native: native(item) }]
}

/** Thoughts that a model wrote into its text, taken out of it by the agent. */
const readReasoning = (item: Wire): readonly ThinkingBlock[] => {
  const { reasoning } = item
  const text = isWire(reasoning) ? stringOf(reasoning["text"]) : ""
  return text.trim() === "" ? [] : [{ type: "thinking", text, native: native(reasoning) }]
}

const openStatuses: ReadonlyMap<unknown, "approval" | "running"> = new Map([
  ["generating", "running"],
  ["generated", "approval"],
  ["calling", "running"],
])

const contentOf = (output: unknown): readonly ContentBlock[] => {
  const texts = listOf(output).flatMap((one) => {
    const text = isWire(one) ? stringOf(one["content"]) : stringOf(one)
    return text === "" ? [] : [text]
  })
  return texts.length === 0 ? [] : [{ type: "text", text: texts.join("\n\n") }]
}

const readState = (state: Wire, call: CallBlock): ResultBlock | undefined => {
  const { status, output } = state
  const shared = { type: "result" as const, callId: call.id, name: call.name, native: native(state) }
  const content = contentOf(output)
  if (status === "canceled") {
    const said: readonly ContentBlock[] = content.length > 0 ? content : [{ type: "text", text: canceledText }]
    const read = readResultContent(said, { errorMark: false })
    return { ...shared, ...read, error: true, ...(read.synthetic === undefined && { denied: true as const }) }
  }
  if (openStatuses.has(status)) return undefined
  if (status !== "done" && status !== "errored" && content.length === 0) return undefined
  const failed = status === "errored" && { error: true as const }
  return { ...shared, ...readResultContent(content, { errorMark: false }), ...failed }
}

const readArguments = (value: unknown): Pick<CallBlock, "arguments" | "raw" | "fault"> => {
  if (value === undefined || value === null) return { arguments: {} }
  return typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)
}

/** The calls of a message; where only their states were kept, those that the states name. */
export const callsIn = (item: Wire): readonly Wire[] => {
  const calls = listOf(messageOf(item)["toolCalls"]).filter(isWire)
  if (calls.length > 0) return calls
  return statesOf(item).flatMap((state) => (isWire(state["toolCall"]) ? [state["toolCall"]] : []))
}

/** Whether nothing is said with an item: then it ends no turn. */
export const isSilent = (item: Wire): boolean => {
  const { content } = messageOf(item)
  const isBlank = typeof content === "string" ? content.trim() === "" : readContent(content).length === 0
  return isBlank && callsIn(item).length === 0 && readReasoning(item).length === 0 && readContext(item).length === 0
}

/** The state of each call that has one. */
export const stateOfCalls = (item: Wire): ReadonlyMap<Wire, Wire> => {
  const states = statesOf(item)
  const stateOf = new Map<Wire, Wire>()
  const byId = new Map<string, Wire[]>()
  for (const state of states.toReversed()) {
    const id = stringOf(state["toolCallId"])
    const same = byId.get(id)
    if (same) same.push(state)
    else byId.set(id, [state])
  }
  const calls = callsIn(item)
  const ids = new Set(calls.map((wire) => stringOf(wire["id"])).filter((id) => id !== ""))
  // Where only states were kept, each holds its own call.
  const isListed = listOf(messageOf(item)["toolCalls"]).some(isWire)
  const holders = new Map<unknown, Wire>(isListed ? [] : states.map((state) => [state["toolCall"], state]))
  calls.forEach((wire, index) => {
    const id = stringOf(wire["id"])
    const beside = ids.has(stringOf(states[index]?.["toolCallId"])) ? undefined : states[index]
    const state = holders.get(wire) ?? (id === "" ? beside : byId.get(id)?.pop())
    if (state) stateOf.set(wire, state)
  })
  return stateOf
}

const readAssistant = (item: Wire, answered: ReadonlySet<string>, ids: CallIds): readonly RecordMessage[] => {
  const blocks: Block[] = [...readReasoning(item), ...readContent(messageOf(item)["content"])]
  const results: ResultBlock[] = []
  const stateOf = stateOfCalls(item)
  for (const wire of callsIn(item)) {
    const id = stringOf(wire["id"])
    const state = stateOf.get(wire)
    const held = wireOf(wire["function"])
    const call: CallBlock = { type: "call", id, name: stringOf(held["name"]), ...readArguments(held["arguments"]), native: native(wire) }
    const read = state && !answered.has(id) ? readState(state, call) : undefined
    const pending = state && openStatuses.get(state["status"])
    const open = !read && !answered.has(id)
    // Where the call holds its result, no id is needed to find it.
    const own = id !== "" || read ? nextCallId(id, open, ids) : { id }
    const named: CallBlock = { ...call, ...own, ...(pending && open && { pending }) }
    blocks.push(named)
    if (read) results.push({ ...read, callId: named.id })
  }
  return [
    { role: "assistant", blocks },
    { role: "tool", blocks: results },
  ]
}

const readTool = (item: Wire): ResultBlock => {
  const message = messageOf(item)
  const content = readContent(message["content"]).filter(
    (block) => block.type === "text" || block.type === "media" || block.type === "opaque",
  )
  return {
    type: "result",
    callId: stringOf(message["toolCallId"]),
    ...readResultContent(content, { errorMark: true }),
    native: native(item),
  }
}

const messagesIn = (item: Wire, answered: ReadonlySet<string>, ids: CallIds): readonly RecordMessage[] | undefined => {
  const { role, content } = messageOf(item)
  switch (role) {
    case "user":
      return [{ role, blocks: [...readContext(item), ...readContent(content)] }]
    case "system":
      return [{ role, blocks: readContent(content) }]
    case "thinking":
      return [{ role: "assistant", blocks: readThinking(item) }]
    case "assistant":
      return readAssistant(item, answered, ids)
    case "tool":
      return [{ role, blocks: [readTool(item)] }]
    default:
      return undefined
  }
}

/** `answered`: ids of calls that later tool items answer. Undefined: no message of a known role. */
export const readItem = (item: Wire, answered: ReadonlySet<string>, ids: CallIds): readonly RecordMessage[] | undefined => {
  const id = stringOf(messageOf(item)["id"])
  const messages = messagesIn(item, answered, ids)?.filter(({ blocks }) => blocks.length > 0)
  return id === "" ? messages : messages?.map((message) => ({ ...message, id }))
}
