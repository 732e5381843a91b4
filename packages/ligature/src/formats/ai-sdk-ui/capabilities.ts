/** What UIMessage can express. Outputs are any JSON: media inside are carried by the shape the SDK gives content. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "structured-result", "empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "result-tool-name", "audio", "system-in-the-middle"],
  convention: ["result-image", "result-document", "result-video"],
})
