/** What the Responses API can express. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "convention",
    F2: "native",
    F3: "native",
    F4: "none",
    F5: "none",
    F6: "convention",
    F7: "convention",
    F8: "native",
    F9: "convention",
    F10: "native",
    F11: "native",
    F12: "convention",
    F13: "native",
    F14: "native",
    F15: "native",
    F16: "native",
    F17: "convention",
    F18: "native",
    F19: "native",
    F20: "native",
    F21: "convention",
    F22: "native",
    F23: "native",
    F24: "none",
    F25: "native",
    F26: "native",
  },
}
