/** Gemini streams, written: chunks whose parts add up. Text grows; calls and everything else come in one part. */
import { type Block, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import type { Recorded, StopReason, Usage } from "../engine/recorder/recorder.ts"
import type { Paper, Pen } from "../engine/recorder/stream-writer.ts"
import { isPlain } from "./stream.ts"
import { nativeOf, writePart } from "./write-blocks.ts"

const finishReasons: Readonly<Partial<Record<StopReason, string>>> = { length: "MAX_TOKENS", refused: "SAFETY" }

const usageOf = ({ native, inputTokens = 0, outputTokens = 0, cacheReadTokens, thinkingTokens }: Usage): Wire => {
  const own = native["gemini"]
  if (isWire(own)) return own
  return {
    promptTokenCount: inputTokens,
    ...(cacheReadTokens !== undefined && { cachedContentTokenCount: cacheReadTokens }),
    candidatesTokenCount: outputTokens - (thinkingTokens ?? 0),
    ...(thinkingTokens !== undefined && { thoughtsTokenCount: thinkingTokens }),
    totalTokenCount: inputTokens + outputTokens,
  }
}

export const geminiPen = (paper: Paper): Pen => {
  const { options } = paper
  const parts: Wire[] = []

  const body = (candidates: readonly Wire[], recorded?: Recorded): Wire => ({
    candidates,
    ...(recorded?.usage && { usageMetadata: usageOf(recorded.usage) }),
    modelVersion: options.model ?? recorded?.origin.model ?? "",
    responseId: options.id ?? recorded?.responseId ?? "response-0",
  })
  const say = (part: Wire): void => paper.emit(body([{ content: { role: "model", parts: [part] }, index: 0 }]))
  const keep = (part: Wire): void => {
    const last = parts.at(-1)
    const joins = last && isPlain(last) && isPlain(part) && last["thought"] === part["thought"]
    if (joins) parts[parts.length - 1] = { ...last, text: `${String(last["text"])}${String(part["text"])}` }
    else parts.push(part)
  }

  const whole = (block: Exclude<Block, ResultBlock>): void => {
    const part = writePart(block)
    if (!part) return
    if (block.type === "call" && block.fault !== undefined && block.raw !== undefined && block.raw !== "") {
      paper.lose("raw-arguments", block.raw)
    }
    say(part)
    keep(part)
  }

  const candidateOf = ({ said, origin, stop }: Recorded, list: readonly Wire[]): Wire => {
    const reason = (origin.provider === "gemini" ? said : undefined) ?? finishReasons[stop] ?? "STOP"
    return { content: { role: "model", parts: list }, finishReason: reason, index: 0 }
  }

  return {
    format: "gemini",
    withoutIds: true,
    begin: () => undefined,
    grows: (block) => {
      const native = nativeOf(block)
      return (block.type === "text" || (block.type === "thinking" && block.redacted !== true)) && (!native || isPlain(native))
    },
    start: () => undefined,
    add: ({ kind }, text) => say(kind === "thinking" ? { text, thought: true } : { text }),
    close: ({ kind, sent }) => keep(kind === "thinking" ? { text: sent, thought: true } : { text: sent }),
    whole,
    finish: (recorded) => paper.emit(body([candidateOf(recorded, [])], recorded)),
    fail: (message) => {
      const body = { error: { code: 500, message, status: "INTERNAL" } }
      paper.emit(body)
      return body
    },
    reply: (recorded) => body([candidateOf(recorded, parts)], recorded),
  }
}
