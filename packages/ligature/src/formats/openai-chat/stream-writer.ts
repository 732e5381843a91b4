/**
 * Chat Completions streams, written: chunks whose delta adds to one message. The message has one text, one reasoning and
 * a list of calls, so that blocks of a kind are joined as the encoder joins them, and calls may grow side by side.
 */
import { type AssistantMessage, type Block, type CallBlock, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import type { Recorded, StopReason, Usage } from "../engine/recorder/recorder.ts"
import { callText, type Entry, type Paper, type Pen } from "../engine/recorder/stream-writer.ts"
import { writeAssistant } from "./encode.ts"
import { fieldsOf, nativeWireOf } from "./fields.ts"
import { writeCall, writeContent } from "./write-blocks.ts"

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

const entryOf = (call: CallBlock): Wire => {
  const entry = writeCall(call, {})
  const target = entry["function"]
  return isWire(target) ? { ...entry, function: { ...target, arguments: callText(call, "openai-chat") } } : entry
}

export const chatPen = (paper: Paper): Pen => {
  const { options } = paper
  const begun = new Set<Field>()
  const fields = new Map<number, Field>()
  /** The free-text calls, by index. */
  const custom = new Set<number>()
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
    if (key === "custom") custom.add(index)
    const inner = wire[key] as Wire
    const empty = emptied ? { ...inner, [key === "custom" ? "input" : "arguments"]: "" } : inner
    chunk({ tool_calls: [{ index, ...wire, [key]: empty }] })
  }

  const add = (field: Field, piece: string): void => chunk({ [field]: piece })

  const whole = (block: Exclude<Block, ResultBlock>): void => {
    const native = nativeWireOf(block)
    if (block.type === "call") return startCall(undefined, entryOf(block), false)
    if (block.type === "thinking") return chunk(native && "type" in native ? { content: [native] } : fieldsOf(block))
    if (block.type === "opaque" && block.kind === "audio" && native && !("type" in native)) return chunk(native)
    if (block.type === "media" && native === undefined) paper.lose("other-fields", block.source)
    const content = writeContent([block], undefined, "assistant", {})
    if (typeof content === "string") {
      if (content !== "") add("content", begin("content") + content)
    } else if (content !== undefined) chunk({ content })
  }

  /** The message, with the text of its calls as it came: faulty arguments are the client's to judge. */
  const messageOf = (message: AssistantMessage): Wire => {
    const written = writeAssistant(message, false, {}) ?? { role: "assistant", content: "" }
    const asked = message.blocks.filter((block) => block.type === "call")
    return asked.some((call) => call.fault !== undefined) ? { ...written, tool_calls: asked.map(entryOf) } : written
  }

  const reasonOf = ({ said, origin, stop }: Recorded): string =>
    (origin.provider === "openai-chat" && said !== undefined ? said : undefined) ?? finishReasons[stop] ?? "stop"

  return {
    format: "openai-chat",
    overlaps: "all",
    freeText: true,
    begin: (kind) => chunk({ role: "assistant", content: kind === "text" ? "" : null }),
    grows: (block) => block.type === "call" || fieldOf(block) !== undefined,
    start: (entry: Entry, block) => {
      if (block.type === "call") return startCall(entry, entryOf(block), true)
      const field = fieldOf(block) ?? "content"
      fields.set(entry.at, field)
      const separator = begin(field)
      if (separator !== "") add(field, separator)
    },
    add: ({ kind, at, place }, piece) => {
      if (kind !== "call") return add(fields.get(at) ?? "content", piece)
      return chunk({
        tool_calls: [{ index: place, ...(custom.has(place) ? { custom: { input: piece } } : { function: { arguments: piece } }) }],
      })
    },
    close: () => undefined,
    whole,
    finish: (recorded) => {
      chunk({}, reasonOf(recorded))
      if (recorded.usage) paper.emit({ ...head("chat.completion.chunk"), choices: [], usage: usageOf(recorded.usage) })
      paper.emit("[DONE]")
    },
    fail: (message) => {
      const body = { error: { message, type: "server_error", param: null, code: null } }
      paper.emit(body)
      return body
    },
    reply: (recorded) => ({
      ...head("chat.completion", recorded),
      choices: [
        {
          index: 0,
          message: messageOf(recorded.message as AssistantMessage),
          finish_reason: reasonOf(recorded),
        },
      ],
      ...(recorded.usage && { usage: usageOf(recorded.usage) }),
    }),
  }
}
