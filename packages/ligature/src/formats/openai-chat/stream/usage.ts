/** Tokens of a completion. They come at the end, in every chunk, or inside a choice; the latest count stands. */
import { isWire } from "../../../model/index.ts"
import { counts, wireOf } from "../../engine/recorder/fields.ts"
import type { Usage } from "../../engine/recorder/recorder.ts"

export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isWire(usage)) return before
  return {
    ...counts({
      inputTokens: usage["prompt_tokens"],
      outputTokens: usage["completion_tokens"],
      cacheReadTokens: wireOf(usage["prompt_tokens_details"])["cached_tokens"],
      thinkingTokens: wireOf(usage["completion_tokens_details"])["reasoning_tokens"],
    }),
    native: { "openai-chat": usage },
  }
}
