/** What a rollout can express: items of the Responses API, as far as Codex loads them again. */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { capabilities as responses } from "../../formats/openai-responses/capabilities.ts"

export const capabilities: Capabilities = {
  homes: {
    ...responses.homes,
    "result-document": "none",
    thinking: "convention",
    "redacted-thinking": "none",
    "cache-marks": "none",
    citations: "none",
    refusal: "convention",
    audio: "none",
    "server-tools": "convention",
    "compaction-marks": "convention",
    "tool-references": "convention",
  },
}
