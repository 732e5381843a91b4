/**
 * What a session of the Gemini CLI can express: what its API can, with calls, results and thoughts in homes of their
 * own.
 */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { gemini } from "../../formats/gemini/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...gemini.capabilities.homes,
    F1: "native",
    F7: "native",
    // Calls stand behind all text of their record.
    F10: "none",
    F15: "native",
    F23: "none",
    F25: "convention",
  },
}
