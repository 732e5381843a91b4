/** What a Copilot CLI session can express. */
import type { Capabilities } from "../../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "native",
    F2: "none",
    F3: "none",
    F4: "none",
    F5: "none",
    F6: "native",
    F7: "native",
    F8: "native",
    F9: "convention",
    F10: "none",
    F11: "native",
    F12: "native",
    F13: "convention",
    F14: "native",
    F15: "native",
    F16: "none",
    F17: "none",
    F18: "none",
    F19: "none",
    F20: "none",
    F21: "none",
    F22: "none",
    F23: "native",
    F24: "none",
    F25: "native",
    F26: "none",
  },
}
