/** What the Messages API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F2", "F3", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F15", "F18", "F19", "F22", "F25", "F26"],
  convention: ["F20", "F23"],
})
