/** What ModelMessage can express. Signatures live in provider options, which only their own provider can fill. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "result-document", "result-video", "structured-result", "empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "result-tool-name", "audio", "system-in-the-middle"],
})
