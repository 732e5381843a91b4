/**
 * Chat Completions streams, written: chunks whose delta adds to one message. The message has one text, one reasoning and
 * a list of calls, so that blocks of a kind are joined as the encoder joins them, and calls may grow side by side.
 */
import { type AssistantMessage, type Block, isWire, type Wire } from "../../../model/index.ts"
import type { Recorded, StopReason, Usage } from "../../engine/recorder/recorder.ts"
import type { Entry, Paper, Pen } from "../../engine/recorder/stream-writer.ts"
import { nativeWireOf } from "../native.ts"
import { fieldsOf } from "../reasoning.ts"
import { writeAssistant } from "../write-assistant.ts"
import { writeCall } from "../write-call.ts"
import { writeContent } from "../write-content.ts"

const finishReasons: Readonly<Partial<Record<StopReason, string>>> = {
  calls: "tool_calls",
  length: "length",
  refused: "content_filter",
}

const usageOf = ({ native, inputTokens = 0, outputTokens = 0, cacheReadTokens, thinkingTokens }: Usage): Wire => {
  const own = native["openai-chat"]
  if (isWire(own)) return own
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens !== undefined && { prompt_tokens_details: { cached_tokens: cacheReadTokens } }),
    ...(thinkingTokens !== undefined && { completion_tokens_details: { reasoning_tokens: thinkingTokens } }),
  }
}

type Field = "content" | "refusal" | "reasoning_content" | "reasoning"

/** The field in which a text grows; undefined: its wire value is more than a text. */
const fieldOf = (block: Block): Field | undefined => {
  const native = nativeWireOf(block)
  if (block.type === "text") return native === undefined ? "content" : "type" in native ? undefined : "refusal"
  if (block.type !== "thinking" || block.redacted === true) return undefined
  if (native === undefined) return "reasoning_content"
  const names = Object.keys(native)
  const [only] = names
  return names.length === 1 && (only === "reasoning_content" || only === "reasoning") ? only : undefined
}

export const chatPen = (paper: Paper): Pen => {
  const { options } = paper
  const begun = new Set<Field>()
  const fields = new Map<number, Field>()
  let calls = 0

  const head = (object: string, recorded?: Recorded): Wire => ({
    id: options.id ?? recorded?.responseId ?? "chatcmpl-0",
    object,
    created: options.created ?? 0,
    model: options.model ?? recorded?.origin.model ?? "",
  })
  const chunk = (delta: Wire, reason: string | null = null): void =>
    paper.emit({ ...head("chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason: reason }] })

  const begin = (field: Field): string => {
    const separator = begun.has(field) ? "\n\n" : ""
    begun.add(field)
    return separator
  }

  const startCall = (entry: { place: number } | undefined, wire: Wire, emptied: boolean): void => {
    const index = calls++
    if (entry) entry.place = index
    const key = isWire(wire["custom"]) ? "custom" : "function"
    const inner = wire[key] as Wire
    const empty = emptied ? { ...inner, [key === "custom" ? "input" : "arguments"]: "" } : inner
    chunk({ tool_calls: [{ index, ...wire, [key]: empty }] })
  }

  const add = (field: Field, piece: string): void => chunk({ [field]: piece })

  const whole = (block: Block): void => {
    const native = nativeWireOf(block)
    switch (block.type) {
      case "call":
        return startCall(undefined, writeCall(block, {}), false)
      case "thinking": {
        const said = native && "type" in native ? { content: [native] } : fieldsOf(block)
        if (Object.keys(said).length > 0) return chunk(said)
        return block.signature === undefined ? undefined : paper.lose("redacted-thinking", block.signature)
      }
      case "result":
        return paper.lose("server-tools", block.native)
      case "opaque":
        if (block.kind === "audio" && native && !("type" in native)) return chunk(native)
    }
    const content = writeContent([block], undefined, "assistant", {})
    if (typeof content === "string") {
      if (content !== "") add("content", begin("content") + content)
    } else if (content === undefined) paper.lose("server-tools", block.native)
    else chunk({ content })
  }

  const reasonOf = ({ said, origin, stop }: Recorded): string =>
    (origin.provider === "openai-chat" && said !== undefined ? said : undefined) ?? finishReasons[stop] ?? "stop"

  return {
    format: "openai-chat",
    overlaps: true,
    freeText: true,
    begin: (kind) => chunk({ role: "assistant", content: kind === "text" ? "" : null }),
    grows: (block) => block.type === "call" || fieldOf(block) !== undefined,
    start: (entry: Entry, block) => {
      if (block.type === "call") return startCall(entry, writeCall(block, {}), true)
      const field = fieldOf(block) ?? "content"
      fields.set(entry.at, field)
      const separator = begin(field)
      if (separator !== "") add(field, separator)
    },
    add: ({ kind, at, place }, piece) => {
      if (kind !== "call") return add(fields.get(at) ?? "content", piece)
      return chunk({ tool_calls: [{ index: place, function: { arguments: piece } }] })
    },
    close: (_, block) => {
      if (block.type !== "thinking" || nativeWireOf(block) !== undefined || block.signature === undefined) return
      paper.lose("thinking-signature", block.signature)
    },
    whole,
    finish: (recorded) => {
      chunk({}, reasonOf(recorded))
      if (recorded.usage) paper.emit({ ...head("chat.completion.chunk"), choices: [], usage: usageOf(recorded.usage) })
      paper.emit("[DONE]")
    },
    fail: (message) => paper.emit({ error: { message, type: "server_error", param: null, code: null } }),
    reply: (recorded) => ({
      ...head("chat.completion", recorded),
      choices: [
        {
          index: 0,
          message: writeAssistant(recorded.message as AssistantMessage, false, {}) ?? { role: "assistant", content: "" },
          finish_reason: reasonOf(recorded),
        },
      ],
      ...(recorded.usage && { usage: usageOf(recorded.usage) }),
    }),
  }
}
