/** What ModelMessage can express. Signatures live in provider options, which only their own provider can fill. */
import type { Capabilities } from "../codec.ts"

export const capabilities: Capabilities = {
  homes: {
    F1: "native",
    F2: "native",
    F3: "native",
    F4: "native",
    F5: "native",
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
    F20: "none",
    F21: "native",
    F22: "none",
    F23: "native",
    F24: "none",
    F25: "none",
    F26: "none",
  },
}
