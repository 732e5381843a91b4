/** Anthropic Messages streams, written: blocks strictly one after the other, each of which starts, grows and stops. */
import { type Block, isWire, jsonText, type Wire } from "../../../model/index.ts"
import { listOf, stringOf } from "../../engine/recorder/fields.ts"
import type { Recorded, StopReason, Usage } from "../../engine/recorder/recorder.ts"
import { callText, type Entry, type Paper, type Pen } from "../../engine/recorder/stream-writer.ts"
import { encodeBlock, isSayable } from "../encode.ts"

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

  /** What stands behind the text of a block, and its stop. */
  const stop = (wire: Wire): void => {
    if (wire["type"] === "thinking" && stringOf(wire["signature"]) !== "") {
      delta({ type: "signature_delta", signature: wire["signature"] })
    }
    if (wire["type"] === "text") for (const citation of listOf(wire["citations"])) delta({ type: "citations_delta", citation })
    emit({ type: "content_block_stop", index })
    content.push(wire)
    index++
  }

  const add = (kind: Entry["kind"], piece: string): void => {
    if (kind === "text") delta({ type: "text_delta", text: piece })
    else if (kind === "thinking") delta({ type: "thinking_delta", thinking: piece })
    else delta({ type: "input_json_delta", partial_json: piece })
  }

  const whole = (block: Block): void => {
    if (!isSayable(block)) return paper.lose("server-tools", block.native)
    const wire = encodeBlock(block)
    start(wire)
    const { input } = wire
    if (announced(wire)["input"] !== input && isWire(input) && Object.keys(input).length > 0) {
      add("call", block.type === "call" && block.raw !== undefined ? callText(block) : jsonText(input))
    }
    for (const kind of ["text", "thinking"] as const) {
      if (wire["type"] === kind && stringOf(wire[kind]) !== "") add(kind, stringOf(wire[kind]))
    }
    stop(wire)
  }

  const reasonOf = ({ said, origin, stop: meant }: Recorded): string => {
    if (origin.provider === "anthropic" && said !== undefined) return said
    return stopReasons[meant] ?? "end_turn"
  }

  return {
    format: "anthropic",
    begin: () =>
      emit({
        type: "message_start",
        message: { ...head(), content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } },
      }),
    grows: (block) => block.type !== "thinking" || block.redacted !== true,
    start: (_, block) => start(encodeBlock(block)),
    add: ({ kind }, piece) => add(kind, piece),
    close: (entry, block) => {
      const wire = encodeBlock(block)
      // A text that gave way and went on later is two blocks here.
      stop(entry.kind === "text" && wire["text"] !== entry.sent ? { ...wire, text: entry.sent } : wire)
    },
    whole,
    finish: (recorded) => {
      const { usage } = recorded
      emit({
        type: "message_delta",
        delta: { stop_reason: reasonOf(recorded), stop_sequence: null },
        usage: usageOf(usage),
      })
      emit({ type: "message_stop" })
    },
    fail: (message) => emit({ type: "error", error: { type: "api_error", message } }),
    reply: (recorded) => ({
      ...head(recorded),
      content,
      stop_reason: reasonOf(recorded),
      stop_sequence: null,
      usage: usageOf(recorded.usage),
    }),
  }
}
