/**
 * Writing by patching: a wire value that already says what is to be written is returned as the very same object, so that its
 * record keeps its bytes; otherwise its other fields stay. No codec compares fields by hand.
 */
import { type Wire, withFields } from "../../model/index.ts"

/** `wire` with these fields; undefined takes a field away. */
export const patch = (wire: Wire | undefined, fields: Wire): Wire => {
  if (wire) {
    let same = true
    for (const key in fields) {
      if (wire[key] !== fields[key]) {
        same = false
        break
      }
    }
    if (same) return wire
  }
  const patched: Record<string, unknown> = withFields(wire, fields)
  for (const key in fields) if (fields[key] === undefined) delete patched[key]
  return patched
}

/** The list itself where it has the very same elements. */
export const patchList = (before: unknown, elements: readonly unknown[]): readonly unknown[] => {
  if (!Array.isArray(before) || before.length !== elements.length) return elements
  return elements.every((element, index) => element === before[index]) ? (before as readonly unknown[]) : elements
}
