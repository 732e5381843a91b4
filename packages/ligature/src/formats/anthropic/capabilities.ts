/** What the Messages API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "result-document", "empty-result", "thinking", "thinking-signature", "redacted-thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "cache-marks", "citations", "server-tools", "compaction-marks", "tool-references"],
  convention: ["refusal", "system-in-the-middle"],
})
