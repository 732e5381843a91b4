/** What a Copilot CLI session can express. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "empty-result", "thinking", "thinking-signature", "parallel-calls", "call-grouping", "free-text-call", "call-id", "system-in-the-middle", "compaction-marks"],
  convention: ["redacted-thinking", "raw-arguments"],
})
