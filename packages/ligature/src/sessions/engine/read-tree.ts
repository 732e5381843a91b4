/**
 * The tree of a session: which record hangs on which. Formats say how their records name themselves and their parents;
 * files in which nobody names a parent are one line. Everything works on indices of records, so that both are read
 * alike.
 *
 * An id may lead to several records. One that was written twice is read once, where it is last; different ones, as
 * a redactor leaves them, are all read, and whoever names their id means the nearest one before.
 */
import { canonicalJson, type Wire } from "../../model/index.ts"

/** Parent of a root. */
export const none = -1

/** How records of a format name themselves. */
export interface Naming {
  readonly isEntry: (record: unknown) => record is Wire
  readonly idOf: (record: Wire) => string | undefined
  /** Null for a root; undefined where the record does not say. Anything but a string names nothing. */
  readonly parentOf: (record: Wire) => unknown
  /** What two records of one id must have in common to be one that was written twice, wherever it hangs. */
  readonly saying: (record: Wire) => readonly unknown[]
}

export interface Tree {
  readonly records: readonly unknown[]
  readonly naming: Naming
  /** Index of the parent of each record; -1 for roots and for what is no part of the tree. */
  readonly parents: Int32Array
  /** Records whose named parent is not in the file, or that name none among others that do. */
  readonly dangling: ReadonlySet<number>
  /** Records that are again further down: the agent only sees the later one. */
  readonly repeated: readonly number[]
  /** Where such a record is again. */
  readonly twinOf: (repeated: number) => number | undefined
  readonly collapsed: ReadonlySet<string>
  readonly byId: ReadonlyMap<string, number>
  /** Index of the last entry: the agent goes on from there. -1 without entries. */
  readonly tip: number
  readonly isEntry: (index: number) => boolean
}

export const readTree = (records: readonly unknown[], naming: Naming): Tree => {
  const { isEntry, idOf, parentOf, saying } = naming
  const byId = new Map<string, number>()
  const entries = new Uint8Array(records.length)
  const repeated: number[] = []
  const twins = new Map<number, number>()
  const collapsed = new Set<string>()
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!isEntry(record)) continue
    entries[index] = 1
    const id = idOf(record)
    if (id === undefined) continue
    const earlier = byId.get(id)
    if (earlier !== undefined) {
      if (canonicalJson(saying(records[earlier] as Wire)) === canonicalJson(saying(record))) {
        entries[earlier] = 0
        repeated.push(earlier)
        twins.set(earlier, index)
      } else collapsed.add(id)
    }
    byId.set(id, index)
  }
  // The oldest versions of an agent name no parents at all; among records that do, one without lost it.
  const isLinked = records.some((record, index) => entries[index] === 1 && typeof parentOf(record as Wire) === "string")
  const parents = new Int32Array(records.length).fill(none)
  const dangling = new Set<number>()
  const nearest = new Map<string, number>()
  let before = none
  for (let index = 0; index < records.length; index++) {
    if (entries[index] !== 1) continue
    const record = records[index] as Wire
    const named = parentOf(record)
    const meant = typeof named === "string" && collapsed.has(named) ? nearest : byId
    const parent = typeof named === "string" ? meant.get(named) : undefined
    if (parent !== undefined) parents[index] = parent
    else if (named !== null) {
      parents[index] = before
      if ((named !== undefined || isLinked) && before !== none) dangling.add(index)
    }
    before = index
    const id = collapsed.size > 0 ? idOf(record) : undefined
    if (id !== undefined && collapsed.has(id)) nearest.set(id, index)
  }
  const isPart = (index: number): boolean => entries[index] === 1
  const twinOf = (index: number): number | undefined => twins.get(index)
  return { records, naming, parents, dangling, repeated, twinOf, collapsed, byId, tip: before, isEntry: isPart }
}

/** What a path to this record is called: its id, or its place where it has none or shares it. */
export const nameOfLeaf = (tree: Tree, index: number): string => {
  const id = tree.isEntry(index) ? tree.naming.idOf(tree.records[index] as Wire) : undefined
  return id !== undefined && tree.byId.get(id) === index ? id : `#${index}`
}

export const leafNamed = (tree: Tree, name: string): number | undefined => {
  const leaf = tree.byId.get(name)
  if (leaf !== undefined || !name.startsWith("#")) return leaf
  const index = Number(name.slice(1))
  return tree.isEntry(index) ? index : undefined
}
