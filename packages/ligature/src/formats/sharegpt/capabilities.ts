/** What ShareGPT can express: words, calls by position, and little else. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F11", "F12", "F23"],
  convention: ["F1", "F6"],
})
