/** Every path of a session by name: the active one first, then those left behind and of subagents, newest first. */
import { pushAll } from "../../model/index.ts"
import type { FoundPath } from "../engine/session-format.ts"
import { lastRecordOf } from "./links.ts"
import { activeTip, isSolid, walk } from "./path.ts"
import { textIn } from "./records.ts"
import type { SessionTree } from "./session-tree.ts"
import type { Unit } from "./units.ts"

export type NamedPath = NonNullable<FoundPath["others"]>[number] & {
  /** The unit it ends with. */
  readonly tip: number
}

const none = -1

/** Its uuid, or its place where it has none or another record took it. */
const idOf = (tree: SessionTree, index: number): string => {
  const uuid = textIn(tree.records[index], "uuid")
  return uuid !== undefined && tree.byId.get(uuid) === index ? uuid : `#${index}`
}

/** Units with others after them in which somebody asked or the model spoke. */
const continued = (tree: SessionTree): Uint8Array => {
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

export const pathsOf = (tree: SessionTree): readonly [NamedPath, ...NamedPath[]] => {
  const { units, unitParents, records, mainLane } = tree
  const claimed = new Uint8Array(units.length)
  const lanes = new Set<string>()
  const recordsOf = (path: readonly number[]): readonly number[] => {
    const found: number[] = []
    for (const unit of path) {
      pushAll(found, units[unit]?.records ?? [])
      pushAll(found, units[unit]?.results ?? [])
    }
    return found
  }
  /** A subagent is known by its own id; where it has none, or branches, by the last record. */
  const nameOf = (last: Unit): string => {
    const record = lastRecordOf(last)
    const agent = textIn(records[record], "agentId") ?? textIn(records[record], "parent_tool_use_id")
    if (last.lane === mainLane || agent === undefined || lanes.has(agent)) return idOf(tree, record)
    lanes.add(agent)
    return agent
  }
  const tip = activeTip(tree)
  const { units: active } = walk(tree, tip)
  for (const unit of active) claimed[unit] = 1
  const last = units[tip]
  const paths: [NamedPath, ...NamedPath[]] = [{ id: last ? idOf(tree, lastRecordOf(last)) : "", own: recordsOf(active), tip }]
  const isContinued = continued(tree)
  // Parents in a circle leave no last unit: what the first round does not reach is named in the second.
  for (const round of [0, 1]) {
    for (let leaf = units.length - 1; leaf >= 0; leaf--) {
      const ending = units[leaf] as Unit
      if (claimed[leaf] === 1 || !isSolid(tree, ending) || (round === 0 && isContinued[leaf] === 1)) continue
      const own: number[] = []
      let unit = leaf
      for (; unit >= 0 && claimed[unit] === 0; unit = unitParents[unit] ?? none) {
        claimed[unit] = 1
        own.push(unit)
      }
      const left = units[unit]
      paths.push({
        id: nameOf(ending),
        own: recordsOf(own.reverse()),
        ...(ending.lane !== mainLane && { kind: "subagent" }),
        ...(left && { leaves: lastRecordOf(left) }),
        tip: leaf,
      })
    }
  }
  return paths
}

/** The unit with which a path of this name ends; any record's uuid names the path that ends with it. */
export const tipOf = (tree: SessionTree, paths: readonly NamedPath[], branch: string): number | undefined => {
  const named = paths.find(({ id }) => id === branch)
  if (named) return named.tip
  const unit = tree.unitOf[tree.byId.get(branch) ?? none] ?? none
  return unit >= 0 ? unit : undefined
}
