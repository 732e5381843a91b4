/** What the messages of the tracing standard can express. They have no error flag and no signatures. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["structured-result", "empty-result", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "audio", "system-in-the-middle", "speaker-name"],
  convention: ["result-error", "result-image", "result-document", "result-video"],
})
