/**
 * Chat Completions streams: chunks whose delta adds to one message, a finish reason, `[DONE]`. The message has no order
 * among words, reasoning and calls, so that each is gathered by itself; blocks stand in the order in which they began.
 */
import { isWire, type Wire } from "../../../model/index.ts"
import type { Slot } from "../../engine/recorder/draft.ts"
import { listOf, stringOf, wireOf } from "../../engine/recorder/fields.ts"
import { shown } from "../../engine/recorder/problems.ts"
import type { StopReason } from "../../engine/recorder/recorder.ts"
import type { Recording } from "../../engine/recorder/recording.ts"
import type { StreamReader } from "../../engine/recorder/stream-recorder.ts"
import { buildCall, ChatCalls } from "./calls.ts"
import type { CallSlot } from "./call-finder.ts"
import { Content } from "./content.ts"
import { composeMessage } from "./message.ts"
import { onlyPiece } from "./only-piece.ts"
import { reasoningFields } from "../reasoning.ts"
import { Reasoning } from "./reasoning.ts"
import type { ChatState } from "./state.ts"
import { readUsage } from "./usage.ts"

const meanings: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  end_turn: "end",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "refused",
  refusal: "refused",
}

export const chatReader = (recording: Recording<ChatState>): StreamReader<ChatState> => {
  const { draft } = recording
  const calls = new ChatCalls(recording)
  const reasoning = new Reasoning()
  const content = new Content(draft)
  const others: Record<string, unknown> = {}
  let thinking: Slot<ChatState> | undefined

  const readReasoning = (delta: Wire): void => {
    const words = reasoning.take(delta)
    if (!thinking && reasoning.isBlank) return
    thinking ??= draft.open("thinking", { type: "reasoning" })
    draft.add(thinking, words)
    draft.touch(thinking)
  }

  const readCalls = (pieces: unknown): void => {
    if (Array.isArray(pieces)) {
      for (let index = 0; index < pieces.length; index++) if (isWire(pieces[index])) calls.take(pieces[index])
    } else if (isWire(pieces)) calls.take(pieces)
  }

  const keep = (name: string, value: unknown): void => {
    const before = others[name]
    if (value !== null && value !== undefined) {
      others[name] = Array.isArray(value) && Array.isArray(before) ? before.concat(value) : value
    }
  }

  /** Each kind of field has one reader, in whatever order fields stand; reasoning is said before words and calls. */
  const readDelta = (delta: Wire): void => {
    let reasons = false
    let speaks = false
    for (const name in delta) {
      if (name === "tool_calls" || name === "role" || name === "function_call") continue
      if (name === "content" || name === "refusal" || name === "audio") speaks = true
      else if ((reasoningFields as readonly string[]).includes(name)) reasons = true
      else keep(name, delta[name])
    }
    if (reasons) readReasoning(delta)
    if (speaks) content.take(delta)
    readCalls(delta["tool_calls"])
    if (isWire(delta["function_call"])) calls.takeLegacy(delta["function_call"])
  }

  const finish = (): void => {
    for (const slot of draft.slots) draft.close(slot)
  }

  const end = (reason: string): void => {
    // Gateways hand on what the server behind them said, in capitals too.
    const meant = reason.toLowerCase()
    recording.stop(reason, Object.hasOwn(meanings, meant) ? (meanings[meant] ?? "other") : "other")
    finish()
  }

  const readChoice = (choice: Wire): void => {
    const delta = choice["delta"] ?? choice["message"]
    if (isWire(delta)) readDelta(delta)
    if (isWire(choice["usage"])) recording.usage = readUsage(choice["usage"], recording.usage)
    const reason = choice["finish_reason"]
    if (typeof reason !== "string" || reason === "") return
    if (reason === "error") return recording.fail(`finish_reason ${reason}`, choice)
    end(reason)
  }

  const readError = (error: unknown): void => {
    const message = isWire(error) ? stringOf(error["message"]) : stringOf(error)
    recording.fail(message || shown(error), error)
  }

  /** Lines of a local server: the message stands at the top, thinking under its own name, `done` at the end. */
  const readLine = (line: Wire, { thinking: thought, ...message }: Wire): void => {
    readDelta(typeof thought === "string" && thought !== "" ? { ...message, reasoning: thought } : message)
    if (line["done"] !== true) return
    const usage = { prompt_tokens: line["prompt_eval_count"], completion_tokens: line["eval_count"] }
    if (usage.completion_tokens !== undefined) recording.usage = readUsage(usage, recording.usage)
    end(stringOf(line["done_reason"]) || "stop")
  }

  const read = (chunk: Wire): void => {
    const piece = onlyPiece(chunk)
    if (piece && calls.goesOn(piece)) return
    // Behind the pieces that go on: whoever sends them has said who it is with the first.
    recording.identify(chunk["id"], chunk["model"])
    const { choices, usage, error } = chunk
    if (choices === undefined && isWire(chunk["message"])) return readLine(chunk, chunk["message"])
    if (isWire(usage)) recording.usage = readUsage(usage, recording.usage)
    if (error !== undefined && error !== null) readError(error)
    if (choices === undefined && error === undefined && !isWire(usage)) return recording.unknown(chunk)
    const list = listOf(choices)
    for (let index = 0; index < list.length; index++) {
      const choice = list[index]
      if (!isWire(choice)) recording.malformed(choice)
      else if (choice["index"] === undefined || choice["index"] === null || choice["index"] === 0) readChoice(choice)
      else recording.problems.add("other-answer", "Another choice was not recorded", recording.place())
    }
  }

  const readMarker = (event: unknown): boolean => {
    if (typeof event !== "string" || event.trim() !== "[DONE]") return false
    recording.marked = true
    finish()
    return true
  }

  return {
    format: "openai-chat",
    read,
    readMarker,
    isWhole: (slot, complete) =>
      complete || (slot.state.type === "call" ? calls.isWhole(slot as CallSlot) : slot.finished),
    build: (slot, whole) => {
      const { state } = slot
      if (state.type === "call") return buildCall(state, slot.pieces.text, whole)
      return state.type === "reasoning" ? reasoning.build(whole) : content.build(slot)
    },
    compose: (blocks) => composeMessage(blocks, wireOf(others), content),
  }
}
