/**
 * The broken links of a path. The agent's own walk goes from the last record up by `parentUuid` and ends at a parent that is
 * not there: half of the session would be gone. Where this reader went on in file order, the records get the links it went
 * along, which the engine writes.
 */
import type { Wire } from "../../model/index.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { relinked } from "../engine/relink.ts"
import type { AnomalyKind } from "../engine/anomaly.ts"
import type { Links } from "../engine/session-format.ts"
import type { Walk } from "./path.ts"
import { idsIn, isBoundary, isSummary, kinds, textIn } from "./records.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

const none = -1

/** How records of a session file are linked. A compaction is a new root; what it continues is named apart. */
export const links: Links = {
  id: "uuid",
  parent: "parentUuid",
  references: ["logicalParentUuid", "leafUuid", "sourceToolAssistantUUID"],
  content: ({ type, message }) => [type, message],
  newId: deriveUuid,
  // The agent does not go on from the last record, but from the last message.
  tip: () => undefined,
  restarts: isBoundary,
}

/** A link or a uuid that is broken. */
export interface BrokenLink {
  readonly kind: AnomalyKind
  /** None for what concerns several records. */
  readonly record?: number
  readonly what: string
  readonly ids: readonly string[]
}

export const lastRecordOf = ({ records, results }: Unit): number => Math.max(records.at(-1) ?? none, results.at(-1) ?? none)

class LinkFinder {
  readonly broken: BrokenLink[] = []
  /** Record → the one it shall hang on; -1 for a root. */
  readonly links = new Map<number, number>()
  private readonly tree: SessionTree
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
        if (!this.climbed.has(record))
          this.climb(record, late.get(own)?.has(record) === true ? undefined : this.callOf(record, records), false)
      }
    }
  }

  private unit(index: number): Unit {
    return this.tree.units[index] as Unit
  }

  /** The record of a unit that hangs on another one, or the first. */
  private entryOf(own: number): number {
    const { records } = this.unit(own)
    return records.find((record) => this.tree.unitOf[this.tree.messageAbove(record)] !== own) ?? records[0] ?? none
  }

  private callOf(result: number, records: readonly number[]): number {
    const answered = idsIn(this.tree.records[result], "tool_result")
    const isCall = (record: number): boolean => idsIn(this.tree.records[record], "tool_use").some((id) => answered.includes(id))
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
    this.broken.push({ kind, record: index, what, ids: [uuid, parent].filter((id) => id !== undefined) })
  }

  /** Records of one uuid that hang on each other unsaid, and uuids that several records have. */
  sharedIds(): void {
    const { collapsed, records, parents, byId, copies } = this.tree
    if (collapsed.size === 0) return
    const counts = new Map<string, number>()
    records.forEach((record, index) => {
      const uuid = textIn(record, "uuid")
      if (uuid === undefined || !collapsed.has(uuid) || copies.has(index) || this.tree.kinds[index] === kinds.outside) return
      const parent = parents[index] ?? none
      if (parent >= 0 && textIn(records[parent], "uuid") === uuid && !this.links.has(index)) this.links.set(index, parent)
      if (byId.get(uuid) !== index) counts.set(uuid, (counts.get(uuid) ?? 1) + 1)
    })
    for (const [uuid, count] of counts) {
      this.broken.push({ kind: "duplicate-record-id", what: `${count} different records have the uuid ${uuid}`, ids: [uuid] })
    }
  }
}

/** Whether a look at the links is worth it: nothing dangles, and no circle is possible while all links lead back in the file. */
const isSound = ({ dangling, collapsed, circular, parents }: SessionTree, walked: Walk): boolean => {
  if (dangling.size > 0 || collapsed.size > 0 || circular.length > 0 || walked.circular.length > 0) return false
  for (let index = 0; index < parents.length; index++) if ((parents[index] ?? none) >= index) return false
  return true
}

/** The records with sound links, the very same list where none is broken, and what was broken. */
export const withSoundLinks = (
  tree: SessionTree,
  walked: Walk,
): { readonly records: readonly unknown[]; readonly broken: readonly BrokenLink[] } => {
  if (isSound(tree, walked)) return { records: tree.records, broken: [] }
  const finder = new LinkFinder(tree)
  finder.path(walked)
  finder.sharedIds()
  const { copies } = tree
  const linked = {
    ...tree,
    naming: { idOf: (record: Wire) => textIn(record, "uuid"), parentOf: ({ parentUuid }: Wire) => parentUuid },
    repeated: [...copies.keys()],
    twinOf: (index: number) => copies.get(index),
    isEntry: (index: number) => tree.kinds[index] !== kinds.outside,
  }
  return { records: relinked(linked, finder.links, links), broken: finder.broken }
}
