/** What an Open WebUI chat can express. */
import type { Capabilities } from "../../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "convention",
    F2: "none",
    F3: "none",
    F4: "none",
    F5: "none",
    F6: "native",
    F7: "native",
    F8: "none",
    F9: "none",
    F10: "native",
    F11: "native",
    F12: "native",
    F13: "native",
    F14: "none",
    F15: "native",
    F16: "native",
    F17: "none",
    F18: "none",
    F19: "none",
    F20: "none",
    F21: "none",
    F22: "none",
    F23: "native",
    F24: "none",
    F25: "none",
    F26: "none",
  },
}
