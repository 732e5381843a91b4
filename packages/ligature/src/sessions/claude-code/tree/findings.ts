/** What the tree of a session gets wrong along one path, as diagnostics: at most one per record. */
import { type Diagnostic, isWire, type Place, type Wire } from "../../../model/index.ts"
import { anomaly, type AnomalyKind } from "../../engine/anomaly.ts"
import { UnknownRecords } from "../../engine/unknown-records.ts"
import { contentOf, idsIn, isBoundary, kinds, textIn } from "./record.ts"
import type { Relinking } from "./relink.ts"
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

/** Records of a session file, and of what the agent prints. */
const knownTypes: ReadonlySet<unknown> = new Set([
  "assistant",
  "user",
  "system",
  "progress",
  "attachment",
  "summary",
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "last-prompt",
  "mode",
  "permission-mode",
  "custom-title",
  "ai-title",
  "pr-link",
  "agent-name",
  "agent-color",
  "bridge-session",
  "frame-link",
  "tag",
  "result",
  "stream_event",
  "rate_limit_event",
  "control_request",
  "control_response",
])

/** Common types are compared: JSON.parse makes a new string of each, and a table would hash them all. */
const isKnown = (type: unknown): boolean =>
  type === "assistant" || type === "user" || type === "progress" || type === "system" || knownTypes.has(type)

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
  /** Links and uuids that were broken, and whether they are whole now. */
  readonly broken: readonly Relinking[]
  readonly isRelinked: boolean
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
    for (const { kind, record, what, ids } of options.broken) {
      const { repair, ...found } = anomaly(kind, record === undefined ? {} : options.placeOf(record), what, ids)
      this.found.push(repair && options.isRelinked ? { ...found, repair } : found)
    }
    for (const index of tree.dangling) {
      const parent = textIn(tree.records[index], "logicalParentUuid")
      if (parent === undefined || this.naive[index] !== 1 || !isBoundary(tree.records[index] as Wire)) continue
      this.add("compaction-parent", index, `The compaction continues ${parent}, which is not in the file`, [parent])
    }
    for (const index of tree.early) {
      const ids = idsIn(tree.records[index] as Wire, "tool_result")
      const what = `The result of ${ids.join(", ")} stands before its call`
      if (this.isOnPath(index)) this.add("result-before-call", index, what, ids)
    }
    for (const { record } of tree.repeated) {
      this.record("repeated-record", record, (uuid) => `The record ${uuid} stands in the file again`)
    }
    for (let index = 0; index < tree.kinds.length; index++) {
      if (tree.kinds[index] !== kinds.malformed) continue
      const uuid = textIn(tree.records[index], "uuid") ?? `#${index}`
      const place = { ...options.placeOf(index), path: `records[${index}]` }
      this.found.push(anomaly("malformed-record", place, `The record ${uuid} holds no message`, [uuid]))
    }
    for (const each of this.unknown()) this.found.push(each)
    return this.found
  }

  private unknown(): readonly Diagnostic[] {
    const { records } = this.tree
    let unknown: UnknownRecords | undefined
    for (let index = 0; index < records.length; index++) {
      const record = records[index]
      const type = isWire(record) ? record["type"] : typeof record
      if (isKnown(type)) continue
      unknown ??= new UnknownRecords()
      unknown.add(type, { ...this.options.placeOf(index), path: `records[${index}]` })
    }
    return unknown?.diagnostics ?? []
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
