/**
 * The path through a tree of entries from its root to the tip, for session files in which every entry names its parent
 * and a rewind or an edit leaves abandoned branches behind.
 *
 *     1 user ─ 2 assistant(a, b) ─┬─ 3 tool(a)
 *                                 └─ 4 tool(b) ─ 5 user        path to 5: 1 2 3 4 5
 *
 * A writer that cancels several calls may hang every result on the same parent. Only one of them is on the way to the
 * tip, yet all are outcomes of a call on the path. So results that hang beside the path are taken in when they answer a
 * call that nothing on the path answers: `rules/` decides that, and results on the path come first.
 */
import { assertOptions, isWire } from "../model/index.ts"
import { holdsOnlyResults, surveyList } from "./read-list.ts"

export type PathProblemKind = "cycle" | "missing-parent" | "missing-tip" | "duplicate-id"

/** What is wrong with the links. The path is as good as they allow; nothing is thrown. */
export interface PathProblem {
  readonly kind: PathProblemKind
  /** The entry it was found at. */
  readonly id: string
  readonly parentId?: string
  readonly what: string
}

export interface PathOptions<Entry> {
  /** Default: the entry's `uuid` or `id`. */
  readonly id?: (entry: Entry) => string | null | undefined
  /** Default: the entry's `parentUuid` or `parentId`. Null or undefined: the entry is a root. */
  readonly parentId?: (entry: Entry) => string | null | undefined
  /** Id of the entry to end at. Default: the last entry that has an id. */
  readonly tip?: string
}

export interface ActivePath<Entry> {
  /** The same entry objects, from the root to the tip. */
  readonly path: readonly Entry[]
  readonly problems: readonly PathProblem[]
}

const field = (entry: unknown, ...keys: readonly string[]): string | undefined => {
  if (!isWire(entry)) return undefined
  for (const key of keys) if (typeof entry[key] === "string") return entry[key]
  return undefined
}

export const entryId = (entry: unknown): string | undefined => field(entry, "uuid", "id")
const entryParentId = (entry: unknown): string | undefined => field(entry, "parentUuid", "parentId")

interface Links {
  readonly ids: readonly (string | undefined)[]
  readonly parents: readonly (string | undefined)[]
  /** Where each id is; the last one where an entry was written again. */
  readonly places: ReadonlyMap<string, number>
}

const readLinks = <Entry>(entries: readonly Entry[], options: PathOptions<Entry>, problems: PathProblem[]): Links => {
  const { id = entryId, parentId = entryParentId } = options
  const ids = entries.map((entry) => id(entry) ?? undefined)
  const parents = entries.map((entry) => parentId(entry) ?? undefined)
  const places = new Map<string, number>()
  for (const [index, own] of ids.entries()) {
    if (own === undefined) continue
    if (places.has(own)) {
      const what = `Entry ${own} is in the list twice; the later one counts`
      problems.push({ kind: "duplicate-id", id: own, what })
    }
    places.set(own, index)
  }
  return { ids, parents, places }
}

/** From the tip to the root. */
const climb = ({ ids, parents, places }: Links, tip: number, problems: PathProblem[]): number[] => {
  const trail: number[] = []
  const visited = new Set<number>()
  for (let index: number | undefined = tip; index !== undefined;) {
    visited.add(index)
    trail.push(index)
    const id = ids[index] ?? ""
    const parentId: string | undefined = parents[index]
    if (parentId === undefined) break
    const parent = places.get(parentId)
    if (parent === undefined) {
      const what = `The parent ${parentId} of entry ${id} is not in the list`
      problems.push({ kind: "missing-parent", id, parentId, what })
    } else if (visited.has(parent)) {
      const what = `The parent ${parentId} of entry ${id} is one of its descendants`
      problems.push({ kind: "cycle", id, parentId, what })
      break
    }
    index = parent
  }
  return trail.reverse()
}

/** Entries as the numbers of their places, and the results that belong after each entry of the path. */
interface Runs {
  readonly onPath: ReadonlyMap<number, number[]>
  readonly beside: ReadonlyMap<number, number[]>
}

/**
 * Who owns the results: the entry of the path they hang on, over other results if need be. Results on the path form the
 * run of their owner, results beside it are candidates for that run.
 */
const findRuns = (entries: readonly unknown[], { ids, parents, places }: Links, trail: readonly number[]): Runs => {
  const path = new Set(trail)
  const owners = new Map<number, number>()
  const onPath = new Map<number, number[]>()
  const beside = new Map<number, number[]>()
  const enlist = (index: number, runs: Map<number, number[]>): void => {
    const parent = places.get(parents[index] ?? "")
    const owner = parent === undefined ? undefined : (owners.get(parent) ?? (path.has(parent) ? parent : undefined))
    if (owner === undefined || !holdsOnlyResults(entries[index])) return
    owners.set(index, owner)
    const run = runs.get(owner)
    if (run) run.push(index)
    else runs.set(owner, [index])
  }
  for (const index of trail) enlist(index, onPath)
  for (const index of entries.keys()) {
    const superseded = places.get(ids[index] ?? "") !== index
    if (!path.has(index) && !superseded) enlist(index, beside)
  }
  return { onPath, beside }
}

/** The path, and in it the results that hang beside it and answer an open call. */
const withSiblingResults = (entries: readonly unknown[], links: Links, trail: readonly number[]): readonly number[] => {
  if (trail.length === entries.length) return trail
  const { onPath, beside } = findRuns(entries, links, trail)
  if (beside.size === 0) return trail
  const inRun = new Set([...onPath.values()].flat())
  const lay = (candidates: (owner: number) => readonly number[]): readonly number[] =>
    trail.flatMap((index) => (inRun.has(index) ? [] : [index, ...candidates(index)]))
  const tried = lay((owner) => [...(onPath.get(owner) ?? []), ...(beside.get(owner) ?? [])])
  const survey = surveyList(
    tried.map((index) => entries[index]),
    { tip: "open", reattach: false },
  )
  const answering = new Set<number>()
  for (const { result, call } of survey.results) {
    if (call) answering.add(tried[survey.placeOf(result).message] as number)
  }
  return lay((owner) => {
    const own = onPath.get(owner) ?? []
    const found = (beside.get(owner) ?? []).filter((index) => answering.has(index))
    return found.length === 0 ? own : [...own, ...found].sort((left, right) => left - right)
  })
}

/** Where the path ends; nothing when there is no such entry. */
const findTip = ({ ids, places }: Links, tip: string | undefined): number | undefined =>
  tip === undefined ? places.get(ids.findLast((id) => id !== undefined) ?? "") : places.get(tip)

/**
 * The entries from the root to the tip, without abandoned branches. Broken links end the walk and are reported: a
 * cycle, a parent that is not there, an id that is there twice. A list in which no entry names a parent is a path
 * already. Linear.
 *
 * @example
 * const { path, problems } = activePath(lines.map((line) => JSON.parse(line)))
 */
export const activePath = <Entry>(entries: readonly Entry[], options: PathOptions<Entry> = {}): ActivePath<Entry> => {
  assertOptions(options, { id: true, parentId: true, tip: true })
  const problems: PathProblem[] = []
  const links = readLinks(entries, options, problems)
  const unlinked = isUnlinked(entries, links, options)
  if (unlinked && options.tip === undefined) return { path: entries, problems }
  const tip = findTip(links, options.tip)
  if (tip === undefined) {
    const id = options.tip ?? ""
    if (entries.length > 0) problems.push({ kind: "missing-tip", id, what: `There is no entry ${id} to end at` })
    return { path: [], problems }
  }
  if (unlinked) return { path: entries.slice(0, tip + 1), problems }
  const trail = withSiblingResults(entries, links, climb(links, tip, problems))
  return { path: trail.map((index) => entries[index] as Entry), problems }
}

/** No entry says anything about a parent, not even that it has none. */
const isUnlinked = <Entry>(entries: readonly Entry[], links: Links, { parentId }: PathOptions<Entry>): boolean => {
  if (links.parents.some((parent) => parent !== undefined)) return false
  return parentId
    ? entries.every((entry) => parentId(entry) === undefined)
    : !entries.some((entry) => isWire(entry) && ("parentUuid" in entry || "parentId" in entry))
}
