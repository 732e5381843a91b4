/**
 * The smallest differences between a message as it is and as it would be sent: a place, what is there, what would be
 * there. A finding that shows it can be acted on even where nobody knows the reason for it.
 */
import { isWire, pushAll, type Wire } from "../../model/index.ts"

export type WireDifference =
  /** Fields that are left out. */
  | { readonly type: "removed"; readonly path: string; readonly fields: readonly string[]; readonly before: Wire }
  /** A field that is missing. */
  | { readonly type: "added"; readonly path: string; readonly field: string; readonly after: unknown }
  | { readonly type: "changed"; readonly path: string; readonly before: unknown; readonly after: unknown }

const isPlainName = (key: string): boolean => /^[A-Za-z_$][\w$]*$/.test(key)

const within = (path: string, key: string): string => (isPlainName(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`)

const same = (before: unknown, after: unknown): boolean => before === after || JSON.stringify(before) === JSON.stringify(after)

const pick = (wire: Wire, fields: readonly string[]): Wire => Object.fromEntries(fields.map((field) => [field, wire[field]]))

/** Messages differ near their top; a place further down would be as hard to read as the whole value. */
const deepest = 12

const most = 4

const atOneLevel = (before: Wire, after: Wire, path: string, depth: number): readonly WireDifference[] => {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key))
  // Another name or another kind of value: neither half alone would tell it.
  if (removed.length > 0 && added.length > 0) {
    return [{ type: "changed", path, before: pick(before, removed), after: pick(after, added) }]
  }
  const changed = Object.keys(before).filter((key) => Object.hasOwn(after, key) && !same(before[key], after[key]))
  return [
    ...(removed.length > 0 ? [{ type: "removed", path, fields: removed, before } as const] : []),
    ...added.map((field) => ({ type: "added", path, field, after: after[field] }) as const),
    ...changed.flatMap((key) => differencesOf(before[key], after[key], within(path, key), depth + 1)),
  ]
}

/** Empty where both say the same; never more than a reader would look at. */
export const differencesOf = (before: unknown, after: unknown, path: string, depth = 0): readonly WireDifference[] => {
  if (same(before, after)) return []
  const whole: WireDifference = { type: "changed", path, before, after }
  if (depth === deepest) return [whole]
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const found: WireDifference[] = []
    for (let index = 0; index < before.length && found.length < most; index++) {
      pushAll(found, differencesOf(before[index], after[index], `${path}[${index}]`, depth + 1))
    }
    return found.slice(0, most)
  }
  if (!isWire(before) || !isWire(after)) return [whole]
  const found = atOneLevel(before, after, path, depth)
  // The order of the fields may be all that differs.
  return found.slice(0, most)
}

const longest = 80

/** A value in short: JSON, cut, on one line. */
export const inShort = (value: unknown): string => {
  if (value === undefined) return "nothing"
  const json = JSON.stringify(value) ?? "nothing"
  return json.length <= longest ? json : `${json.slice(0, longest).toWellFormed()}… (${json.length} characters)`
}
