/** What an Open WebUI chat can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "raw-arguments", "call-id", "item-id", "system-in-the-middle"],
  convention: ["result-error"],
})
