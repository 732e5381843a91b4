/** The order inside a unit: fragments as they hang on each other, results as their calls stand. */
import { isWire, type Wire } from "../../../model/index.ts"
import { idsIn } from "./record.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

/** File order, unless a fragment hangs on a later one of the same reply: then each behind the one it hangs on. */
export const orderedFragments = (tree: SessionTree, unit: Unit): readonly number[] => {
  const { records } = unit
  if (records.length === 1) return records
  const own = new Set(records)
  let inverted = false
  const below = new Map<number, number[]>()
  const roots: number[] = []
  for (const index of records) {
    const parent = tree.parents[index] ?? -1
    if (!own.has(parent)) {
      roots.push(index)
      continue
    }
    if (parent > index) inverted = true
    const list = below.get(parent)
    if (list) list.push(index)
    else below.set(parent, [index])
  }
  if (!inverted) return records
  const ordered: number[] = []
  const stack = roots.reverse()
  while (stack.length > 0) {
    const index = stack.pop() as number
    ordered.push(index)
    for (const child of (below.get(index) ?? []).reverse()) stack.push(child)
  }
  return ordered.length === records.length ? ordered : records
}

/** Results in the order of their calls; those of no call, and repeated ones, behind. */
export const orderedResults = (tree: SessionTree, unit: Unit): readonly number[] => {
  const { results } = unit
  if (results.length < 2) return results
  const ordinals = new Map<string, number>()
  for (const index of orderedFragments(tree, unit)) {
    const record = tree.records[index]
    if (!isWire(record)) continue
    for (const id of idsIn(record, "tool_use")) if (!ordinals.has(id)) ordinals.set(id, ordinals.size)
  }
  const answered = new Set<string>()
  const ranks = new Map<number, number>()
  for (const index of results) {
    const [id] = idsIn(tree.records[index] as Wire, "tool_result")
    const ordinal = id === undefined || answered.has(id) ? undefined : ordinals.get(id)
    if (id !== undefined) answered.add(id)
    ranks.set(index, ordinal ?? ordinals.size)
  }
  return [...results].sort((left, right) => (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0) || left - right)
}
