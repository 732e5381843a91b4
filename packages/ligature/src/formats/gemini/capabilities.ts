/** What the generateContent API can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["structured-result", "thinking-signature", "block-order", "parallel-calls", "call-grouping", "result-tool-name", "audio", "server-tools"],
  convention: ["result-error", "result-image", "result-document", "result-video", "empty-result", "thinking", "call-id", "citations", "refusal"],
})
