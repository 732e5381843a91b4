/** What the generateContent API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F5", "F8", "F10", "F11", "F12", "F17", "F21", "F22"],
  convention: ["F1", "F2", "F3", "F4", "F6", "F7", "F15", "F19", "F20"],
})
