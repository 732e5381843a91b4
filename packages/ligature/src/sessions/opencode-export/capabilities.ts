/** What an export of opencode can express: parts in their order, calls together with their results. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F2", "F3", "F4", "F6", "F7", "F10", "F11", "F12", "F15", "F17", "F21"],
  convention: ["F5", "F20", "F22", "F23"],
})
