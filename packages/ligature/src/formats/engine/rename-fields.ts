/** A wire value whose fields bear the names of the format. `names`: from the name it has to the name it should have. */
import type { Wire } from "../../model/index.ts"

export const renameFields = (wire: Wire, names: ReadonlyMap<string, string>): Wire => {
  const replaced = new Set(names.values())
  const entries = Object.entries(wire).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const name = names.get(key)
    if (name !== undefined) return [[name, value]]
    return replaced.has(key) ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}
