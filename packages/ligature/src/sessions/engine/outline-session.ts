/** What a session says beside its messages: facts, paths, compactions; and what one record does, for readers of large files. */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import type { RecordPulse, SessionCompaction, SessionOutline, SessionPath } from "../../formats/engine/session.ts"
import { wireOf } from "./fields.ts"
import { nameOfLeaf, none, type Tree } from "./read-tree.ts"
import { readerOf, readPath } from "./read-session.ts"
import type { RecordGlance, RecordMessage, RecordReading, SessionFacts, SessionFormat } from "./session-format.ts"

const titleLength = 60

const wordsIn = (text: string): string => text.slice(0, titleLength).replaceAll(/\s+/g, " ").trim()

/** A few words to know a message by. */
const titleOf = ({ title }: RecordReading, { blocks }: RecordMessage): string | undefined => {
  if (title === false) return undefined
  for (const text of [title ?? "", ...blocks.map((block) => (block.type === "text" ? block.text : ""))]) {
    const words = wordsIn(text)
    if (words !== "") return words
  }
  return undefined
}

/** Facts that are said at the beginning; of all others the latest counts. */
const saidFirst: ReadonlySet<string> = new Set(["id", "folder", "startedAt", "subagent"])

/** Headers are no entries of a tree, so that they lie on no path. */
const factPlaces = (format: SessionFormat, records: readonly unknown[], path: readonly number[]): readonly number[] => {
  const indices = format.links ? new Set([...records.keys()].filter((index) => !isEntry(format, records[index])).concat(path)) : path
  const isInOrder = !format.links && path.every((index, position) => position === 0 || index > (path[position - 1] ?? 0))
  return isInOrder ? path : [...indices].sort((one, other) => one - other)
}

export const factsOf = (format: SessionFormat, records: readonly unknown[], path: readonly number[], value: unknown): SessionFacts => {
  const facts: Record<string, unknown> = {}
  for (const index of format.facts ? factPlaces(format, records, path) : []) {
    const record = records[index]
    const found = isWire(record) ? (format.facts?.(record) as Readonly<Record<string, unknown>>) : {}
    for (const name in found) {
      const fact = found[name]
      if (fact === undefined || fact === "" || (saidFirst.has(name) && facts[name] !== undefined)) continue
      facts[name] = fact
    }
  }
  for (const [name, fact] of Object.entries(format.about?.(value) ?? {})) if (fact !== undefined && fact !== "") facts[name] = fact
  return facts
}

const isEntry = ({ links }: SessionFormat, record: unknown): boolean => isWire(record) && (links?.isEntry?.(record) ?? true)

/** A path beside the one the agent goes on with. */
interface Branch {
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

export const outlineSession = (format: SessionFormat, value: unknown): SessionOutline => {
  // Where a compaction starts a new root, what is before it belongs to the path.
  const found = readPath(format, value, format.links || format.counts ? { view: "whole" } : {})
  const { records, path, tree, unrepaired = tree, homes } = found
  const home = (index: number): number => homes?.[index] ?? index
  const readings = new Map<number, RecordReading>()
  const read = readerOf(format, found, "whole")
  const readingAt = (index: number): RecordReading => {
    const known = readings.get(index) ?? read(index)
    readings.set(index, known)
    return known
  }
  // What is not on the path is read without it.
  const readBeside = found.readBeside ?? ((record) => format.read(record, "whole"))
  const readAlone = (index: number): RecordReading => readBeside(records[index] as Wire, index)
  const glanceAt = (index: number, at: typeof readingAt): RecordGlance => {
    const seen = found.glance?.(wireOf(records[index]), index)
    if (seen) return seen
    const { messages = [], response } = at(index)
    return { roles: messages.map(({ role }) => role), ...(response !== undefined && { response }) }
  }
  const countIn = (indices: readonly number[], at = readingAt): number => {
    const { counts } = format
    if (counts) return indices.filter((index) => counts(wireOf(records[index]))).length
    let count = 0
    let open: string | undefined
    for (const index of indices) {
      const { roles, response } = glanceAt(index, at)
      for (const role of roles) {
        if (role !== "assistant" || response === undefined || response !== open) count++
        if (role !== "tool") open = role === "assistant" ? response : undefined
      }
    }
    return count
  }
  const titleIn = (indices: readonly number[], at = readingAt): string | undefined => {
    for (const index of indices) {
      const { roles, title: seen } = glanceAt(index, at)
      if (!roles.includes("user") || seen === false) continue
      const words = wordsIn(seen ?? "")
      if (words !== "") return words
      const reading = at(index)
      for (const message of reading.messages ?? []) {
        const title = message.role === "user" && message.summary !== true ? titleOf(reading, message) : undefined
        if (title !== undefined) return title
      }
    }
    return undefined
  }
  const titled = (title: string | undefined): { readonly title?: string } => (title === undefined ? {} : { title })
  const compactions = (found.compactions ?? []).map(({ record, ...compaction }): SessionCompaction => ({
    record: home(record),
    ...compaction,
  }))
  for (const index of found.compactions ? [] : path) {
    const { compaction } = readingAt(index)
    if (compaction) compactions.push({ record: home(index), ...compaction })
  }
  const facts = factsOf(format, records, path, found.value)
  const paths: SessionPath[] = []
  if (path.length > 0) {
    const id = found.id ?? (unrepaired ? nameOfLeaf(unrepaired, found.tip ?? unrepaired.tip) : (facts.id ?? "active"))
    paths.push({ id, kind: "active", ...titled(titleIn(path)), messages: countIn(path), first: home(path[0] ?? 0) })
  }
  for (const { id, own, kind = "abandoned", title = titleIn(own, readAlone), leaves } of found.others ?? []) {
    const place = { messages: countIn(own, readAlone), first: home(own[0] ?? 0), ...(leaves !== undefined && { leaves: home(leaves) }) }
    paths.push({ id, kind, ...titled(title), ...place })
  }
  for (const { leaf, own, leaves } of tree ? branchesOf(tree, path) : []) {
    const inOrder = own.toReversed()
    const messages = countIn(inOrder)
    if (messages === 0 || !unrepaired) continue
    const place = { messages, first: inOrder[0] ?? leaf, ...(leaves >= 0 && { leaves }) }
    paths.push({ id: nameOfLeaf(unrepaired, leaf), kind: "abandoned", ...titled(titleIn(inOrder)), ...place })
  }
  const { needs, title = paths[0]?.title, ...rest } = facts
  const known = Object.fromEntries(Object.entries(rest).filter(([, fact]) => fact !== undefined))
  return { ...known, ...titled(title), paths, compactions, ...(needs !== undefined && { needs: [needs] }) }
}

const idsIn = (blocks: readonly Block[], type: "call" | "result"): readonly string[] =>
  blocks.flatMap((block) => {
    const id = block.type !== type ? "" : block.type === "call" ? block.id : block.type === "result" ? block.callId : ""
    return id === "" ? [] : [id]
  })

export const scanRecord = (format: SessionFormat, record: unknown): RecordPulse => {
  const { messages = [], starts: startsTurn }: RecordReading = isWire(record) ? format.read(record, "whole") : {}
  const blocks = messages.flatMap((message) => message.blocks)
  const [calls, results] = [idsIn(blocks, "call"), idsIn(blocks, "result")]
  const starts = startsTurn ?? messages.some(({ role, blocks: said }) => role === "user" && said.some(({ type }) => type !== "result"))
  return { ...(starts && { starts }), ...(calls.length > 0 && { calls }), ...(results.length > 0 && { results }) }
}
