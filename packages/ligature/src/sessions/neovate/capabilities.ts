/** What a Neovate session can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "result-tool-name", "system-in-the-middle"],
  convention: ["compaction-marks"],
})
