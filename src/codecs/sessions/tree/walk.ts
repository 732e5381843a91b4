/**
 * The way from the root of a session to a leaf. What is broken on it is reported; the order of the file takes over
 * there. No record is visited twice, so that cycles end.
 */
import type { Diagnostic, Place, Wire } from "../../../model/index.ts"
import { anomaly } from "../anomaly.ts"
import { none, type Tree } from "./read-tree.ts"

export interface Walk {
  /** From the root to the leaf. */
  readonly path: readonly number[]
  readonly diagnostics: readonly Diagnostic[]
}

const previousEntry = (tree: Tree, index: number): number => {
  let previous = index - 1
  while (previous >= 0 && !tree.isEntry(previous)) previous--
  return previous
}

export const walkTo = (tree: Tree, leaf: number, lines?: readonly number[]): Walk => {
  const { records, naming } = tree
  const path: number[] = []
  const diagnostics: Diagnostic[] = []
  const seen = new Set<number>()
  const placeOf = (index: number): Place => {
    const line = lines?.[index]
    return { path: `records[${index}]`, ...(line !== undefined && { line }) }
  }
  const nameOf = (index: number): string => naming.idOf(records[index] as Wire) ?? `#${index}`
  let lowest = leaf
  let index = leaf
  while (index >= 0) {
    if (seen.has(index)) {
      diagnostics.push(anomaly("parent-cycle", placeOf(index), `Record ${nameOf(index)} is its own ancestor`))
      index = previousEntry(tree, lowest)
      continue
    }
    seen.add(index)
    if (index < lowest) lowest = index
    if (tree.dangling.has(index)) {
      const parent = String(naming.parentOf(records[index] as Wire))
      const what = `Record ${nameOf(index)} names the parent ${parent}, which is not in the file`
      diagnostics.push(anomaly("dangling-parent", placeOf(index), what))
    }
    path.push(index)
    index = tree.parents[index] ?? none
  }
  return { path: path.reverse(), diagnostics: diagnostics.reverse() }
}
