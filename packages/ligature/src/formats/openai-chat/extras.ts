/** What a wire message says beyond the model: a refusal that is one, and citations. */
import type { Wire } from "../../model/index.ts"
import type { Feature } from "../engine/codec.ts"

const nothing: readonly Feature[] = []

export const extras = ({ refusal, annotations }: Wire): readonly Feature[] => {
  const cited = Array.isArray(annotations) && annotations.length > 0
  if (!refusal && !cited) return nothing
  return cited ? (refusal ? ["refusal", "citations"] : ["citations"]) : ["refusal"]
}
