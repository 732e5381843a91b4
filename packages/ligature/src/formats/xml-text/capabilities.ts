/** What calls and results written as text can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F10", "F13", "F14", "F17", "F23", "F24"],
  convention: ["F1", "F6", "F7", "F11", "F12"],
})
