/** What the Converse API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "result-document", "result-video", "structured-result", "thinking", "thinking-signature", "redacted-thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "cache-marks", "citations", "audio"],
  convention: ["empty-result", "refusal", "server-tools", "system-in-the-middle", "tool-references"],
})
