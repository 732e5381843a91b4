/** What a goose session can express. */
import type { Capabilities } from "../../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "native",
    F2: "native",
    F3: "none",
    F4: "none",
    F5: "none",
    F6: "native",
    F7: "native",
    F8: "native",
    F9: "native",
    F10: "native",
    F11: "native",
    F12: "native",
    F13: "none",
    F14: "none",
    F15: "native",
    F16: "none",
    F17: "none",
    F18: "none",
    F19: "none",
    F20: "none",
    F21: "native",
    F22: "none",
    F23: "convention",
    F24: "none",
    F25: "native",
    F26: "none",
  },
}
