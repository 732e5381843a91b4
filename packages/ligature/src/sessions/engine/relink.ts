/**
 * Records whose links lead through. An agent follows parents from the last record and loses everything before a link
 * that leads nowhere or back to itself, and of several records under one id it knows only the last. Where the walk went
 * on in file order, the record gets the link along which it went; of different records under one id, all but the last
 * get an id of their own.
 */
import { type Diagnostic, isWire, type Wire } from "../../model/index.ts"
import { anomaly } from "./anomaly.ts"
import { patch } from "./patch.ts"
import type { Tree } from "./read-tree.ts"
import type { Links as FormatLinks } from "./session-format.ts"

/** How a format writes what its `Naming` reads. */
type Linking = Pick<FormatLinks, "id" | "parent" | "newId" | "references">

/** What is asked of a tree here: a format may read its own. */
type Linked = Pick<Tree, "records" | "parents" | "repeated" | "twinOf" | "collapsed" | "byId" | "isEntry"> & {
  readonly naming: Pick<Tree["naming"], "idOf" | "parentOf">
}

/** Record → the one that it shall hang on; -1 for a root. */
export type Links = ReadonlyMap<number, number>

const freeId = (tree: Linked, linking: Linking, taken: Set<string>, id: string, index: number): string => {
  let fresh = linking.newId(id, String(index))
  for (let attempt = 1; taken.has(fresh) || tree.byId.has(fresh); attempt++) {
    fresh = linking.newId(id, String(index), String(attempt))
  }
  taken.add(fresh)
  return fresh
}

const newIds = (tree: Linked, links: Links, linking: Linking, nameless: readonly number[]): ReadonlyMap<number, string> => {
  const { records, naming, collapsed, byId } = tree
  const ids = new Map<number, string>()
  const taken = new Set<string>()
  const copies = new Set(tree.repeated)
  for (let index = 0; collapsed.size > 0 && index < records.length; index++) {
    const record = records[index]
    const id = isWire(record) && tree.isEntry(index) && !copies.has(index) ? naming.idOf(record) : undefined
    if (id !== undefined && collapsed.has(id) && byId.get(id) !== index) ids.set(index, freeId(tree, linking, taken, id, index))
  }
  // The last copy first: the others are copies of one another.
  for (const copy of [...copies].reverse()) {
    const twin = tree.twinOf(copy)
    const own = twin === undefined ? undefined : ids.get(twin)
    if (own !== undefined) ids.set(copy, own)
  }
  // Nothing can hang on a record without an id.
  for (const index of [...links.values(), ...nameless]) {
    const record = records[index]
    if (!isWire(record) || ids.has(index) || naming.idOf(record) !== undefined) continue
    ids.set(index, freeId(tree, linking, taken, "", index))
  }
  return ids
}

/** `nameless`: records that need an id and have none. The very same list where nothing is broken. */
export const relinked = (tree: Linked, links: Links, linking: Linking, nameless: readonly number[] = []): readonly unknown[] => {
  const { records, naming, parents } = tree
  const ids = newIds(tree, links, linking, nameless)
  if (ids.size === 0 && links.size === 0) return records
  const idAt = (index: number): string | null => {
    const record = records[index]
    return ids.get(index) ?? (isWire(record) ? naming.idOf(record) : undefined) ?? null
  }
  /** Whom a reference means: the nearest record before it that had the id. */
  const meant = new Map<string, number>()
  const referred = (record: Wire): Wire => {
    let out = record
    for (const field of meant.size > 0 ? (linking.references ?? []) : []) {
      const named = record[field]
      const index = typeof named === "string" ? meant.get(named) : undefined
      if (index !== undefined) out = patch(out, { [field]: idAt(index) })
    }
    return out
  }
  return records.map((record, index) => {
    if (!isWire(record)) return record
    const id = ids.get(index)
    const renamed = referred(id === undefined ? record : { ...record, [linking.id]: id })
    const before = naming.idOf(record)
    if (before !== undefined && tree.collapsed.has(before)) meant.set(before, index)
    const above = links.get(index) ?? parents[index] ?? -1
    const named = tree.isEntry(index) ? naming.parentOf(record) : undefined
    const isBroken = links.has(index) || (typeof named === "string" && tree.collapsed.has(named))
    if (!isBroken) return renamed
    const parent = idAt(above)
    return parent === named ? renamed : { ...renamed, [linking.parent]: parent }
  })
}

/** The findings about ids that different records have. */
export const sharedIds = ({ collapsed }: Tree): readonly Diagnostic[] =>
  [...collapsed].map((id) => anomaly("duplicate-record-id", {}, `Different records have the id ${id}`, [id]))
