/** What Chat Completions can express. Servers that imitate it know `reasoning_content`; nobody has an error flag. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["parallel-calls", "call-grouping", "raw-arguments", "free-text-call", "call-id", "refusal", "audio", "system-in-the-middle", "speaker-name"],
  convention: ["result-error", "result-image", "result-document", "empty-result", "thinking", "citations"],
})
