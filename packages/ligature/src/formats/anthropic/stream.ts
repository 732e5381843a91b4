/**
 * Anthropic Messages streams: message_start, blocks that start, grow and stop, message_delta, message_stop. Blocks are
 * found by their index; gateways leave the index out, begin at 1, or never announce a block, so that a delta without a
 * block of its own goes to the latest open one or begins one.
 */
import { type Block, isWire, limitDepth, type Message, parseJson, type Wire } from "../../model/index.ts"
import { cutCall, type Slot, type SlotKind } from "../engine/recorder/draft.ts"
import type { StopReason, Usage } from "../engine/recorder/recorder.ts"
import type { Recording } from "../engine/recorder/recording.ts"
import type { StreamReader } from "../engine/recorder/stream-recorder.ts"
import { counts, listOf, numberOf, stringOf, wireOf } from "../engine/wire.ts"
import { readBlock } from "./decode.ts"

// Slots → the wire blocks an answer in one piece would have had; the decoder reads them.

const kinds: ReadonlyMap<unknown, SlotKind> = new Map([
  ["text", "text"],
  ["thinking", "thinking"],
  ["redacted_thinking", "thinking"],
  ["tool_use", "call"],
  ["image", "media"],
  ["document", "media"],
] as const)

const kindOfBlock = (wire: Wire): SlotKind => kinds.get(wire["type"]) ?? "opaque"

/** The input as the deltas say it; without any, as the start of the block says it. */
const inputOf = (fields: Wire, raw: string): unknown => (raw === "" ? fields["input"] : (parseJson(raw) ?? raw))

/** What deltas of a server-side block carry: the input of a tool, or the text of a compaction. */
const withDeltas = (fields: Wire, raw: string): Wire => {
  if (raw === "") return { ...fields }
  return fields["type"] === "compaction" ? { ...fields, content: raw } : { ...fields, input: inputOf(fields, raw) }
}

/** The block as it would have come in one piece. */
const wireBlock = ({ kind, state: { fields }, pieces }: Slot<AnthropicState>, whole: boolean): Wire => {
  const raw = pieces.text
  switch (kind) {
    case "text":
      return { ...fields, type: "text", text: raw }
    case "thinking":
      if (fields["type"] === "redacted_thinking") return { ...fields }
      return { ...fields, thinking: raw, signature: stringOf(fields["signature"]) }
    case "call":
      return { ...fields, input: whole ? inputOf(fields, raw) : raw }
    case "media":
      return { ...fields }
    case "opaque":
      return withDeltas(fields, raw)
  }
}

const buildBlock = (slot: Slot<AnthropicState>, whole: boolean): Block | readonly Block[] => {
  const wire = limitDepth(wireBlock(slot, whole))
  slot.state.wire = wire
  if (slot.kind !== "call" || whole) return readBlock(wire)
  const bare = { ...wire, input: {} }
  const block = readBlock(bare)
  return "type" in block && block.type === "call" ? cutCall(block, "anthropic", { bare, wire, raw: slot.pieces.text }) : readBlock(wire)
}

// Tokens of a Messages response. Counts are cumulative: what a later event says replaces what an earlier one said.

/** Clients need the counts, so that servers which do not count say zero. */
const saysNothing = (usage: Wire): boolean => usage["input_tokens"] === 0 && usage["output_tokens"] === 0 && Object.keys(usage).length === 2

const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isWire(usage) || (!before && saysNothing(usage))) return before
  const known = before?.native["anthropic"]
  const wire: Record<string, unknown> = { ...(isWire(known) ? known : {}) }
  for (const name in usage) if (usage[name] !== null && usage[name] !== undefined) wire[name] = usage[name]
  const { cache_read_input_tokens: read, cache_creation_input_tokens: write } = wire
  const fresh = numberOf(wire["input_tokens"])
  return {
    ...counts({
      inputTokens: fresh === undefined ? undefined : fresh + (numberOf(read) ?? 0) + (numberOf(write) ?? 0),
      outputTokens: wire["output_tokens"],
      cacheReadTokens: read,
      cacheWriteTokens: write,
    }),
    native: { anthropic: wire },
  }
}

interface AnthropicState {
  /** The block as its start announced it; fields that deltas bring are put on. */
  readonly fields: Record<string, unknown>
  readonly citations: unknown[]
  /** The block in one piece, as it was read last. */
  wire?: Wire
}

const meanings: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  stop_sequence: "end",
  compaction: "end",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
  pause_turn: "paused",
}

/** The block that a delta without a block belongs to. */
const impliedStart: Readonly<Record<string, Wire>> = {
  text_delta: { type: "text", text: "" },
  thinking_delta: { type: "thinking", thinking: "", signature: "" },
  signature_delta: { type: "thinking", thinking: "", signature: "" },
  input_json_delta: { type: "tool_use", id: "", name: "", input: {} },
  citations_delta: { type: "text", text: "" },
  compaction_delta: { type: "compaction", content: "" },
}

export const anthropicReader = (recording: Recording<AnthropicState>): StreamReader<AnthropicState> => {
  const { draft } = recording
  const byIndex = new Map<number, Slot<AnthropicState>>()
  let latest: Slot<AnthropicState> | undefined
  /** The index of the latest block: nearly every event is about the same one as the event before it. */
  let latestIndex: number | undefined

  const start = (index: number | undefined, block: Wire): Slot<AnthropicState> => {
    const kind = kindOfBlock(block)
    const state = { fields: { ...block }, citations: [...listOf(block["citations"])] }
    const [id, name] = [stringOf(block["id"]), stringOf(block["name"])]
    const slot = kind === "call" ? recording.openCall(state, id, name) : draft.open(kind, state)
    if (kind === "call") draft.tell(slot, id, name)
    if (kind === "text" || kind === "thinking") draft.add(slot, stringOf(block[kind]))
    if (index !== undefined) byIndex.set(index, slot)
    latest = slot
    latestIndex = index
    return slot
  }

  const find = (event: Wire): Slot<AnthropicState> | undefined => {
    const index = numberOf(event["index"])
    return index === undefined || index === latestIndex ? latest : byIndex.get(index)
  }

  /** The start of a call that has begun already. */
  const isRepeated = (event: Wire, block: Wire): boolean => {
    const known = find(event)
    return known?.kind === "call" && stringOf(block["id"]) !== "" && known.state.fields["id"] === block["id"]
  }

  const readDelta = (event: Wire): void => {
    const delta = wireOf(event["delta"])
    const type = stringOf(delta["type"])
    let slot = find(event)
    if (!slot || (slot.finished && !Object.hasOwn(event, "index"))) {
      const implied = Object.hasOwn(impliedStart, type) ? impliedStart[type] : undefined
      if (!implied) return recording.unknown(event)
      slot = start(numberOf(event["index"]), implied)
    }
    const { fields } = slot.state
    switch (type) {
      case "input_json_delta":
        return draft.add(slot, stringOf(delta["partial_json"]))
      case "text_delta":
        return draft.add(slot, stringOf(delta["text"]))
      case "thinking_delta":
        return draft.add(slot, stringOf(delta["thinking"]))
      case "compaction_delta":
        return draft.add(slot, stringOf(delta["content"]))
      case "signature_delta":
        fields["signature"] = stringOf(delta["signature"])
        return draft.touch(slot)
      case "citations_delta":
        slot.state.citations.push(delta["citation"])
        fields["citations"] = slot.state.citations
        return draft.touch(slot)
      default:
        return recording.unknown(event)
    }
  }

  const readEnd = (event: Wire): void => {
    recording.usage = readUsage(event["usage"], recording.usage)
    const { stop_reason: reason, stop_sequence: sequence } = wireOf(event["delta"])
    if (typeof reason !== "string") return
    if (typeof sequence === "string") recording.stopSequence = sequence
    recording.stop(reason, Object.hasOwn(meanings, reason) ? (meanings[reason] ?? "other") : "other")
  }

  /** An answer in one piece: its blocks begin and end at once. */
  const readWhole = (message: Wire): void => {
    recording.identify(message["id"], message["model"])
    for (const [index, block] of listOf(message["content"]).entries()) {
      if (isWire(block)) draft.close(start(index, block))
      else recording.malformed(block)
    }
    readEnd({ delta: message, usage: message["usage"] })
    recording.marked = true
  }

  /**
   * Takes what a long stream consists of: more of the call that came last. Told by the field and not by the two names
   * on it: JSON.parse makes new strings of long names, and comparing them costs as much as the piece.
   */
  const goesOn = ({ index, delta }: Wire): boolean => {
    if (!latest || typeof index !== "number" || index !== latestIndex || !isWire(delta)) return false
    const piece = delta["partial_json"]
    if (typeof piece !== "string") return false
    draft.add(latest, piece)
    return true
  }

  const read = (event: Wire): void => {
    if (goesOn(event)) return
    switch (event["type"]) {
      case "content_block_delta":
        return readDelta(event)
      case "content_block_start":
        if (!isWire(event["content_block"])) return recording.malformed(event)
        if (!isRepeated(event, event["content_block"])) start(numberOf(event["index"]), event["content_block"])
        return
      case "content_block_stop": {
        const slot = find(event)
        if (slot) draft.close(slot)
        return
      }
      case "message_start": {
        const message = wireOf(event["message"])
        recording.identify(message["id"], message["model"])
        recording.usage = readUsage(message["usage"], recording.usage)
        return
      }
      case "message_delta":
        return readEnd(event)
      case "message_stop":
        recording.marked = true
        for (const slot of draft.slots) draft.close(slot)
        return
      case "error":
        return recording.fail(stringOf(wireOf(event["error"])["message"]) || "unknown error", event["error"])
      case "ping":
        return
      case "message":
        return readWhole(event)
      default:
        return recording.unknown(event)
    }
  }

  const compose = (blocks: readonly Block[], slots: readonly Slot<AnthropicState>[]): Message => {
    const paused = recording.meant === "paused"
    const content = slots.map(({ state }) => state.wire)
    const wire = { role: "assistant", content, ...(paused && { stop_reason: "pause_turn" }) }
    return { role: "assistant", blocks, native: { anthropic: wire }, ...(paused && { paused: true as const }) }
  }

  return { format: "anthropic", read, build: buildBlock, compose }
}
