/**
 * The way from the first message to the last, by parents. The agent itself loses messages on this walk: it ends at a
 * parent that is not there, it never ends in a circle, and it sees one result of several that hang on the same
 * message, as a cancel writes them.
 *
 *     user ─ assistant(a, b) ─┬─ tool(a)
 *                             └─ tool(b) ─ user        read as: user assistant tool(a) tool(b) user
 *
 * Here a broken link leads to the message before it in the file, and results beside the path are taken in when they
 * answer a call that nothing on the path answers. The tree is the one of all sessions; the walk is not, because in the
 * whole view it goes on from a compaction's root to what stood before it.
 */
import type { Diagnostic, Wire } from "../../model/index.ts"
import { activePath } from "../../messages/active-path.ts"
import { anomaly } from "../engine/anomaly.ts"
import { leafNamed, type Naming, none, readTree, type Tree } from "../engine/read-tree.ts"
import type { Linking } from "../engine/relink.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { holdsResults, isMessage, isSummary, parentOf, uuidOf } from "./records.ts"

export interface PathOptions {
  readonly branch?: string
  readonly view?: "effective" | "whole"
  readonly lines?: readonly number[]
}

export interface SessionWay {
  /** Messages from root to tip, as their places in the file. */
  readonly path: readonly number[]
  readonly diagnostics: readonly Diagnostic[]
}

export const linking: Linking = {
  withId: (record, uuid) => ({ ...record, uuid }),
  withParent: (record, parentUuid) => ({ ...record, parentUuid }),
  newId: deriveUuid,
}

/** Two messages of one uuid that say the same are one that was written twice. */
const naming: Naming = {
  isEntry: isMessage,
  idOf: uuidOf,
  parentOf,
  saying: (record) => [record["role"], record["content"]],
}

export class Links {
  readonly records: readonly unknown[]
  readonly tree: Tree
  /** Places of the messages; of records that stand there twice, the later one. */
  readonly entries: number[] = []
  /** For each entry, its number among the entries. */
  readonly ordinals = new Map<number, number>()
  readonly linked: boolean

  constructor(records: readonly unknown[]) {
    this.records = records
    this.tree = readTree(records, naming)
    let linked = false
    records.forEach((record, index) => {
      if (isMessage(record)) linked ||= "parentUuid" in record
      if (!this.tree.isEntry(index)) return
      this.ordinals.set(index, this.entries.length)
      this.entries.push(index)
    })
    this.linked = linked
  }

  /** Where the parent that it names stands. */
  parent(index: number): number | undefined {
    if (typeof parentOf(this.at(index)) !== "string" || this.tree.dangling.has(index)) return undefined
    const parent = this.tree.parents[index] ?? none
    return parent === none ? undefined : parent
  }

  at(index: number): Wire {
    return this.records[index] as Wire
  }

  /** The message in front of it in the file. */
  before(index: number): number | undefined {
    return this.entries[(this.ordinals.get(index) ?? 0) - 1]
  }
}

const nameOf = (links: Links, index: number): string => uuidOf(links.at(index)) ?? `in place ${index}`

/** From the tip to the root. */
const climb = (links: Links, tip: number, options: PathOptions, diagnostics: Diagnostic[]): number[] => {
  const trail: number[] = []
  const visited = new Set<number>()
  let lowest = tip
  const placeOf = (index: number): { readonly line?: number } => {
    const line = options.lines?.[index]
    return line === undefined ? {} : { line }
  }
  const next = (index: number): number | undefined => {
    const record = links.at(index)
    const parent = parentOf(record)
    if (parent === null) return options.view === "whole" && isSummary(record) ? links.before(lowest) : undefined
    const place = links.parent(index)
    if (place !== undefined && !visited.has(place)) return place
    const name = nameOf(links, index)
    const ids = parent === undefined ? [name] : [name, parent]
    if (place !== undefined) {
      const what = `The parents of message ${name} lead back to it`
      diagnostics.push(anomaly("parent-cycle", placeOf(index), what, ids))
      return links.before(lowest)
    }
    const before = links.before(index)
    if (before !== undefined && !visited.has(before)) {
      const said = parent === undefined ? "names no parent" : `names the parent ${parent}, which is not in the file`
      diagnostics.push(anomaly("dangling-parent", placeOf(index), `Message ${name} ${said}`, ids))
    }
    return before
  }
  for (let index: number | undefined = tip; index !== undefined && !visited.has(index); ) {
    visited.add(index)
    trail.push(index)
    lowest = Math.min(lowest, index)
    index = next(index)
  }
  return trail.reverse()
}

/** The path with the results beside it that answer an open call. */
const withSiblings = (links: Links, trail: readonly number[]): readonly number[] => {
  const onTrail = new Set(trail)
  const beside = links.entries.some((index) => !onTrail.has(index) && holdsResults(links.at(index)))
  if (!beside) return trail
  const parents = new Map<number, string | null>()
  trail.forEach((index, position) => parents.set(index, position === 0 ? null : String(trail[position - 1])))
  const places = new Map<unknown, number>(links.entries.map((index) => [links.at(index), index]))
  const placeOf = (record: unknown): number => places.get(record) ?? -1
  const { path } = activePath(
    links.entries.map((index) => links.at(index)),
    {
      tip: String(trail.at(-1)),
      id: (record) => String(placeOf(record)),
      parentId: (record) => {
        const own = parents.get(placeOf(record))
        if (own !== undefined) return own
        const place = links.parent(placeOf(record))
        return place === undefined ? null : String(place)
      },
    },
  )
  return path.map(placeOf)
}

export const readWay = (links: Links, options: PathOptions = {}): SessionWay => {
  const diagnostics: Diagnostic[] = []
  const lineOf = (index: number): { readonly line?: number } => {
    const line = options.lines?.[index]
    return line === undefined ? {} : { line }
  }
  for (const index of links.tree.repeated) {
    const uuid = uuidOf(links.at(index)) ?? ""
    const what = `Message ${uuid} stands in the file again further down`
    diagnostics.push(anomaly("repeated-record", lineOf(index), what, [uuid]))
  }
  const { branch } = options
  const chosen = branch === undefined ? undefined : leafNamed(links.tree, branch)
  if (branch !== undefined && chosen === undefined) {
    const what = `There is no message ${branch} in the file: the active path is read`
    diagnostics.push(anomaly("unknown-record", {}, what, [branch]))
  }
  const tip = chosen ?? links.entries.at(-1)
  if (tip === undefined) return { path: [], diagnostics }
  if (!links.linked) return { path: links.entries.slice(0, (links.ordinals.get(tip) ?? 0) + 1), diagnostics }
  const trail = climb(links, tip, options, diagnostics)
  const path = withSiblings(links, trail)
  if (path.length > trail.length) {
    const onTrail = new Set(trail)
    for (const index of path) {
      if (onTrail.has(index)) continue
      const name = nameOf(links, index)
      const what = `The results in message ${name} are linked beside the path`
      diagnostics.push(anomaly("detached-result", lineOf(index), what, [name]))
    }
  }
  for (const index of path) {
    if (uuidOf(links.at(index)) !== undefined) continue
    diagnostics.push(anomaly("missing-record-id", lineOf(index), `The message ${nameOf(links, index)} has no id`))
  }
  return { path, diagnostics }
}
