/** What a wire item says beyond the model: who it is, marks for the prompt cache, and citations. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Feature } from "../engine/codec.ts"

/** True when the item, or a part of its content, passes the test. */
const anywhere = (native: Wire, test: (wire: Wire) => boolean): boolean => {
  if (test(native)) return true
  const { content } = native
  return Array.isArray(content) && content.some((part) => isWire(part) && test(part))
}

const isMarked = (wire: Wire): boolean => Boolean(wire["prompt_cache_breakpoint"])

const isCited = ({ annotations }: Wire): boolean => Array.isArray(annotations) && annotations.length > 0

const nothing: readonly Feature[] = []

export const extras = (native: Wire): readonly Feature[] => {
  const named = Boolean(native["id"] ?? native["status"] ?? native["phase"])
  const marked = anywhere(native, isMarked)
  const cited = anywhere(native, isCited)
  if (!named && !marked && !cited) return nothing
  const found: Feature[] = []
  if (named) found.push("item-id")
  if (marked) found.push("cache-marks")
  if (cited) found.push("citations")
  return found
}
