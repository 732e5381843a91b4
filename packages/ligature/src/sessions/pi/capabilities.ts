/** What a pi session can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "empty-result", "thinking", "thinking-signature", "redacted-thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "result-tool-name", "compaction-marks"],
  convention: ["system-in-the-middle"],
})
