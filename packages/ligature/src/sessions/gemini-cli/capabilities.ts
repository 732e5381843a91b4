/**
 * What a session of the Gemini CLI can express: what its API can, with calls, results and thoughts in homes of their
 * own.
 */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { gemini } from "../../formats/gemini/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...gemini.capabilities.homes,
    "result-error": "native",
    thinking: "native",
    // Calls stand behind all text of their record.
    "block-order": "none",
    "call-id": "native",
    "system-in-the-middle": "none",
    "compaction-marks": "convention",
  },
}
