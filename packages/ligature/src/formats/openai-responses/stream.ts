/**
 * Responses streams: items that are added, grow and are done, then the whole response. Items are found by their output
 * index, because item ids differ between events at some gateways. What a `done` event says replaces what deltas said,
 * and the output of the finished response replaces both.
 */
import { type Block, isWire, jsonText, limitDepth, type Message, text, type Wire } from "../../model/index.ts"
import { cutCall, Pieces, type Slot, type SlotKind } from "../engine/recorder/draft.ts"
import type { StopReason, Usage } from "../engine/recorder/recorder.ts"
import { type Recording, shown } from "../engine/recorder/recording.ts"
import type { StreamReader } from "../engine/recorder/stream-recorder.ts"
import { counts, listOf, numberOf, stringOf, wireOf } from "../engine/wire.ts"
import { callKindOf } from "./fields.ts"
import { readAssistant, readModelItem } from "./read-blocks.ts"

// One item of a response in the making, and the wire item it amounts to.

/** What a block remembers: its item, and which part of it the block is. */
interface ResponsesState {
  readonly item: ItemState
  readonly part: number
}

interface ItemState {
  readonly type: string
  /** The item as its start announced it; as its end says it, once that has come. */
  wire: Wire
  done: boolean
  /** One per block: the parts of a message, or the item itself. Parts may come out of order. */
  readonly slots: (Slot<ResponsesState> | undefined)[]
  /** Parts of a message as announced, with fields that came later. */
  readonly parts: Record<string, unknown>[]
  /** Texts of a reasoning item. */
  readonly summary: Pieces[]
  readonly content: Pieces[]
}

const newItem = (wire: Wire): ItemState => ({
  type: stringOf(wire["type"]) || "message",
  wire,
  done: false,
  slots: [],
  parts: [],
  summary: [],
  content: [],
})

const pieceAt = (list: Pieces[], index: number): Pieces => {
  while (list.length <= index) list.push(new Pieces())
  return list[index] as Pieces
}

const textField = (part: Wire): "text" | "refusal" => (part["type"] === "refusal" ? "refusal" : "text")

/** The words of a content part; undefined for a part that has none. */
const partText = (part: unknown): string | undefined => {
  const words = isWire(part) ? part[textField(part)] : undefined
  return typeof words === "string" ? words : undefined
}

/** The parts of a message item, with the text that has come. */
const messageParts = (item: ItemState): readonly Wire[] => {
  if (item.done) return listOf(item.wire["content"]).filter(isWire)
  return item.slots.flatMap((slot, index): readonly Wire[] => {
    const part = item.parts[index] ?? { type: "output_text", annotations: [] }
    if (!slot) return []
    return [slot.kind === "text" ? { ...part, [textField(part)]: slot.pieces.text } : part]
  })
}

const summaryOf = (texts: readonly Pieces[], type: string): readonly Wire[] => texts.map((pieces) => ({ type, text: pieces.text }))

const settledStatus = (item: Wire, whole: boolean): Wire =>
  "status" in item ? { ...item, status: whole ? "completed" : "incomplete" } : item

/** The wire item. `whole`: nothing of it is missing. */
const wireItem = (item: ItemState, whole: boolean): Wire => {
  const { wire, type } = item
  if (item.done && whole) return wire
  const raw = item.slots[0]?.pieces.text ?? ""
  if (type === "message") return { ...settledStatus(wire, whole), content: messageParts(item) }
  if (type === "function_call") return { ...settledStatus(wire, whole), arguments: raw }
  if (type === "custom_tool_call") return { ...settledStatus(wire, whole), input: raw }
  if (type !== "reasoning" || item.done) return wire
  const content = item.content.length > 0 && { content: summaryOf(item.content, "reasoning_text") }
  return { ...settledStatus(wire, whole), summary: summaryOf(item.summary, "summary_text"), ...content }
}

// Items as they were streamed → blocks, read by the decoder: the first block of a message keeps the whole item, later ones their part. A server knows
// items by their id only once the response has ended well. Until then ids are left out, so that nobody looks them up, and reasoning that has nothing
// but its id is not signed.

const kindOfItem = (type: string): SlotKind => {
  if (type === "reasoning") return "thinking"
  return callKindOf(type) ? "call" : "opaque"
}

const readPart = ({ slots }: ItemState, wire: Wire, index: number): Block => {
  const block = readAssistant(wire)[index]
  if (block) return block
  const said = slots[index]?.pieces.text ?? ""
  return index === 0 ? { ...text(said), native: { "openai-responses": wire } } : text(said)
}

const withoutId = (wire: Wire): Wire => {
  const { id: _, ...rest } = wire
  return rest
}

/** `known`: the response ended well, so that the server knows its items. */
const buildBlock = (slot: Slot<ResponsesState>, whole: boolean, known: boolean): Block => {
  const { item, part } = slot.state
  const { type } = item
  const wire = known || type === "local_shell_call" ? limitDepth(wireItem(item, whole)) : withoutId(limitDepth(wireItem(item, whole)))
  if (type === "message") return readPart(item, wire, part)
  const field = callKindOf(type)?.field ?? ""
  const given = wire[field]
  const isCut = !whole && type === "function_call" && typeof given === "string"
  const bare = isCut ? { ...wire, [field]: "{}" } : wire
  const block = readModelItem(bare, type, known)
  if (block.type === "thinking") return known || block.signature !== undefined ? block : { ...block, unsigned: true }
  if (block.type !== "call" || whole) return block
  if (type === "custom_tool_call") return { ...block, raw: slot.pieces.text, fault: "unparsable" }
  const raw = typeof given === "string" ? given : given === undefined ? "" : jsonText(given)
  return cutCall(block, "openai-responses", { bare, wire, raw })
}

/** Tokens of a response. */
const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isWire(usage)) return before
  return {
    ...counts({
      inputTokens: usage["input_tokens"],
      outputTokens: usage["output_tokens"],
      cacheReadTokens: wireOf(usage["input_tokens_details"])["cached_tokens"],
      thinkingTokens: wireOf(usage["output_tokens_details"])["reasoning_tokens"],
    }),
    native: { "openai-responses": usage },
  }
}

type ItemSlot = Slot<ResponsesState>

const incomplete: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "length",
  max_tokens: "length",
  content_filter: "refused",
}

export const responsesReader = (recording: Recording<ResponsesState>): StreamReader<ResponsesState> => {
  const { draft } = recording
  const items: ItemState[] = []
  const byIndex = new Map<number, ItemState>()
  const byId = new Map<string, ItemState>()
  let sequence = 0
  /** The item of the latest event: nearly every event is about the same one as the event before it. */
  let latest: ItemState | undefined
  let latestIndex: number | undefined
  /** Its one slot, where it has one from its start. */
  let growing: ItemSlot | undefined

  const isKnown = (): boolean => recording.marked && recording.error === undefined

  /** The slot of a part, or of the whole item. */
  const slotOf = (item: ItemState, part: number): ItemSlot => item.slots[part] ?? openSlot(item, part)

  const openSlot = (item: ItemState, part: number): ItemSlot => {
    const state = { item, part }
    const kind = item.type === "message" ? partKind(item, part) : kindOfItem(item.type)
    const id = stringOf(item.wire["call_id"])
    const name = stringOf(item.wire["name"])
    const slot = kind === "call" ? recording.openCall(state, id, name) : draft.open(kind, state)
    item.slots[part] = slot
    if (kind === "call") draft.tell(slot, id, name)
    return slot
  }

  const partKind = (item: ItemState, index: number): "text" | "opaque" => {
    const part = item.parts[index] ?? listOf(item.wire["content"])[index]
    return part === undefined || partText(part) !== undefined ? "text" : "opaque"
  }

  const begin = (event: Wire, wire: Wire): ItemState => {
    const item = newItem(wire)
    items.push(item)
    const index = numberOf(event["output_index"])
    if (index !== undefined) byIndex.set(index, item)
    latestIndex = undefined
    growing = undefined
    const id = stringOf(wire["id"])
    if (id !== "") byId.set(id, item)
    if (item.type !== "message") slotOf(item, 0)
    return item
  }

  const find = (event: Wire): ItemState | undefined => {
    const index = event["output_index"]
    if (typeof index !== "number") return byId.get(stringOf(event["item_id"])) ?? items.at(-1)
    if (index !== latestIndex) {
      latest = byIndex.get(index)
      latestIndex = latest && index
      growing = latest?.type === "function_call" ? latest.slots[0] : undefined
    }
    return latest
  }

  /** The item an event is about; where nobody announced it, one of the type the event implies. */
  const itemOf = (event: Wire, type: string): ItemState =>
    find(event) ?? begin(event, { type, ...(type === "message" && { role: "assistant", content: [] }) })

  const touch = (item: ItemState): void => {
    for (const slot of item.slots) if (slot) draft.touch(slot)
  }

  const grow = (item: ItemState, part: number, delta: unknown): void => {
    draft.add(slotOf(item, part), stringOf(delta))
    if (part > 0) touch(item)
  }

  const finishItem = (item: ItemState, wire: Wire): void => {
    const { type } = item
    item.wire = wire
    item.done = true
    if (type === "message") {
      slotOf(item, 0)
      for (const [index, part] of listOf(wire["content"]).entries()) fill(item, index, partText(part))
    } else if (type === "function_call") fill(item, 0, wire["arguments"])
    else if (type === "custom_tool_call") fill(item, 0, wire["input"])
    else if (type === "reasoning") fill(item, 0, undefined)
    touch(item)
    for (const slot of item.slots) if (slot) draft.close(slot)
  }

  /** The final word on a text: told as a delta where nothing was told before. */
  const fill = (item: ItemState, part: number, text: unknown): void => {
    const slot = slotOf(item, part)
    if (typeof text !== "string") return
    if (slot.pieces.isEmpty) draft.add(slot, text)
    else if (slot.pieces.text !== text) draft.set(slot, text)
  }

  const readItemDone = (event: Wire): void => {
    const wire = event["item"]
    if (!isWire(wire)) return recording.malformed(event)
    finishItem(find(event) ?? begin(event, wire), wire)
  }

  const readThought = (event: Wire, field: "summary" | "content"): void => {
    const item = itemOf(event, "reasoning")
    const index = numberOf(event[`${field}_index`]) ?? 0
    const slot = slotOf(item, 0)
    const breaks = item[field].length > 0 && item[field].length <= index
    pieceAt(item[field], index).add(stringOf(event["delta"]))
    draft.add(slot, `${breaks ? "\n\n" : ""}${stringOf(event["delta"])}`)
  }

  const readPartAdded = (event: Wire): void => {
    const item = itemOf(event, "message")
    const index = numberOf(event["content_index"]) ?? 0
    if (item.type !== "message") return
    item.parts[index] = { ...wireOf(event["part"]) }
    const slot = slotOf(item, index)
    if (partText(event["part"])) fill(item, index, partText(event["part"]))
    draft.touch(slot)
  }

  const readAnnotation = (event: Wire): void => {
    const item = itemOf(event, "message")
    const part = item.parts[numberOf(event["content_index"]) ?? 0]
    if (part) part["annotations"] = [...listOf(part["annotations"]), event["annotation"]]
    touch(item)
  }

  /** The whole response: its output is believed where it is given; gateways leave it empty. */
  const readOutput = (response: Wire): void => {
    listOf(response["output"]).forEach((wire, index) => {
      if (!isWire(wire)) return
      const item = byId.get(stringOf(wire["id"])) ?? items[index]
      if (item && item.type === (stringOf(wire["type"]) || "message")) finishItem(item, wire)
      else finishItem(begin({}, wire), wire)
    })
  }

  const readEnd = (event: Wire): void => {
    const response = wireOf(event["response"])
    recording.identify(response["id"], response["model"])
    recording.usage = readUsage(response["usage"], recording.usage)
    const status = stringOf(response["status"]) || stringOf(event["type"]).slice("response.".length)
    if (status === "failed" || status === "cancelled") {
      const message = stringOf(wireOf(response["error"])["message"])
      return recording.fail(message || `The response is ${status}`, response["error"] ?? response)
    }
    const reason = stringOf(wireOf(response["incomplete_details"])["reason"])
    const meant = Object.hasOwn(incomplete, reason) ? incomplete[reason] : undefined
    recording.stop(reason || status, status === "incomplete" ? (meant ?? "other") : "end")
    readOutput(response)
    for (const slot of draft.slots) draft.close(slot)
  }

  const readers: Readonly<Record<string, (event: Wire) => void>> = {
    "response.created": ({ response }) => recording.identify(wireOf(response)["id"], wireOf(response)["model"]),
    "response.output_item.added": (event) => {
      if (!isWire(event["item"])) recording.malformed(event)
      else if (!find(event) || numberOf(event["output_index"]) === undefined) begin(event, event["item"])
    },
    "response.output_item.done": readItemDone,
    "response.content_part.added": readPartAdded,
    "response.output_text.done": (event) => fill(itemOf(event, "message"), numberOf(event["content_index"]) ?? 0, stringOf(event["text"])),
    "response.output_text.annotation.added": readAnnotation,
    "response.refusal.delta": (event) => {
      const item = itemOf(event, "message")
      const index = numberOf(event["content_index"]) ?? 0
      item.parts[index] ??= { type: "refusal", refusal: "" }
      grow(item, index, event["delta"])
    },
    "response.function_call_arguments.done": (event) => fill(itemOf(event, "function_call"), 0, event["arguments"]),
    "response.custom_tool_call_input.delta": (event) => grow(itemOf(event, "custom_tool_call"), 0, event["delta"]),
    "response.custom_tool_call_input.done": (event) => fill(itemOf(event, "custom_tool_call"), 0, event["input"]),
    "response.reasoning_summary_text.delta": (event) => readThought(event, "summary"),
    "response.reasoning_text.delta": (event) => readThought(event, "content"),
    "response.completed": readEnd,
    "response.incomplete": readEnd,
    "response.failed": readEnd,
    "response.cancelled": readEnd,
    error: (event) => {
      const error = isWire(event["error"]) ? event["error"] : event
      recording.fail(stringOf(error["message"]) || shown(error), error)
    },
  }

  /** Progress of server tools and the `done` of parts say nothing that the `done` of their item does not say. */
  const isProgress = (event: Wire, type: string): boolean =>
    type === "response.in_progress" ||
    type === "response.queued" ||
    type === "keepalive" ||
    (type.startsWith("response.") && find(event) !== undefined && ("output_index" in event || "item_id" in event))

  const read = (event: Wire): void => {
    const number = numberOf(event["sequence_number"])
    if (number !== undefined && number > 0) {
      if (number <= sequence) return
      sequence = number
    }
    // Nearly every event of a long stream: nothing of a call grows but its arguments, so that its name need not be compared.
    if (growing && event["output_index"] === latestIndex && typeof event["delta"] === "string") {
      return draft.add(growing, event["delta"])
    }
    const type = stringOf(event["type"])
    // Deltas are compared, not looked up: JSON.parse makes a new string of each long name, and a table would hash them all.
    switch (type) {
      case "response.function_call_arguments.delta":
        return grow(itemOf(event, "function_call"), 0, event["delta"])
      case "response.output_text.delta":
        return grow(itemOf(event, "message"), numberOf(event["content_index"]) ?? 0, event["delta"])
      default: {
        const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
        if (reader) reader(event)
        else if (event["object"] === "response") readEnd({ response: event })
        else if (!isProgress(event, type)) recording.unknown(event)
      }
    }
  }

  const compose = (blocks: readonly Block[], slots: readonly ItemSlot[]): Message => {
    const native: unknown[] = []
    for (const { state, built } of slots) {
      if (built && "type" in built && state.part === 0) native.push(built.native?.["openai-responses"])
    }
    return { role: "assistant", blocks, native: { "openai-responses": native } }
  }

  return {
    format: "openai-responses",
    read,
    readMarker: (event) => typeof event === "string" && event.trim() === "[DONE]",
    build: (slot, whole, hopeful) => buildBlock(slot, whole, hopeful === true || isKnown()),
    compose,
  }
}
