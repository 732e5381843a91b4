/** What calls and results written as text can express. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["block-order", "raw-arguments", "free-text-call", "result-tool-name", "system-in-the-middle", "speaker-name"],
  convention: ["result-error", "empty-result", "thinking", "parallel-calls", "call-grouping"],
})
