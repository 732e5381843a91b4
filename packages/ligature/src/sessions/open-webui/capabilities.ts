/** What an Open WebUI chat can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F6", "F7", "F10", "F11", "F12", "F13", "F15", "F16", "F23"],
  convention: ["F1"],
})
