/** What a history of these agents can express: what Anthropic's blocks can, names of models, and summaries. */
import { anthropic } from "../../formats/anthropic/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"

export const capabilities: Capabilities = {
  homes: { ...anthropic.capabilities.homes, thinking: "native", "compaction-marks": "convention" },
}
