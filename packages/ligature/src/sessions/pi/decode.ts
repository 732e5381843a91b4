/**
 * pi and OpenClaw sessions → Transcript. The path from the last entry (or from the branch asked for) to the root, each
 * entry read on its own.
 *
 * Default view: whole. `effective` is what the agent would send next: the summary of the last compaction, the entries
 * it kept, and what came after it.
 */
import { type Block, type Diagnostic, isWire, type Message, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { recordsOf } from "../engine/fields.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { leafNamed, readTree, type Tree } from "../engine/read-tree.ts"
import { relinked, sharedIds } from "../engine/relink.ts"
import { walkTo } from "../engine/walk.ts"
import type { Reading } from "../engine/put-back.ts"
import { format, linking, naming } from "./format.ts"
import { callIdsOf, kindOf, readEntry, wasCut } from "./read-entry.ts"

const leafOf = (tree: Tree, branch: string | undefined): { readonly leaf: number; readonly unknown: boolean } => {
  if (branch === undefined) return { leaf: tree.tip, unknown: false }
  const leaf = leafNamed(tree, branch)
  return { leaf: leaf ?? tree.tip, unknown: leaf === undefined }
}

/** The entry from which a compaction kept what stood before it; version 1 counts records instead of naming one. */
const firstKept = (compaction: Wire, tree: Tree): number | undefined => {
  const { firstKeptEntryId, firstKeptEntryIndex } = compaction
  if (typeof firstKeptEntryId === "string") return tree.byId.get(firstKeptEntryId)
  return typeof firstKeptEntryIndex === "number" ? firstKeptEntryIndex : undefined
}

/** The part of a path that the agent would send, the summary in front. */
const effectivePart = (path: readonly number[], records: readonly unknown[], tree: Tree): readonly number[] => {
  const isCompaction = (index: number): boolean => {
    const record = records[index]
    return isWire(record) && record["type"] === "compaction"
  }
  const last = path.findLastIndex(isCompaction)
  if (last < 0) return path
  const at = path[last] as number
  const kept = firstKept(records[at] as Wire, tree)
  const from = kept === undefined ? -1 : path.indexOf(kept)
  const before = from >= 0 && from < last ? path.slice(from, last).filter((index) => !isCompaction(index)) : []
  return [at, ...before, ...path.slice(last + 1)]
}

const hasMalformed = (block: Block): boolean => {
  if (block.type === "result") return block.content.some(hasMalformed)
  return block.type === "opaque" && block.kind === "malformed"
}

class EntryReader {
  readonly messages: Message[] = []
  readonly said: number[] = []
  readonly diagnostics: Diagnostic[]
  /** What is known once all entries were read. */
  get findings(): readonly Diagnostic[] {
    return [...this.diagnostics, ...this.unknown.diagnostics]
  }

  private readonly lines: readonly number[] | undefined
  private readonly unknown = new UnknownRecords("entries")

  constructor(diagnostics: readonly Diagnostic[], lines: readonly number[] | undefined) {
    this.diagnostics = [...diagnostics]
    this.lines = lines
  }

  private place(index: number): { readonly message: number; readonly path: string; readonly line?: number } {
    const line = this.lines?.[index]
    return { message: this.messages.length, path: `records[${index}]`, ...(line !== undefined && { line }) }
  }

  entry(record: Wire, index: number): void {
    const kind = kindOf(record)
    if (kind === "malformed") {
      this.diagnostics.push(
        anomaly("malformed-record", this.place(index), "Expected an entry with a message of a known role"),
      )
      return
    }
    if (kind === "unknown") this.unknown.add(record["type"], this.place(index))
    const message = kind === "message" ? readEntry(record) : undefined
    if (message) this.message(message, record, index)
  }

  private message(message: Message, record: Wire, index: number): void {
    message.blocks.forEach((block, position) => {
      if (!hasMalformed(block)) return
      this.diagnostics.push(malformedMessage({ ...this.place(index), block: position }, "Expected a content block"))
    })
    if (wasCut(record)) {
      const ids = callIdsOf(record)
      const calls = ids.length === 0 ? "" : `, with the calls ${ids.join(", ")}`
      this.diagnostics.push(
        anomaly("stream-cut", this.place(index), `The agent stopped inside of this message${calls}`, ids),
      )
    }
    const line = this.lines?.[index]
    const { id } = record
    this.said.push(index)
    this.messages.push({ ...message, ...(typeof id === "string" && { id }), ...(line !== undefined && { line }) })
  }
}

const originOf = (messages: readonly Message[]): Transcript["origin"] => {
  for (let index = messages.length - 1; index >= 0; index--) if (messages[index]?.origin) return messages[index]?.origin
  return undefined
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const given = readTree(recordsOf(value), naming)
  const { leaf, unknown } = leafOf(given, options.branch)
  const walked = walkTo(given, leaf, options.lines)
  const records = relinked(given, walked.links, linking)
  const tree = records === given.records ? given : readTree(records, naming)
  const walk = tree === given ? walked : walkTo(tree, leaf)
  const reader = new EntryReader([...walked.diagnostics, ...sharedIds(given)], options.lines)
  if (unknown) {
    const what = `There is no entry ${String(options.branch)} in this session: the active path is read`
    reader.diagnostics.push(anomaly("unknown-record", {}, what))
  }
  for (const index of tree.repeated) {
    const { id } = records[index] as Wire
    const line = options.lines?.[index]
    const place = { path: `records[${index}]`, ...(line !== undefined && { line }) }
    reader.diagnostics.push(anomaly("repeated-record", place, `The entry ${String(id)} stands again further down`))
  }
  const seen = options.view === "effective" ? effectivePart(walk.path, records, tree) : walk.path
  for (const index of seen) reader.entry(records[index] as Wire, index)
  const { messages, said, findings: diagnostics } = reader
  const origin = originOf(messages)
  const { repeated } = tree
  const reading: Reading = { records, path: walk.path, said, ...(repeated.length > 0 && { repeated }) }
  return {
    format,
    messages,
    native: { pi: reading },
    ...(origin && { origin }),
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
