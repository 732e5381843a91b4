/** What Chat Completions can express. Servers that imitate it know `reasoning_content`; nobody has an error flag. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "convention",
    F2: "convention",
    F3: "convention",
    F4: "none",
    F5: "none",
    F6: "convention",
    F7: "convention",
    F8: "none",
    F9: "none",
    F10: "none",
    F11: "native",
    F12: "native",
    F13: "native",
    F14: "native",
    F15: "native",
    F16: "none",
    F17: "none",
    F18: "none",
    F19: "convention",
    F20: "native",
    F21: "native",
    F22: "none",
    F23: "native",
    F24: "native",
    F25: "none",
    F26: "none",
  },
}
