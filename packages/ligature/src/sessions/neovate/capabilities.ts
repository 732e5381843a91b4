/** What a Neovate session can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F2", "F6", "F7", "F10", "F11", "F12", "F15", "F17", "F23"],
  convention: ["F25"],
})
