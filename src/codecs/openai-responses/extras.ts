/** What a wire item says beyond the model: who it is, marks for the prompt cache, and citations. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Feature } from "../codec.ts"

const partsOf = (native: Wire): readonly Wire[] => {
  const { content } = native
  return Array.isArray(content) ? [native, ...content.filter(isWire)] : [native]
}

export const extras = (native: Wire): readonly Feature[] => {
  const found: Feature[] = []
  if (native["id"] ?? native["status"] ?? native["phase"]) found.push("F16")
  const parts = partsOf(native)
  if (parts.some((part) => part["prompt_cache_breakpoint"])) found.push("F18")
  if (parts.some((part) => Array.isArray(part["annotations"]) && part["annotations"].length > 0)) found.push("F19")
  return found
}
