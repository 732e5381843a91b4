/**
 * Paths through a session: the one the agent would go on with, those it left behind, and those of its subagents. A path is
 * walked from its last unit to the root. What hangs on a path without being said on it is taken along where no person started
 * it (notices, results without a call): the file forks there, the conversation does not.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { isBoundary, isMessageKind, isNotice, isSummary, kinds, preservedBy, textIn } from "./records.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

const none = -1

const firstOf = (unit: Unit): number => unit.records[0] ?? 0

/** Whether a unit can end a branch: somebody asked, or the model spoke. */
export const isSolid = (tree: SessionTree, unit: Unit): boolean => {
  if (unit.assistant) return true
  const index = firstOf(unit)
  return tree.kinds[index] === kinds.user && !isNotice(tree.records[index] as Wire)
}

/** The nearest unit above each one that can end a branch; notices on the way are passed. */
const solidAbove = (tree: SessionTree): Int32Array => {
  const unseen = -2
  const above = new Int32Array(tree.units.length).fill(unseen)
  for (let start = 0; start < above.length; start++) {
    const passed: number[] = []
    let found = none
    for (let unit = start; above[unit] === unseen;) {
      above[unit] = none
      passed.push(unit)
      found = tree.unitParents[unit] ?? none
      if (found < 0 || isSolid(tree, tree.units[found] as Unit)) break
      unit = found
      found = Math.max(none, above[unit] ?? none)
    }
    for (const each of passed) above[each] = found
  }
  return above
}

/** The newest reply to each unit: replies to parallel calls hang on any of their results, or on notices after them. */
const newestReplies = (tree: SessionTree): Int32Array => {
  const newest = new Int32Array(tree.units.length).fill(none)
  const above = solidAbove(tree)
  for (let index = 0; index < tree.units.length; index++) {
    const parent = above[index] ?? none
    if (parent >= 0 && tree.units[index]?.assistant === true) newest[parent] = index
  }
  return newest
}

const laneAt = (tree: SessionTree, index: number): string | undefined => tree.units[tree.unitOf[index] ?? none]?.lane

/** The record the agent says it stopped at, unless messages follow: then they are newer. */
const namedLeaf = (tree: SessionTree): number => {
  for (let index = tree.records.length - 1; index >= 0; index--) {
    const record = tree.records[index]
    if (isMessageKind(tree.kinds[index]) && laneAt(tree, index) === tree.mainLane) return none
    if (!isWire(record) || record["type"] !== "last-prompt") continue
    const leaf = tree.byId.get(textIn(record, "leafUuid") ?? "")
    if (leaf !== undefined) return leaf
  }
  return none
}

/** The unit at or above a record. */
const unitAt = (tree: SessionTree, from: number): number => {
  let index = from
  for (let steps = 0; index >= 0 && steps <= tree.records.length; steps++) {
    const unit = tree.unitOf[index] ?? none
    if (unit >= 0) return unit
    index = tree.parents[index] ?? none
  }
  return none
}

const lastUnit = (tree: SessionTree): number => {
  for (let index = tree.records.length - 1; index >= 0; index--) {
    const unit = tree.unitOf[index] ?? none
    if (unit >= 0 && tree.units[unit]?.lane === tree.mainLane) return unit
  }
  return none
}

/**
 * The unit at which the session is. The last record may be a late result or a notice that hangs further up: from
 * there the way leads down again over replies of the model, which nobody can have gone back to.
 */
export const activeTip = (tree: SessionTree): number => {
  const named = namedLeaf(tree)
  let tip = named < 0 ? none : unitAt(tree, named)
  if (tip < 0 || tree.units[tip]?.lane !== tree.mainLane) tip = lastUnit(tree)
  const newest = newestReplies(tree)
  const seen = new Set<number>()
  const above = (unit: number): number => tree.unitParents[unit] ?? none
  let solid = tip
  while (solid >= 0 && !isSolid(tree, tree.units[solid] as Unit) && !seen.has(solid)) {
    seen.add(solid)
    solid = above(solid)
  }
  if (solid < 0) return tip
  let reply = newest[solid] ?? none
  if (reply < 0) return tip
  seen.clear()
  while (reply >= 0 && !seen.has(reply)) {
    seen.add(reply)
    solid = reply
    reply = newest[reply] ?? none
  }
  return solid
}

export interface Walk {
  /** Units from the root to the tip, and all that is said between them. */
  readonly units: readonly number[]
  /** The units that hang on each other, from the root to the tip. */
  readonly spine: readonly number[]
  /** What was said between the records of a reply, by that reply; the results that hang on it are late. */
  readonly between: ReadonlyMap<number, readonly number[]>
  readonly late: ReadonlyMap<number, ReadonlySet<number>>
  /** Units at which parents led back to a place already passed. */
  readonly circular: readonly number[]
}

/** From the tip to the root; where parents lead in a circle, on in file order. */
const walkUp = (tree: SessionTree, tip: number): Pick<Walk, "spine" | "circular"> => {
  const spine: number[] = []
  const circular: number[] = []
  const seen = new Uint8Array(tree.units.length)
  const lane = tree.units[tip]?.lane
  let cursor = Number.POSITIVE_INFINITY
  let unit = tip
  while (unit >= 0) {
    seen[unit] = 1
    spine.push(unit)
    const next = tree.unitParents[unit] ?? none
    if (next < 0 || seen[next] === 0) {
      unit = next
      continue
    }
    circular.push(unit)
    cursor = Math.min(cursor, firstOf(tree.units[unit] as Unit))
    unit = none
    while (cursor > 0 && unit < 0) {
      cursor--
      const before = tree.unitOf[cursor] ?? none
      if (before >= 0 && seen[before] === 0 && tree.units[before]?.lane === lane) unit = before
    }
  }
  return { spine: spine.reverse(), circular }
}

/** For every unit beside the path the unit of its branch that hangs on the path, or is a root. -1 for those on it. */
const topsBeside = (tree: SessionTree, onPath: Uint8Array): Int32Array => {
  const unseen = -2
  const open = -3
  const tops = new Int32Array(tree.units.length).fill(unseen)
  for (let start = 0; start < tops.length; start++) {
    const passed: number[] = []
    let unit = start
    while (unit >= 0 && onPath[unit] === 0 && tops[unit] === unseen) {
      tops[unit] = open
      passed.push(unit)
      unit = tree.unitParents[unit] ?? none
    }
    const known = unit >= 0 && onPath[unit] === 0 ? (tops[unit] ?? open) : open
    const top = known >= 0 ? known : (passed.at(-1) ?? none)
    for (const each of passed) tops[each] = top
    if (onPath[start] === 1) tops[start] = none
  }
  return tops
}

/** Units nobody started, by the unit of the path on which they hang; those of no unit under -1. */
const looseUnits = (tree: SessionTree, onPath: Uint8Array, lane: string | undefined): ReadonlyMap<number, number[]> => {
  const tops = topsBeside(tree, onPath)
  const solid = new Uint8Array(tops.length)
  for (let unit = 0; unit < tops.length; unit++) {
    const top = tops[unit] ?? none
    if (top >= 0 && isSolid(tree, tree.units[unit] as Unit)) solid[top] = 1
  }
  const loose = new Map<number, number[]>()
  for (let unit = 0; unit < tops.length; unit++) {
    const top = tops[unit] ?? none
    if (top < 0 || solid[top] === 1 || tree.units[unit]?.lane !== lane) continue
    const parent = tree.unitParents[top] ?? none
    const above = parent >= 0 && onPath[parent] === 1 ? parent : none
    const list = loose.get(above)
    if (list) list.push(unit)
    else loose.set(above, [unit])
  }
  for (const list of loose.values()) {
    list.sort((left, right) => firstOf(tree.units[left] as Unit) - firstOf(tree.units[right] as Unit))
  }
  return loose
}

/**
 * What a person said between a call and its result, or between two blocks of a reply: records of the reply hang on it,
 * so the agent sends it, although no later unit of the path hangs on it.
 */
class PromptsBetween {
  /** By the unit whose records hang on them, in file order. */
  readonly units = new Map<number, number[]>()
  readonly late = new Map<number, ReadonlySet<number>>()
  private readonly tree: SessionTree
  private readonly onPath: Uint8Array
  /** The last unit from whose records each unit was met on the way up. */
  private readonly metFrom: Int32Array

  constructor(tree: SessionTree, path: readonly number[], onPath: Uint8Array) {
    this.tree = tree
    this.onPath = onPath
    this.metFrom = new Int32Array(tree.units.length).fill(none)
    for (const own of path) {
      const { records, results } = tree.units[own] as Unit
      for (const record of records) if (!this.isNear(record, own)) this.isAfterPrompt(record, own)
      let late: Set<number> | undefined
      for (const record of results) {
        if (!this.isNear(record, own) && this.isAfterPrompt(record, own)) (late ??= new Set()).add(record)
      }
      if (late) this.late.set(own, late)
      this.units.get(own)?.sort((left, right) => firstOf(tree.units[left] as Unit) - firstOf(tree.units[right] as Unit))
    }
  }

  /** Most records hang on their own unit, or on another one of the path. */
  private isNear(record: number, own: number): boolean {
    const unit = this.tree.unitOf[this.tree.parents[record] ?? none] ?? none
    return unit === own || (unit >= 0 && this.onPath[unit] === 1 && this.metFrom[unit] !== own)
  }

  /** Whether a record hangs on its own unit over a prompt; that prompt and what it hangs on are of the path then. */
  private isAfterPrompt(record: number, own: number): boolean {
    const { tree, onPath, metFrom } = this
    const { lane } = tree.units[own] as Unit
    const unitAt = (message: number): number => tree.unitOf[message] ?? none
    const isOther = (unit: number): boolean => unit >= 0 && unit !== own && tree.units[unit]?.lane === lane
    const met: number[] = []
    let above = tree.messageAbove(record)
    let unit = unitAt(above)
    while (isOther(unit) && onPath[unit] === 0 && metFrom[unit] !== own) {
      metFrom[unit] = own
      met.push(unit)
      above = tree.messageAbove(firstOf(tree.units[unit] as Unit))
      unit = unitAt(above)
    }
    const joins = isOther(unit) && onPath[unit] === 1 && metFrom[unit] === own
    const returns = unit === own && above !== record && met.some((each) => isSolid(tree, tree.units[each] as Unit))
    if (!joins && !returns) return false
    const between = this.units.get(own) ?? []
    this.units.set(own, between)
    for (const each of met) {
      onPath[each] = 1
      between.push(each)
    }
    return true
  }
}

/** The path with what was said between, and the loose units that hang on it, each after the unit it hangs on. */
export const walk = (tree: SessionTree, tip: number): Walk => {
  if (tip < 0) return { units: [], spine: [], circular: [], between: new Map(), late: new Map() }
  const { spine, circular } = walkUp(tree, tip)
  const onPath = new Uint8Array(tree.units.length)
  for (const unit of spine) onPath[unit] = 1
  const { units: between, late } = new PromptsBetween(tree, spine, onPath)
  const units = between.size === 0 ? spine : spine.flatMap((unit) => [unit, ...(between.get(unit) ?? [])])
  const loose = looseUnits(tree, onPath, tree.units[tip]?.lane)
  if (loose.size === 0) return { units, spine, circular, between, late }
  const whole: number[] = []
  const alone = loose.get(none) ?? []
  let next = 0
  for (const unit of units) {
    const first = firstOf(tree.units[unit] as Unit)
    for (; next < alone.length; next++) {
      const each = alone[next] as number
      if (firstOf(tree.units[each] as Unit) > first) break
      whole.push(each)
    }
    whole.push(unit)
    for (const each of loose.get(unit) ?? []) whole.push(each)
  }
  for (; next < alone.length; next++) whole.push(alone[next] as number)
  return { units: whole, spine, circular, between, late }
}

const boundaryOf = (tree: SessionTree, summary: number): Wire | undefined => {
  const parent = tree.parents[summary] ?? -1
  for (const index of [parent, summary - 1, parent < 0 ? -1 : (tree.parents[parent] ?? -1)]) {
    const record = tree.records[index] as Wire | undefined
    if (index >= 0 && record && (tree.kinds[index] ?? kinds.outside) !== kinds.outside && isBoundary(record)) return record
  }
  return undefined
}

/** Units of a path that a compaction keeps, in the order of the path. */
const keptUnits = (tree: SessionTree, boundary: Wire, before: readonly number[]): readonly number[] => {
  const preserved = preservedBy(boundary)
  const unitOf = (uuid: string | undefined): number => tree.unitOf[tree.byId.get(uuid ?? "") ?? -1] ?? -1
  if (preserved.uuids.length > 0) {
    const kept = new Set(preserved.uuids.map(unitOf))
    return before.filter((unit) => kept.has(unit))
  }
  const head = before.indexOf(unitOf(preserved.head))
  const tail = before.indexOf(unitOf(preserved.tail))
  return head >= 0 && tail >= head ? before.slice(head, tail + 1) : []
}

/**
 * What the agent would send next: from the last compaction on. Its summary comes first, then the messages it kept in sight,
 * then all that was said since.
 */
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
  // What is kept comes after its anchor: the summary, or the boundary itself, and so before the summary.
  const leads = boundary !== undefined && preservedBy(boundary).anchor === boundary["uuid"]
  return leads ? [...kept, summary, ...later] : [summary, ...kept, ...later]
}
