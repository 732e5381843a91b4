/** What an export of opencode can express: parts in their order, calls together with their results. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "result-image", "result-document", "result-video", "empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "result-tool-name", "audio"],
  convention: ["structured-result", "refusal", "server-tools", "system-in-the-middle"],
})
