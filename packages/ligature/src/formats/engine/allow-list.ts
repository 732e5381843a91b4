/**
 * Writing only what a format knows. Providers reject fields they have not heard of, so each codec lists the fields of its
 * values. A clean value comes back as it is, so that stripping a clean request costs no copy.
 */
import type { Wire } from "../../model/index.ts"

const withOnly = (wire: Wire, fields: readonly string[]): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([name]) => fields.includes(name)))

/** The value with the listed fields alone. */
export const pickFields = (wire: Wire, fields: readonly string[]): Wire => {
  // Most values have their fields in the order of the list, so that one comparison per field is enough.
  let next = 0
  for (const key in wire) {
    if (fields[next] !== key) {
      // Lists are short and names interned: a plain scan beats hash and built-in.
      next = 0
      while (next < fields.length && fields[next] !== key) next++
      if (next === fields.length) return withOnly(wire, fields)
    }
    next++
  }
  return wire
}

/** The value without the listed fields. */
export const omitFields = (wire: Wire, fields: readonly string[]): Wire => {
  for (const key in wire) {
    if (fields.includes(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => !fields.includes(name)))
  }
  return wire
}

/** The list with a change applied to each element; the same list when nothing changed. */
export const mapElements = (list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] => {
  for (let index = 0; index < list.length; index++) {
    if (change(list[index]) !== list[index]) return list.map(change)
  }
  return list
}

/** The value with a change applied to each element of one of its lists. */
export const mapList = (wire: Wire, key: string, change: (value: unknown) => unknown): Wire => {
  const list = wire[key]
  if (!Array.isArray(list)) return wire
  const changed = mapElements(list, change)
  return changed === list ? wire : { ...wire, [key]: changed }
}

/** Fields of storage that agents put beside a request. Parameters are not ours to judge. */
export const storageFields: readonly string[] = ["ts", "timestamp", "version", "updated_at", "sessionId", "agent"]
