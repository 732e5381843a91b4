/** What the tree of a session gets wrong along one path, as diagnostics: at most one per record. */
import { type Diagnostic, isWire, type Place, type Wire } from "../../../../model/index.ts"
import { anomaly, type AnomalyKind } from "../../anomaly.ts"
import { contentOf, idsIn, isBoundary, kinds, textIn } from "./record.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

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
  const content = contentOf(record)
  if (!Array.isArray(content)) return undefined
  for (const block of content) {
    if (!isWire(block)) continue
    const said = block["content"]
    if (typeof said !== "string" || !said.startsWith(persistedMark)) continue
    return textIn(record["toolUseResult"], "persistedOutputPath") ?? "a file named in its text"
  }
  return undefined
}

export interface FindingOptions {
  readonly placeOf: (record: number) => Place
  /** The units that were read, and the one the path ends with. */
  readonly units: readonly number[]
  readonly tip: number
  readonly circular: readonly number[]
}

class Finder {
  readonly found: Diagnostic[] = []
  private readonly tree: SessionTree
  private readonly options: FindingOptions
  private readonly naive: Uint8Array
  private readonly onPath: ReadonlySet<number>

  constructor(tree: SessionTree, options: FindingOptions) {
    this.tree = tree
    this.options = options
    this.naive = naiveWalk(tree, options.tip)
    this.onPath = new Set(options.units)
  }

  find(): readonly Diagnostic[] {
    const { tree, options } = this
    for (const unit of options.units) this.unit(tree.units[unit] as Unit)
    // What precedes the first message of a path was cut away with the head of the file: that is how slices look.
    const first = tree.units[options.units[0] ?? -1]?.records[0] ?? 0
    for (const index of tree.dangling) if (index > first && this.isOnTheWay(index)) this.dangling(index)
    for (const index of tree.early) {
      const ids = idsIn(tree.records[index] as Wire, "tool_result")
      const what = `The result of ${ids.join(", ")} stands before its call`
      if (this.isOnPath(index)) this.add("result-before-call", index, what, ids)
    }
    for (const uuid of tree.collapsed) {
      this.found.push(anomaly("collapsed-id", {}, `Different records bear the uuid ${uuid}`, [uuid]))
    }
    for (const { record } of tree.repeated) {
      this.record("repeated-record", record, (uuid) => `The record ${uuid} stands in the file again`)
    }
    const circles = new Set(tree.circular)
    for (const unit of options.circular) circles.add(tree.units[unit]?.records[0] ?? 0)
    for (const index of circles) this.record("parent-cycle", index, (uuid) => `The parents of ${uuid} lead back to it`)
    for (let index = 0; index < tree.kinds.length; index++) {
      if (tree.kinds[index] !== kinds.malformed) continue
      this.record("malformed-record", index, (uuid) => `The record ${uuid} holds no message`)
    }
    return this.found
  }

  private add(kind: AnomalyKind, index: number, what: string, ids: readonly string[]): void {
    this.found.push(anomaly(kind, this.options.placeOf(index), what, ids))
  }

  private record(kind: AnomalyKind, index: number, say: (uuid: string) => string): void {
    const uuid = textIn(this.tree.records[index], "uuid") ?? `#${index}`
    this.add(kind, index, say(uuid), [uuid])
  }

  private isOnPath(index: number): boolean {
    return this.onPath.has(this.tree.unitOf[index] ?? -1)
  }

  /** Whether the parent of a record matters to the path: results find their calls without it. */
  private isOnTheWay(index: number): boolean {
    const kind = this.tree.kinds[index]
    if (kind === kinds.results) return false
    return kind === kinds.fragment || kind === kinds.words ? this.isOnPath(index) : this.naive[index] === 1
  }

  private dangling(index: number): void {
    const record = this.tree.records[index] as Wire
    const parent = textIn(record, "parentUuid") ?? textIn(record, "logicalParentUuid") ?? ""
    const what = isBoundary(record) ? "The compaction continues" : "The record hangs on"
    this.add("dangling-parent", index, `${what} ${parent}, which is not in the file`, [parent])
  }

  private unit(unit: Unit): void {
    const missed: string[] = []
    for (const index of unit.results) {
      const record = this.tree.records[index] as Wire
      if (this.naive[index] === 0) for (const id of idsIn(record, "tool_result")) missed.push(id)
      const path = storedApart(record)
      if (path === undefined) continue
      const what = `The result was too large: the whole is in ${path}`
      this.add("missing-context", index, what, idsIn(record, "tool_result"))
    }
    const [first] = unit.results
    if (missed.length === 0 || first === undefined) return
    const what = `A walk over single records misses what answered ${missed.join(", ")}`
    this.add("off-path-result", first, what, missed)
  }
}

export const findAnomalies = (tree: SessionTree, options: FindingOptions): readonly Diagnostic[] =>
  new Finder(tree, options).find()
