/** Anthropic Messages streams, written: blocks strictly one after the other, each of which starts, grows and stops. */
import { type Block, isWire, jsonText, type Wire } from "../../model/index.ts"
import type { Recorded, StopReason, Usage } from "../engine/recorder/recorder.ts"
import { callText, type Entry, type Paper, type Pen } from "../engine/recorder/stream-writer.ts"
import { listOf, stringOf } from "../engine/wire.ts"
import { encodeBlock } from "./encode.ts"

const stopReasons: Readonly<Partial<Record<StopReason, string>>> = {
  calls: "tool_use",
  length: "max_tokens",
  refused: "refusal",
  paused: "pause_turn",
}

const usageOf = (usage: Usage | undefined): Wire => {
  const native = usage?.native["anthropic"]
  if (isWire(native)) return native
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage ?? {}
  return {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...(cacheWriteTokens !== undefined && { cache_creation_input_tokens: cacheWriteTokens }),
    ...(cacheReadTokens !== undefined && { cache_read_input_tokens: cacheReadTokens }),
    output_tokens: outputTokens,
  }
}

/** The block as its start announces it: what deltas bring is still empty. */
const announced = (wire: Wire): Wire => {
  switch (wire["type"]) {
    case "text":
      return { ...wire, text: "", ...(Array.isArray(wire["citations"]) && { citations: [] }) }
    case "thinking":
      return { ...wire, thinking: "", signature: "" }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return { ...wire, input: {} }
    default:
      return wire
  }
}

export const anthropicPen = (paper: Paper): Pen => {
  const { options } = paper
  const content: Wire[] = []
  /** Argument texts that are no JSON object. */
  const faulty: string[] = []
  let index = 0

  const emit = (data: Wire & { readonly type: string }): void => paper.emit(data, data.type)
  const head = (recorded?: Recorded): Wire => ({
    id: options.id ?? recorded?.responseId ?? "msg_0",
    type: "message",
    role: "assistant",
    model: options.model ?? recorded?.origin.model ?? "",
  })
  const delta = (fields: Wire): void => emit({ type: "content_block_delta", index, delta: fields })
  const start = (wire: Wire): void => emit({ type: "content_block_start", index, content_block: announced(wire) })

  /** What comes after the text of a block, and its stop. */
  const stop = (wire: Wire, block: Block): void => {
    if (wire["type"] === "thinking" && stringOf(wire["signature"]) !== "") {
      delta({ type: "signature_delta", signature: wire["signature"] })
    }
    if (wire["type"] === "text") for (const citation of listOf(wire["citations"])) delta({ type: "citations_delta", citation })
    emit({ type: "content_block_stop", index })
    content.push(wire)
    if (block.type === "call" && block.fault !== undefined && block.fault !== "empty") faulty.push(block.raw ?? "")
    index++
  }

  const add = (kind: Entry["kind"], piece: string): void => {
    if (kind === "text") delta({ type: "text_delta", text: piece })
    else if (kind === "thinking") delta({ type: "thinking_delta", thinking: piece })
    else delta({ type: "input_json_delta", partial_json: piece })
  }

  const inputText = (block: Block, { type, input }: Wire): string => {
    if (block.type === "call") return callText(block, "anthropic")
    const grows = type === "server_tool_use" || type === "mcp_tool_use"
    return grows && isWire(input) && Object.keys(input).length > 0 ? jsonText(input) : ""
  }

  const whole = (block: Block): void => {
    const wire = encodeBlock(block)
    start(wire)
    const input = inputText(block, wire)
    if (input !== "") add("call", input)
    for (const kind of ["text", "thinking"] as const) {
      if (wire["type"] === kind && stringOf(wire[kind]) !== "") add(kind, stringOf(wire[kind]))
    }
    stop(wire, block)
  }

  const reasonOf = ({ said, origin, stop: meant }: Recorded): string => {
    if (origin.provider === "anthropic" && said !== undefined) return said
    return stopReasons[meant] ?? "end_turn"
  }

  const endOf = (recorded: Recorded): Wire => ({
    stop_reason: reasonOf(recorded),
    stop_sequence: recorded.stopSequence ?? null,
  })

  return {
    format: "anthropic",
    signs: true,
    begin: () =>
      emit({
        type: "message_start",
        message: { ...head(), content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } },
      }),
    grows: (block) => block.type !== "thinking" || block.redacted !== true,
    start: (_, block) => start(encodeBlock(block)),
    add: ({ kind }, piece) => add(kind, piece),
    close: (_, block) => stop(encodeBlock(block), block),
    whole,
    finish: (recorded) => {
      emit({ type: "message_delta", delta: endOf(recorded), usage: usageOf(recorded.usage) })
      emit({ type: "message_stop" })
    },
    fail: (message) => {
      const body = { type: "error", error: { type: "api_error", message } }
      emit(body)
      return body
    },
    reply: (recorded) => {
      // Pieces of a stream can spell anything; an answer in one piece has an object.
      for (const raw of faulty) paper.lose("raw-arguments", raw)
      return { ...head(recorded), content, ...endOf(recorded), usage: usageOf(recorded.usage) }
    },
  }
}
