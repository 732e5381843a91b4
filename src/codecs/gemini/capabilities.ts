/** What the generateContent API can express. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "convention",
    F2: "convention",
    F3: "convention",
    F4: "convention",
    F5: "native",
    F6: "convention",
    F7: "convention",
    F8: "native",
    F9: "none",
    F10: "native",
    F11: "native",
    F12: "native",
    F13: "none",
    F14: "none",
    F15: "convention",
    F16: "none",
    F17: "native",
    F18: "none",
    F19: "convention",
    F20: "convention",
    F21: "native",
    F22: "native",
    F23: "none",
    F24: "none",
    F25: "none",
    F26: "none",
  },
}
