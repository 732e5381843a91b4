/** What a wire message says beyond the model: a refusal that is one, and citations. */
import type { Wire } from "../../model/index.ts"
import type { Feature } from "../codec.ts"

export const extras = (native: Wire): readonly Feature[] => {
  const found: Feature[] = []
  if (native["refusal"]) found.push("F20")
  if (Array.isArray(native["annotations"]) && native["annotations"].length > 0) found.push("F19")
  return found
}
