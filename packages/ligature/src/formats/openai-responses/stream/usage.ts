/** Tokens of a response. */
import { isWire } from "../../../model/index.ts"
import { counts, wireOf } from "../../engine/recorder/fields.ts"
import type { Usage } from "../../engine/recorder/recorder.ts"

export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
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
