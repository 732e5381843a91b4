/** What a wire value says beyond the model: marks for the prompt cache, and citations. */
import type { Wire } from "../../model/index.ts"
import type { Feature } from "../engine/codec.ts"

const nothing: readonly Feature[] = []

export const extras = ({ cache_control: mark, citations }: Wire): readonly Feature[] => {
  const cited = Array.isArray(citations) && citations.length > 0
  if (!mark && !cited) return nothing
  return cited ? (mark ? ["cache-marks", "citations"] : ["citations"]) : ["cache-marks"]
}
