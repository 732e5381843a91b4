/** What a tau2 message can say: text, calls with objects for arguments, results with an error flag. Nothing else. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F6", "F11", "F12", "F15", "F23"],
})
