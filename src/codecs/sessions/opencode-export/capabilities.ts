/** What an export of opencode can express: parts in their order, calls together with their results. */
import type { Capabilities } from "../../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "native",
    F2: "native",
    F3: "native",
    F4: "native",
    F5: "convention",
    F6: "native",
    F7: "native",
    F8: "none",
    F9: "none",
    F10: "native",
    F11: "native",
    F12: "native",
    F13: "none",
    F14: "none",
    F15: "native",
    F16: "none",
    F17: "native",
    F18: "none",
    F19: "none",
    F20: "convention",
    F21: "native",
    F22: "convention",
    F23: "convention",
    F24: "none",
    F25: "none",
    F26: "none",
  },
}
