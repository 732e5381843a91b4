/**
 * What the agent would send next: from the last compaction on. Its summary comes first, then the messages it kept in
 * sight, then all that was said since.
 */
import type { Wire } from "../../../model/index.ts"
import { preservedBy } from "./dialect.ts"
import { isBoundary, isSummary } from "./record.ts"
import type { SessionTree } from "./session-tree.ts"

const boundaryOf = (tree: SessionTree, summary: number): Wire | undefined => {
  const parent = tree.parents[summary] ?? -1
  for (const index of [parent, summary - 1, parent < 0 ? -1 : (tree.parents[parent] ?? -1)]) {
    const record = tree.records[index] as Wire | undefined
    if (index >= 0 && record && (tree.kinds[index] ?? 0) > 0 && isBoundary(record)) return record
  }
  return undefined
}

/** Units of a path that a compaction keeps, in the order of the path. */
const keptUnits = (tree: SessionTree, boundary: Wire, before: readonly number[]): readonly number[] => {
  const preserved = preservedBy(boundary)
  if (!preserved) return []
  const unitOf = (uuid: string | undefined): number => tree.unitOf[tree.byUuid.get(uuid ?? "") ?? -1] ?? -1
  if (preserved.uuids.length > 0) {
    const kept = new Set(preserved.uuids.map(unitOf))
    return before.filter((unit) => kept.has(unit))
  }
  const head = before.indexOf(unitOf(preserved.head))
  const tail = before.indexOf(unitOf(preserved.tail))
  return head >= 0 && tail >= head ? before.slice(head, tail + 1) : []
}

export const effectiveUnits = (tree: SessionTree, units: readonly number[]): readonly number[] => {
  const start = units.findLastIndex((unit) => {
    const record = tree.records[tree.units[unit]?.records[0] ?? -1] as Wire | undefined
    return record !== undefined && isSummary(record)
  })
  if (start < 0) return units
  const summary = units[start] as number
  const boundary = boundaryOf(tree, tree.units[summary]?.records[0] ?? -1)
  const kept = boundary ? keptUnits(tree, boundary, units.slice(0, start)) : []
  const later = units.slice(start + 1)
  // What is kept stands behind its anchor: the summary, or the boundary itself, and so in front of the summary.
  const leads = boundary !== undefined && preservedBy(boundary)?.anchor === boundary["uuid"]
  return leads ? [...kept, summary, ...later] : [summary, ...kept, ...later]
}
