/** What a wire value says beyond the model: marks for the prompt cache, and citations. */
import type { Wire } from "../../model/index.ts"
import type { Feature } from "../codec.ts"

export const extras = (native: Wire): readonly Feature[] => {
  const found: Feature[] = []
  if (native["cache_control"]) found.push("F18")
  if (Array.isArray(native["citations"]) && native["citations"].length > 0) found.push("F19")
  return found
}
