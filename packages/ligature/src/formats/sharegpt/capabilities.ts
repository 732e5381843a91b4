/** What ShareGPT can express: words, calls by position, and little else. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["parallel-calls", "call-grouping", "system-in-the-middle"],
  convention: ["result-error", "empty-result"],
})
