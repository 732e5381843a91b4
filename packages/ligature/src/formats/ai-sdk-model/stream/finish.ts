/** How the SDK says why a step ended and what it cost, in the shapes of its versions. */
import { isWire, type Wire } from "../../../model/index.ts"
import { counts, numberOf, wireOf } from "../../engine/recorder/fields.ts"
import type { StopReason, Usage } from "../../engine/recorder/recorder.ts"

const meanings: Readonly<Record<string, StopReason>> = {
  stop: "end",
  unknown: "end",
  "tool-calls": "calls",
  length: "length",
  "content-filter": "refused",
}

/** The reason is a word, or an object with the word and what the provider said. */
export const readReason = (event: Wire): { readonly said: string; readonly meant: StopReason } | undefined => {
  const given = event["finishReason"]
  const word = isWire(given) ? given["unified"] : given
  if (typeof word !== "string") return undefined
  return { said: word, meant: Object.hasOwn(meanings, word) ? (meanings[word] ?? "other") : "other" }
}

const total = (value: unknown): unknown => (isWire(value) ? value["total"] : value)

export const readUsage = (event: Wire, before: Usage | undefined): Usage | undefined => {
  const usage = event["totalUsage"] ?? event["usage"]
  if (!isWire(usage)) return before
  const [input, output] = [wireOf(usage["inputTokens"]), wireOf(usage["outputTokens"])]
  return {
    ...counts({
      inputTokens: numberOf(total(usage["inputTokens"])) ?? usage["promptTokens"],
      outputTokens: numberOf(total(usage["outputTokens"])) ?? usage["completionTokens"],
      cacheReadTokens: usage["cachedInputTokens"] ?? input["cacheRead"],
      cacheWriteTokens: input["cacheWrite"],
      thinkingTokens: usage["reasoningTokens"] ?? output["reasoning"],
    }),
    native: { "ai-sdk-model": usage },
  }
}
