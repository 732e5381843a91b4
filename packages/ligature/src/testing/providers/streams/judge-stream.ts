/**
 * What a strict client would object to in the stream of an answer. A second opinion on stream writers: it knows the
 * order of events that each API documents and shares no code with what writes them.
 *
 *   judgeStream("anthropic", [{ event: "message_start", data: { … } }, …])   // → [] or what is wrong, in sentences
 */
import { isArray, isObject, type WireObject } from "../verdict.ts"

/** One frame of an event stream. `data` is a JSON value, or the text of an end marker. */
export interface StreamFrame {
  readonly event?: string
  readonly data: unknown
}

type Object_ = (what: string) => void

const objectOf = (value: unknown): WireObject => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (isArray(value) ? value : [])

const deltaBlocks: Readonly<Record<string, readonly string[]>> = {
  text_delta: ["text"],
  citations_delta: ["text"],
  thinking_delta: ["thinking"],
  signature_delta: ["thinking"],
  input_json_delta: ["tool_use", "server_tool_use", "mcp_tool_use"],
  compaction_delta: ["compaction"],
}

const judgeAnthropic = (frames: readonly StreamFrame[], object: Object_): void => {
  let next = 0
  let open: string | undefined
  let stage: "new" | "blocks" | "ending" | "over" = "new"
  for (const { event, data } of frames) {
    const wire = objectOf(data)
    const type = String(wire["type"])
    if (event !== type) object(`Event ${String(event)} has data of type ${type}`)
    if (stage === "over") object(`${type} after the end`)
    if ((type === "message_start") !== (stage === "new") && type !== "error") object(`${type} at stage ${stage}`)
    if (type === "message_start") {
      stage = "blocks"
      const { usage, content } = objectOf(wire["message"])
      if (typeof objectOf(usage)["input_tokens"] !== "number") object("message_start without usage")
      if (listOf(content).length > 0) object("message_start with content")
    } else if (type === "content_block_start") {
      if (open !== undefined) object("A block starts inside another")
      if (wire["index"] !== next) object(`Block ${String(wire["index"])} starts, expected ${next}`)
      open = String(objectOf(wire["content_block"])["type"])
    } else if (type === "content_block_delta") {
      const kind = String(objectOf(wire["delta"])["type"])
      if (wire["index"] !== next) object(`A delta for block ${String(wire["index"])} inside block ${next}`)
      if (open === undefined || !deltaBlocks[kind]?.includes(open)) object(`${kind} in a block of type ${String(open)}`)
      if (objectOf(wire["delta"])["partial_json"] === "") object("An empty input_json_delta")
    } else if (type === "content_block_stop") {
      if (open === undefined || wire["index"] !== next) object(`Block ${String(wire["index"])} stops without a start`)
      open = undefined
      next++
    } else if (type === "message_delta") {
      if (stage !== "blocks" || open !== undefined) object("message_delta while a block is open")
      if (typeof objectOf(wire["delta"])["stop_reason"] !== "string") object("message_delta without stop_reason")
      if (typeof objectOf(wire["usage"])["output_tokens"] !== "number") object("message_delta without usage")
      stage = "ending"
    } else if (type === "message_stop") {
      if (stage !== "ending") object("message_stop without message_delta")
      stage = "over"
    } else if (type === "error") stage = "over"
    else object(`Unknown event ${type}`)
  }
  if (stage !== "over") object("No message_stop")
}

const judgeChat = (frames: readonly StreamFrame[], object: Object_): void => {
  const calls: string[] = []
  let role = false
  let finished = false
  let over = false
  for (const { event, data } of frames) {
    if (event !== undefined) object("Chat events have no name")
    if (over) object("A chunk after the end")
    if (data === "[DONE]") {
      if (!finished) object("[DONE] without finish_reason")
      over = true
      continue
    }
    const chunk = objectOf(data)
    if (chunk["error"] !== undefined) {
      over = true
      continue
    }
    if (chunk["object"] !== "chat.completion.chunk" || typeof chunk["id"] !== "string") object("A chunk without object or id")
    if (chunk["id"] !== objectOf(frames[0]?.data)["id"]) object("Chunks have different ids")
    const [choice] = listOf(chunk["choices"])
    if (choice === undefined) {
      if (!finished || !isObject(chunk["usage"])) object("A chunk without choices that is not the usage after the end")
      continue
    }
    const { delta, finish_reason: reason } = objectOf(choice)
    if (finished) object("A choice after finish_reason")
    if (objectOf(delta)["role"] === "assistant") {
      if (role) object("The role is said twice")
      role = true
    } else if (!role) object("The first chunk has no role")
    for (const entry of listOf(objectOf(delta)["tool_calls"])) judgeChatCall(objectOf(entry), calls, object)
    if (typeof reason === "string") finished = true
  }
  if (!over) object("No [DONE]")
}

/** `calls`: what each call begun so far keeps its text in. */
const judgeChatCall = (entry: WireObject, calls: string[], object: Object_): void => {
  const { index, id, type } = entry
  const key = isObject(entry["custom"]) ? "custom" : "function"
  const target = objectOf(entry[key])
  if (typeof index !== "number" || index > calls.length) return object(`A call at index ${String(index)}, expected at most ${calls.length}`)
  if (typeof target[key === "custom" ? "input" : "arguments"] !== "string") object(`A piece of call ${index} without text`)
  if (index < calls.length) {
    if (calls[index] !== key) object(`Call ${index} goes on in ${key}`)
    if (id !== undefined || target["name"] !== undefined) object(`Call ${index} is named twice`)
    return
  }
  calls.push(key)
  if (typeof id !== "string" || id === "" || type !== key || typeof target["name"] !== "string")
    object(`Call ${index} begins without id, type or name`)
}

/** The text that deltas of an item bring, by the name of the event without its last word, and where it is at the end. */
const grown: Readonly<Record<string, readonly [field: string, finalOf: (item: WireObject, event: WireObject) => unknown]>> = {
  "response.output_text": ["text", (item, { content_index: at }) => objectOf(listOf(item["content"])[Number(at)])["text"]],
  "response.refusal": ["refusal", (item, { content_index: at }) => objectOf(listOf(item["content"])[Number(at)])["refusal"]],
  "response.function_call_arguments": ["arguments", (item) => item["arguments"]],
  "response.custom_tool_call_input": ["input", (item) => item["input"]],
  "response.reasoning_summary_text": ["text", (item, { summary_index: at }) => objectOf(listOf(item["summary"])[Number(at)])["text"]],
  "response.reasoning_text": ["text", (item, { content_index: at }) => objectOf(listOf(item["content"])[Number(at)])["text"]],
}

interface StreamedItem {
  readonly id: unknown
  /** The text of each place, and the last event that had it. */
  readonly texts: Map<string, { text: string; done: boolean; readonly event: WireObject; readonly name: string }>
  done: WireObject | undefined
}

const judgeResponses = (frames: readonly StreamFrame[], object: Object_): void => {
  const items: StreamedItem[] = []
  let over = false
  for (const [position, { event, data }] of frames.entries()) {
    const wire = objectOf(data)
    const type = String(wire["type"])
    if (event !== type) object(`Event ${String(event)} has data of type ${type}`)
    if (over) object(`${type} after the end`)
    if (wire["sequence_number"] !== position) object(`sequence_number ${String(wire["sequence_number"])}, expected ${position}`)
    if ((type === "response.created") !== (position === 0)) object(`${type} at position ${position}`)
    const item = items[Number(wire["output_index"])]
    const { item: said, response } = wire
    if (type === "response.output_item.added") {
      if (wire["output_index"] !== items.length) object(`Item ${String(wire["output_index"])} is added, expected ${items.length}`)
      if (typeof objectOf(said)["id"] !== "string") object("An item without id")
      items.push({ id: objectOf(said)["id"], texts: new Map(), done: undefined })
    } else if (wire["output_index"] !== undefined) {
      if (!item || item.done) object(`${type} for an item that is not open`)
      else if (type === "response.output_item.done") {
        item.done = objectOf(said)
        if (item.done["id"] !== item.id) object("The id of an item changed")
        for (const { text, done, event: last, name } of item.texts.values()) {
          if (!done) object(`${name} without its end`)
          if (grown[name]?.[1](item.done, last) !== text) object(`${name} of the item is not what its pieces said`)
        }
      } else judgePiece(wire, type, item, object)
    } else if (response !== undefined && type !== "response.created" && type !== "response.in_progress") {
      over = true
      const { output, status } = objectOf(response)
      if (type !== `response.${String(status)}`) object(`${type} with status ${String(status)}`)
      if (type === "response.failed") continue
      if (items.some(({ done }) => !done)) object("An item has no end")
      if (JSON.stringify(output) !== JSON.stringify(items.map(({ done }) => done))) object("The output is not the items that were done")
    }
  }
  if (!over) object("No end of the response")
}

const judgePiece = (wire: WireObject, type: string, item: StreamedItem, object: Object_): void => {
  if (wire["item_id"] !== item.id) object(`${type} names another item`)
  const name = type.slice(0, type.lastIndexOf("."))
  const field = grown[name]?.[0]
  if (field === undefined) return
  const key = `${name} ${String(wire["content_index"] ?? wire["summary_index"])}`
  const known = item.texts.get(key) ?? { text: "", done: false, event: wire, name }
  item.texts.set(key, known)
  if (known.done) object(`${type} after its end`)
  if (type.endsWith(".delta")) known.text += String(wire["delta"])
  else {
    known.done = true
    if (wire[field] !== known.text) object(`${type} is not what its pieces said`)
  }
}

const judgeGemini = (frames: readonly StreamFrame[], object: Object_): void => {
  let over = false
  for (const { event, data } of frames) {
    const chunk = objectOf(data)
    if (event !== undefined) object("Gemini events have no name")
    if (over) object("A chunk after finishReason")
    if (chunk["error"] !== undefined) {
      over = true
      continue
    }
    const [candidate] = listOf(chunk["candidates"])
    if (!isObject(candidate)) object("A chunk without candidates")
    const { content, finishReason } = objectOf(candidate)
    if (objectOf(content)["role"] !== "model") object("Content without the role model")
    for (const part of listOf(objectOf(content)["parts"])) {
      const { functionCall } = objectOf(part)
      if (functionCall !== undefined && !isObject(objectOf(functionCall)["args"] ?? {})) object("Arguments that are no object")
    }
    if (typeof finishReason === "string") over = true
  }
  if (!over) object("No finishReason")
}

const streamJudges = {
  anthropic: judgeAnthropic,
  "openai-chat": judgeChat,
  "openai-responses": judgeResponses,
  gemini: judgeGemini,
} satisfies Readonly<Record<string, (frames: readonly StreamFrame[], object: Object_) => void>>

/** What is wrong with the stream of an answer, in sentences; nothing where a strict client takes it. */
export const judgeStream = (format: keyof typeof streamJudges, frames: readonly StreamFrame[]): readonly string[] => {
  const judge = Object.hasOwn(streamJudges, format) ? streamJudges[format] : undefined
  if (!judge) return [`No stream of ${format} is known`]
  const found: string[] = []
  judge(frames, (what) => found.push(what))
  return found
}
