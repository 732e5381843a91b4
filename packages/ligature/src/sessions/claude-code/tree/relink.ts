/**
 * The links of a path, so that the agent finds its way. Its own walk goes from the last record up by `parentUuid` and
 * ends at a parent that is not there: half of the session would be gone. Where this reader went on in file order, the
 * records get the links it went along; of different records under one uuid, all but the last get a uuid of their own.
 * Where every link leads somewhere, the records are the very same.
 */
import { isWire, type Wire } from "../../../model/index.ts"
import { deriveUuid } from "../../engine/derived-id.ts"
import type { Walk } from "./path.ts"
import { idsIn, isBoundary, isSummary, kinds, textIn } from "./record.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

const none = -1

/** A link or a uuid that is broken. */
export interface Relinking {
  readonly kind: "dangling-parent" | "parent-cycle" | "duplicate-record-id"
  /** None for what concerns several records. */
  readonly record?: number
  readonly what: string
  readonly ids: readonly string[]
}

export interface Relinked {
  readonly records: readonly unknown[]
  readonly changes: readonly Relinking[]
}

/** Fields that name a record before their own, beside the parent. */
const references = ["logicalParentUuid", "sourceToolAssistantUUID"] as const

const lastRecordOf = ({ records, results }: Unit): number => Math.max(records.at(-1) ?? none, results.at(-1) ?? none)

class Relinker {
  readonly changes: Relinking[] = []
  private readonly tree: SessionTree
  /** Record → the one it shall hang on; -1 for a root. */
  private readonly links = new Map<number, number>()
  private readonly uuids = new Map<number, string>()
  /** Records on the way from a unit to the one above. */
  private readonly climbed = new Set<number>()

  constructor(tree: SessionTree) {
    this.tree = tree
  }

  path({ units, spine, between, late, circular }: Walk): void {
    const circles = new Set(circular)
    spine.forEach((own, position) => {
      const above = spine[position - 1]
      this.climb(this.entryOf(own), above === undefined ? none : lastRecordOf(this.unit(above)), circles.has(own), own)
    })
    for (const beside of between.values()) for (const own of beside) this.climb(this.entryOf(own), undefined, false)
    for (const own of units) {
      const { records, results } = this.unit(own)
      const entry = this.entryOf(own)
      let before = entry
      for (const record of records) {
        if (record !== entry && !this.climbed.has(record)) this.climb(record, before, false)
        before = record
      }
      for (const record of results) {
        if (!this.climbed.has(record)) this.climb(record, late.get(own)?.has(record) === true ? undefined : this.callOf(record, records), false)
      }
    }
  }

  private unit(index: number): Unit {
    return this.tree.units[index] as Unit
  }

  /** The record of a unit that hangs on another one, or the first. */
  private entryOf(own: number): number {
    const { records } = this.unit(own)
    const isEntry = (record: number): boolean => this.tree.unitOf[this.tree.messageAbove(record)] !== own
    return records.find(isEntry) ?? records[0] ?? none
  }

  private callOf(result: number, records: readonly number[]): number {
    const answered = idsIn(this.tree.records[result] as Wire, "tool_result")
    const isCall = (record: number): boolean =>
      idsIn(this.tree.records[record] as Wire, "tool_use").some((id) => answered.includes(id))
    return records.find(isCall) ?? records.at(-1) ?? none
  }

  /**
   * The first broken link on the way from a record to the message above it leads to `above` from now on; without one, to
   * where it was followed. From a unit the way may lead over results of its own.
   */
  private climb(from: number, above: number | undefined, isCircle: boolean, own: number = none): void {
    const { parents, unitOf, dangling, records } = this.tree
    const passed = new Set<number>()
    for (let index = from; index >= 0 && !this.links.has(index); index = parents[index] ?? none) {
      const record = records[index] as Wire
      if (passed.has(index) || parents[index] === index) return this.link("parent-cycle", index, above ?? none)
      if (index !== from && (unitOf[index] ?? none) >= 0 && unitOf[index] !== own) break
      if (own >= 0) this.climbed.add(index)
      // What a compaction continues is out of sight for the agent.
      if (isBoundary(record) || isSummary(record)) return
      if (dangling.has(index)) return this.link("dangling-parent", index, above ?? parents[index] ?? none)
      passed.add(index)
    }
    if (isCircle) this.link("parent-cycle", from, above ?? none)
  }

  private link(kind: "dangling-parent" | "parent-cycle", index: number, above: number): void {
    const record = this.tree.records[index] as Wire
    // What precedes the first message of a file was cut away with its head.
    const isHead = above < 0 && kind === "dangling-parent" && (this.tree.parents[index] ?? none) < 0
    if (above === index || isHead) return
    this.links.set(index, above)
    if (above < 0 && record["parentUuid"] === null) return
    const uuid = textIn(record, "uuid")
    const parent = textIn(record, "parentUuid")
    const name = uuid ?? `#${index}`
    const named = parent === undefined ? "names no parent" : `names the parent ${parent}, which is not in the file`
    const what = kind === "parent-cycle" ? `The parents of ${name} lead back to it` : `The record ${name} ${named}`
    this.changes.push({ kind, record: index, what, ids: [uuid, parent].filter((id) => id !== undefined) })
  }

  /** The last of them keeps the uuid: whoever names it without standing behind one of the others means that one. */
  names(): void {
    const { tree, uuids } = this
    if (tree.collapsed.size === 0) return
    const copies = new Map(tree.repeated.map(({ record, of }) => [record, of]))
    const counts = new Map<string, number>()
    tree.records.forEach((record, index) => {
      const uuid = textIn(record, "uuid")
      if (uuid === undefined || !tree.collapsed.has(uuid) || tree.byUuid.get(uuid) === index) return
      const twin = copies.get(index)
      if (twin !== undefined) {
        if (uuids.has(twin)) uuids.set(index, uuids.get(twin) ?? uuid)
      } else if (tree.kinds[index] !== kinds.outside) {
        uuids.set(index, deriveUuid(uuid, String(index)))
        counts.set(uuid, (counts.get(uuid) ?? 1) + 1)
      }
    })
    for (const [uuid, count] of counts) {
      this.changes.push({ kind: "duplicate-record-id", what: `${count} different records have the uuid ${uuid}`, ids: [uuid] })
    }
  }

  private uuidOf(index: number): string | undefined {
    return this.uuids.get(index) ?? textIn(this.tree.records[index], "uuid")
  }

  records(): readonly unknown[] {
    const { tree, links, uuids } = this
    // Nothing can hang on a record without a uuid.
    for (const above of links.values()) {
      if (above >= 0 && this.uuidOf(above) === undefined) uuids.set(above, deriveUuid("record", String(above)))
    }
    if (links.size === 0 && uuids.size === 0) return tree.records
    const nearest = new Map<string, number>()
    return tree.records.map((record, index) => {
      const changed = isWire(record) ? this.changed(record, index, nearest) : record
      const uuid = textIn(record, "uuid")
      if (uuid !== undefined && tree.collapsed.has(uuid)) nearest.set(uuid, index)
      return changed
    })
  }

  /** Whether what a record hangs on has another name now than the record says. Twins hang on each other unsaid. */
  private isRenamed(parent: number, named: string | undefined, uuid: string | undefined): boolean {
    if (named !== undefined && this.tree.collapsed.has(named)) return true
    const isTwin = uuid !== undefined && textIn(this.tree.records[parent], "uuid") === uuid
    return this.uuids.has(parent) && (named !== undefined || isTwin)
  }

  private changed(record: Wire, index: number, nearest: ReadonlyMap<string, number>): Wire {
    const { parents } = this.tree
    const changes: Record<string, unknown> = {}
    if (this.uuids.has(index)) changes["uuid"] = this.uuids.get(index)
    const linked = this.links.get(index)
    const parent = parents[index] ?? none
    const named = textIn(record, "parentUuid")
    const above = linked ?? (this.isRenamed(parent, named, textIn(record, "uuid")) ? parent : undefined)
    if (above !== undefined) changes["parentUuid"] = above < 0 ? null : this.uuidOf(above)
    for (const field of nearest.size === 0 ? [] : references) {
      const meant = nearest.get(textIn(record, field) ?? "")
      if (meant !== undefined) changes[field] = this.uuidOf(meant)
    }
    return Object.keys(changes).every((key) => record[key] === changes[key]) ? record : { ...record, ...changes }
  }
}

/** Whether a look at the links is worth it: nothing dangles, and no circle is possible while all links lead back in the file. */
const isSound = ({ dangling, collapsed, circular, parents }: SessionTree, walked: Walk): boolean => {
  if (dangling.size > 0 || collapsed.size > 0 || circular.length > 0 || walked.circular.length > 0) return false
  for (let index = 0; index < parents.length; index++) if ((parents[index] ?? none) >= index) return false
  return true
}

export const relinked = (tree: SessionTree, walked: Walk): Relinked => {
  if (isSound(tree, walked)) return { records: tree.records, changes: [] }
  const relinker = new Relinker(tree)
  relinker.path(walked)
  relinker.names()
  return { records: relinker.records(), changes: relinker.changes }
}
