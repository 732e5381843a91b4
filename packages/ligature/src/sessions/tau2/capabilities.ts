/** What a tau2 message can say: text, calls with objects for arguments, results with an error flag. Nothing else. */
import { declareHomes } from "../../formats/engine/codec.ts"

export const capabilities = declareHomes({
  native: ["result-error", "empty-result", "parallel-calls", "call-grouping", "call-id", "system-in-the-middle"],
})
