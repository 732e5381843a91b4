/** What ModelMessage can express. Signatures live in provider options, which only their own provider can fill. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F2", "F3", "F4", "F5", "F6", "F7", "F10", "F11", "F12", "F15", "F17", "F21", "F23"],
})
