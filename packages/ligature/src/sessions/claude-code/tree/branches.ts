/** Every path of a session by name: the active one first, then those left behind and of subagents, newest first. */
import type { Wire } from "../../../model/index.ts"
import type { SessionPath } from "../../../formats/engine/session.ts"
import { activeTip, isSolid, walk } from "./path.ts"
import { kinds, openingOf, textIn } from "./record.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

export interface NamedPath extends SessionPath {
  /** The unit it ends with. */
  readonly tip: number
}

const none = -1
const titleLength = 60

const lastRecordOf = (unit: Unit): number => Math.max(unit.records.at(-1) ?? 0, unit.results.at(-1) ?? 0)

/** Its uuid, or its place where it has none or another record took it. */
const idOf = (tree: SessionTree, index: number): string => {
  const uuid = textIn(tree.records[index], "uuid")
  return uuid !== undefined && tree.byUuid.get(uuid) === index ? uuid : `#${index}`
}

const titleOf = (tree: SessionTree, units: readonly number[]): string | undefined => {
  for (const index of units) {
    const unit = tree.units[index]
    const first = unit?.records[0] ?? 0
    if (!unit || unit.assistant || tree.kinds[first] !== kinds.words || !isSolid(tree, unit)) continue
    const words = openingOf(tree.records[first] as Wire).slice(0, titleLength * 4).replaceAll(/\s+/g, " ").trim()
    return words.length > titleLength ? `${words.slice(0, titleLength - 1)}…` : words
  }
  return undefined
}

const countMessages = (tree: SessionTree, units: readonly number[]): number => {
  let count = 0
  for (const unit of units) count += 1 + (tree.units[unit]?.results.length ?? 0)
  return count
}

/** Units below which nobody asked and the model did not speak. */
const lastSolid = (tree: SessionTree): Uint8Array => {
  const above = new Uint8Array(tree.units.length)
  for (let unit = 0; unit < tree.units.length; unit++) {
    if (!isSolid(tree, tree.units[unit] as Unit)) continue
    let parent = tree.unitParents[unit] ?? none
    while (parent >= 0 && above[parent] === 0) {
      above[parent] = 1
      parent = tree.unitParents[parent] ?? none
    }
  }
  return above
}

class PathFinder {
  readonly paths: NamedPath[] = []
  private readonly tree: SessionTree
  private readonly claimed: Uint8Array
  private readonly lanes = new Set<string>()

  constructor(tree: SessionTree) {
    this.tree = tree
    this.claimed = new Uint8Array(tree.units.length)
  }

  find(): readonly NamedPath[] {
    const { tree } = this
    const tip = activeTip(tree)
    this.active(tip)
    const above = lastSolid(tree)
    // Parents in a circle leave no last unit: what the first round does not reach is named in the second.
    for (const round of [0, 1]) {
      for (let unit = tree.units.length - 1; unit >= 0; unit--) {
        if (this.claimed[unit] === 1 || !isSolid(tree, tree.units[unit] as Unit)) continue
        if (round === 1 || above[unit] === 0) this.beside(unit)
      }
    }
    return this.paths
  }

  private active(tip: number): void {
    const { tree } = this
    const { units } = walk(tree, tip)
    for (const unit of units) this.claimed[unit] = 1
    const last = tree.units[tip]
    const title = titleOf(tree, units)
    this.paths.push({
      id: last ? idOf(tree, lastRecordOf(last)) : "",
      kind: "active",
      ...(title !== undefined && { title }),
      messages: countMessages(tree, units),
      first: tree.units[units[0] ?? none]?.records[0] ?? 0,
      tip,
    })
  }

  private beside(tip: number): void {
    const { tree, claimed } = this
    const own: number[] = []
    let unit = tip
    while (unit >= 0 && claimed[unit] === 0) {
      claimed[unit] = 1
      own.push(unit)
      unit = tree.unitParents[unit] ?? none
    }
    own.reverse()
    const last = tree.units[tip] as Unit
    const title = titleOf(tree, own)
    const left = tree.units[unit]
    this.paths.push({
      id: this.nameOf(last),
      kind: last.lane === tree.mainLane ? "abandoned" : "subagent",
      ...(title !== undefined && { title }),
      messages: countMessages(tree, own),
      first: tree.units[own[0] ?? none]?.records[0] ?? 0,
      ...(left && { leaves: lastRecordOf(left) }),
      tip,
    })
  }

  /** A subagent is known by its own id; where it has none, or branches, by the last record. */
  private nameOf(last: Unit): string {
    const { tree, lanes } = this
    const record = lastRecordOf(last)
    const agent = textIn(tree.records[record], "agentId") ?? textIn(tree.records[record], "parent_tool_use_id")
    if (last.lane === tree.mainLane || agent === undefined || lanes.has(agent)) return idOf(tree, record)
    lanes.add(agent)
    return agent
  }
}

export const pathsOf = (tree: SessionTree): readonly NamedPath[] => new PathFinder(tree).find()

/** The unit with which a path of this name ends; any record's uuid names the path that ends with it. */
export const tipOf = (tree: SessionTree, branch: string): number | undefined => {
  const named = pathsOf(tree).find((path) => path.id === branch)
  if (named) return named.tip
  const record = tree.byUuid.get(branch)
  const unit = record === undefined ? none : (tree.unitOf[record] ?? none)
  return unit >= 0 ? unit : undefined
}
