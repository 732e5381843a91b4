/** What the Responses API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: [
    "result-image", "result-document", "thinking-signature", "block-order", "parallel-calls", "raw-arguments", "free-text-call", "call-id", "item-id",
    "cache-marks", "citations", "refusal", "server-tools", "system-in-the-middle", "compaction-marks", "tool-references",
  ],
  convention: ["result-error", "empty-result", "thinking", "redacted-thinking", "call-grouping", "result-tool-name", "audio"],
})
