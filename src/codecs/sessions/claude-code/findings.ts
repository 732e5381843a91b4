/** What the tree of a session gets wrong along one path, as diagnostics: at most one per record. */
import { type Diagnostic, isWire, type Place, type Wire } from "../../../model/index.ts"
import { anomaly } from "../anomaly.ts"
import { idsIn, isBoundary, kinds, textIn } from "./record.ts"
import type { SessionTree, Unit } from "./tree.ts"

/** Records from a unit's last one to the root: all that a walk over single lines would see. */
const naiveWalk = (tree: SessionTree, tip: number): Uint8Array => {
  const seen = new Uint8Array(tree.records.length)
  const unit = tree.units[tip]
  let index = unit ? Math.max(unit.records.at(-1) ?? 0, unit.results.at(-1) ?? 0) : -1
  while (index >= 0 && seen[index] === 0) {
    seen[index] = 1
    index = tree.parents[index] ?? -1
  }
  return seen
}

const persistedMark = "<persisted-output>"

/** The file in which a large output was stored apart. */
const storedApart = (record: Wire): string | undefined => {
  const result = record["toolUseResult"]
  const path = textIn(result, "persistedOutputPath")
  if (path !== undefined) return path
  const { message } = record
  const content = isWire(message) ? message["content"] : undefined
  if (!Array.isArray(content)) return undefined
  for (const block of content) if (textIn(block, "content")?.startsWith(persistedMark)) return "a file named in its text"
  return undefined
}

export interface FindingOptions {
  readonly placeOf: (record: number) => Place
  /** The units that were read, and the one the path ends with. */
  readonly units: readonly number[]
  readonly tip: number
  readonly circular: readonly number[]
}

export const findAnomalies = (tree: SessionTree, options: FindingOptions): readonly Diagnostic[] => {
  const { placeOf, units, tip } = options
  const found: Diagnostic[] = []
  const naive = naiveWalk(tree, tip)
  const uuidOf = (index: number): string => textIn(tree.records[index], "uuid") ?? `#${index}`
  const onPath = new Set(units)

  const dangling = (index: number): void => {
    const record = tree.records[index] as Wire
    const parent = textIn(record, "parentUuid") ?? textIn(record, "logicalParentUuid") ?? ""
    const what = isBoundary(record) ? "The compaction continues" : "The record hangs on"
    found.push(anomaly("dangling-parent", placeOf(index), `${what} ${parent}, which is not in the file`, [parent]))
  }
  const perUnit = (unit: Unit): void => {
    const missed: string[] = []
    for (const index of unit.results) {
      const record = tree.records[index] as Wire
      if (naive[index] === 0) missed.push(...idsIn(record, "tool_result"))
      const path = storedApart(record)
      if (path === undefined) continue
      found.push(anomaly("missing-context", placeOf(index), `The result was too large: the whole is in ${path}`, idsIn(record, "tool_result")))
    }
    if (missed.length === 0 || !unit.assistant) return
    const what = `The walk over single records misses ${missed.length === 1 ? "the result of" : "results of"} ${missed.join(", ")}`
    found.push(anomaly("off-path-result", placeOf(unit.results[0] ?? 0), what, missed))
  }

  for (const index of units) perUnit(tree.units[index] as Unit)
  // What precedes the first message of a path was cut away with the head of the file: that is how slices look.
  const first = tree.units[units[0] ?? -1]?.records[0] ?? 0
  for (const index of tree.dangling) {
    const unit = tree.unitOf[index] ?? -1
    const read = unit >= 0 ? onPath.has(unit) : naive[index] === 1
    if (read && index > first && !(tree.units[unit]?.assistant === false && tree.kinds[index] === kinds.results)) dangling(index)
  }
  for (const index of tree.early) {
    if (!onPath.has(tree.unitOf[index] ?? -1)) continue
    const ids = idsIn(tree.records[index] as Wire, "tool_result")
    found.push(anomaly("result-before-call", placeOf(index), `The result of ${ids.join(", ")} stands before its call`, ids))
  }
  for (const index of tree.repeated) {
    found.push(anomaly("repeated-record", placeOf(index), `The record ${uuidOf(index)} stands in the file again`, [uuidOf(index)]))
  }
  const circles = new Set([...tree.circular, ...options.circular.map((unit) => tree.units[unit]?.records[0] ?? 0)])
  for (const index of circles) {
    found.push(anomaly("parent-cycle", placeOf(index), `The parents of ${uuidOf(index)} lead back to it`, [uuidOf(index)]))
  }
  for (let index = 0; index < tree.kinds.length; index++) {
    if (tree.kinds[index] !== kinds.malformed) continue
    found.push(anomaly("malformed-record", placeOf(index), `The record ${uuidOf(index)} holds no message`, [uuidOf(index)]))
  }
  return found
}
