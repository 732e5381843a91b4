/**
 * The way from the root of a session to a leaf. What is broken on it is reported; the order of the file takes over
 * there. No record is visited twice, so that cycles end.
 */
import type { Diagnostic, Place, Wire } from "../../model/index.ts"
import { anomaly } from "./anomaly.ts"
import { none, type Tree } from "./read-tree.ts"
import type { Links } from "./relink.ts"

export interface Walk {
  /** From the root to the leaf. */
  readonly path: readonly number[]
  /** Where links are broken: what hangs on what, as it was walked. */
  readonly links: Links
  readonly diagnostics: readonly Diagnostic[]
}

const previousEntry = (tree: Tree, index: number): number => {
  let previous = index - 1
  while (previous >= 0 && !tree.isEntry(previous)) previous--
  return previous
}

/** `restarts`: roots from which the walk goes on with the record before them in the file. */
export const walkTo = (tree: Tree, leaf: number, lines?: readonly number[], restarts?: (record: Wire) => boolean): Walk => {
  const { records, naming } = tree
  const path: number[] = []
  const links = new Map<number, number>()
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
      const last = path.at(-1) ?? index
      const name = nameOf(last)
      diagnostics.push(anomaly("parent-cycle", placeOf(last), `The parents of record ${name} lead back to it`, [name]))
      index = previousEntry(tree, lowest)
      links.set(last, index)
      continue
    }
    seen.add(index)
    if (index < lowest) lowest = index
    path.push(index)
    const parent = tree.parents[index] ?? none
    if (tree.dangling.has(index) && !seen.has(parent)) {
      const named = naming.parentOf(records[index] as Wire)
      const [name, missing] = [nameOf(index), typeof named === "string" ? named : undefined]
      const said = missing === undefined ? "names no parent" : `names the parent ${missing}, which is not in the file`
      const ids = missing === undefined ? [name] : [name, missing]
      diagnostics.push(anomaly("dangling-parent", placeOf(index), `Record ${name} ${said}`, ids))
      links.set(index, parent)
    }
    index = parent === none && restarts?.(records[index] as Wire) ? previousEntry(tree, lowest) : parent
  }
  return { path: path.reverse(), links, diagnostics: diagnostics.reverse() }
}
