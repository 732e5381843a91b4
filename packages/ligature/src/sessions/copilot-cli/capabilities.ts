/** What a Copilot CLI session can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F6", "F7", "F8", "F11", "F12", "F14", "F15", "F23", "F25"],
  convention: ["F9", "F13"],
})
