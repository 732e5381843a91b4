/** What the Converse API can express. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "native",
    F2: "native",
    F3: "native",
    F4: "native",
    F5: "native",
    F6: "convention",
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
    F18: "native",
    F19: "native",
    F20: "convention",
    F21: "native",
    F22: "convention",
    F23: "convention",
    F24: "none",
    F25: "none",
    F26: "convention",
  },
}
