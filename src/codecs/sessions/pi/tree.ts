/**
 * The tree of a session: which record hangs on which. Old files (version 1) have no ids and are one line; newer ones
 * name the parent of each entry. Everything works on indices of records, so that both are read alike, and no walk
 * visits a record twice, so that cycles end.
 */
import { canonicalJson, type Diagnostic, isWire, type Place, type Wire } from "../../../model/index.ts"
import { anomaly } from "../anomaly.ts"

/** Parent of a root. */
const none = -1

export interface Tree {
  /** Index of the parent of each record; -1 for roots and for what is no part of the tree. */
  readonly parents: Int32Array
  /** Records whose named parent is not in the file. */
  readonly dangling: ReadonlySet<number>
  /** Records that stand again further down: the agent only sees the later one. */
  readonly repeated: readonly number[]
  /** Ids that different records bear, as a redactor leaves them: there the nearest one before is meant. */
  readonly collapsed: ReadonlySet<string>
  readonly byId: ReadonlyMap<string, number>
  /** Index of the last entry: the agent goes on from there. -1 without entries. */
  readonly tip: number
  readonly isEntry: (index: number) => boolean
}

/** Whether two records of one id are one record that was written twice, wherever it hangs. */
const saysTheSame = (left: unknown, right: Wire): boolean => {
  if (!isWire(left) || left["type"] !== right["type"]) return false
  return canonicalJson(left["message"] ?? left) === canonicalJson(right["message"] ?? right)
}

export const readTree = (records: readonly unknown[]): Tree => {
  const parents = new Int32Array(records.length).fill(none)
  const byId = new Map<string, number>()
  const entries = new Uint8Array(records.length)
  const repeated: number[] = []
  const collapsed = new Set<string>()
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!isWire(record) || record["type"] === "session") continue
    entries[index] = 1
    const { id } = record
    if (typeof id !== "string") continue
    const earlier = byId.get(id)
    if (earlier !== undefined) {
      if (saysTheSame(records[earlier], record)) {
        entries[earlier] = 0
        repeated.push(earlier)
      } else collapsed.add(id)
    }
    byId.set(id, index)
  }
  const dangling = new Set<number>()
  const nearest = new Map<string, number>()
  let before = none
  for (let index = 0; index < records.length; index++) {
    if (entries[index] !== 1) continue
    const { id, parentId } = records[index] as Wire
    const meant = typeof parentId === "string" && collapsed.has(parentId) ? nearest : byId
    const parent = typeof parentId === "string" ? meant.get(parentId) : undefined
    if (parentId === null) parents[index] = none
    else if (parent !== undefined) parents[index] = parent
    else {
      parents[index] = before
      if (parentId !== undefined && before !== none) dangling.add(index)
    }
    before = index
    if (typeof id === "string" && collapsed.has(id)) nearest.set(id, index)
  }
  return { parents, dangling, repeated, collapsed, byId, tip: before, isEntry: (index) => entries[index] === 1 }
}

/** What a path to this record is called: its id, or its place where it has none or shares it. */
export const nameOfLeaf = (tree: Tree, records: readonly unknown[], index: number): string => {
  const record = records[index]
  const id = isWire(record) ? record["id"] : undefined
  return typeof id === "string" && tree.byId.get(id) === index ? id : `#${index}`
}

export const leafNamed = (tree: Tree, name: string): number | undefined => {
  const leaf = tree.byId.get(name)
  if (leaf !== undefined || !name.startsWith("#")) return leaf
  const index = Number(name.slice(1))
  return tree.isEntry(index) ? index : undefined
}

const previousEntry = (tree: Tree, index: number): number => {
  let previous = index - 1
  while (previous >= 0 && !tree.isEntry(previous)) previous--
  return previous
}

export interface Walk {
  /** From the root to the leaf. */
  readonly path: readonly number[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The way from the root to a leaf. What is broken on it is reported; the order of the file takes over there. */
export const walkTo = (tree: Tree, leaf: number, records: readonly unknown[], lines?: readonly number[]): Walk => {
  const path: number[] = []
  const diagnostics: Diagnostic[] = []
  const seen = new Set<number>()
  const placeOf = (index: number): Place => {
    const line = lines?.[index]
    return { path: `records[${index}]`, ...(line !== undefined && { line }) }
  }
  let lowest = leaf
  let index = leaf
  while (index >= 0) {
    if (seen.has(index)) {
      diagnostics.push(anomaly("parent-cycle", placeOf(index), `Record ${nameOf(records, index)} is its own ancestor`))
      index = previousEntry(tree, lowest)
      continue
    }
    seen.add(index)
    if (index < lowest) lowest = index
    if (tree.dangling.has(index)) {
      const { parentId } = records[index] as { readonly parentId?: unknown }
      const what = `Record ${nameOf(records, index)} names the parent ${String(parentId)}, which is not in the file`
      diagnostics.push(anomaly("dangling-parent", placeOf(index), what))
    }
    path.push(index)
    index = tree.parents[index] ?? none
  }
  return { path: path.reverse(), diagnostics: diagnostics.reverse() }
}

const nameOf = (records: readonly unknown[], index: number): string => {
  const record = records[index]
  return isWire(record) && typeof record["id"] === "string" ? record["id"] : `#${index}`
}

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
