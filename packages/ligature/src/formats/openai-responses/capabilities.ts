/** What the Responses API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: [
    "F2", "F3", "F8", "F10", "F11", "F13", "F14", "F15", "F16",
    "F18", "F19", "F20", "F22", "F23", "F25", "F26",
  ],
  convention: ["F1", "F6", "F7", "F9", "F12", "F17", "F21"],
})
