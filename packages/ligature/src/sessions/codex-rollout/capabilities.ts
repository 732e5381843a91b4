/** What a rollout can express: items of the Responses API, as far as Codex loads them again. */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { capabilities as responses } from "../../formats/openai-responses/capabilities.ts"

export const capabilities: Capabilities = {
  homes: {
    ...responses.homes,
    F3: "none",
    F7: "convention",
    F9: "none",
    F18: "none",
    F19: "none",
    F20: "convention",
    F21: "none",
    F22: "convention",
    F25: "convention",
    F26: "convention",
  },
}
