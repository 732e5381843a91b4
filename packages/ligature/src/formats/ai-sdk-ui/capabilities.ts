/** What UIMessage can express. Outputs are any JSON: media inside are carried by the shape the SDK gives content. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F1", "F5", "F6", "F7", "F10", "F11", "F12", "F15", "F17", "F21", "F23"],
  convention: ["F2", "F3", "F4"],
})
