/** The paths of a session beside the one the agent goes on with. */
import { none, type Tree } from "./read-tree.ts"

export interface Branch {
  readonly leaf: number
  /** Records that lie on no other path listed before it, from the leaf upwards. */
  readonly own: readonly number[]
  /** Where it leaves the path from the tip; -1 when it has a root of its own. */
  readonly leaves: number
}

/**
 * Every leaf that the tip's path does not reach, in file order, then the last record of every circle that no leaf
 * leads to. Each record is visited once.
 */
export const branchesOf = (tree: Tree, active: readonly number[]): readonly Branch[] => {
  const { parents } = tree
  const isParent = new Uint8Array(parents.length)
  for (let index = 0; index < parents.length; index++) {
    const parent = parents[index] ?? none
    if (parent >= 0) isParent[parent] = 1
  }
  const leaveOf = new Map<number, number>()
  for (const index of active) leaveOf.set(index, index)
  const branches: Branch[] = []
  const follow = (leaf: number): void => {
    const own: number[] = []
    const seen = new Set<number>()
    let index = leaf
    while (index >= 0 && !leaveOf.has(index) && !seen.has(index)) {
      seen.add(index)
      own.push(index)
      index = parents[index] ?? none
    }
    const leaves = leaveOf.get(index) ?? none
    for (const each of own) leaveOf.set(each, leaves)
    branches.push({ leaf, own, leaves })
  }
  for (let leaf = 0; leaf < parents.length; leaf++) {
    if (tree.isEntry(leaf) && isParent[leaf] !== 1 && !leaveOf.has(leaf)) follow(leaf)
  }
  for (let last = parents.length - 1; last >= 0; last--) if (tree.isEntry(last) && !leaveOf.has(last)) follow(last)
  return branches
}
