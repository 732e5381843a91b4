/** What calls and results written as text can express. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "convention",
    F2: "none",
    F3: "none",
    F4: "none",
    F5: "none",
    F6: "convention",
    F7: "convention",
    F8: "none",
    F9: "none",
    F10: "native",
    F11: "convention",
    F12: "convention",
    F13: "native",
    F14: "native",
    F15: "none",
    F16: "none",
    F17: "native",
    F18: "none",
    F19: "none",
    F20: "none",
    F21: "none",
    F22: "none",
    F23: "native",
    F24: "native",
    F25: "none",
    F26: "none",
  },
}
