/** What the Converse API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F2", "F3", "F4", "F5", "F7", "F8", "F9", "F10", "F11", "F12", "F15", "F18", "F19", "F21"],
  convention: ["F6", "F20", "F22", "F23", "F26"],
})
