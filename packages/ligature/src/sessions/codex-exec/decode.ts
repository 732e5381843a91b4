/**
 * `codex exec --json` → Transcript. Items come as `item.started`, `item.updated`, `item.completed`: the last word on an
 * item counts, at the place of its first. A call is made where its item starts and answered where it completes, so that
 * calls that ran side by side are one message; an item that never completed is a call without result. The stream does
 * not say what the user asked. There is one view and one path.
 */
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import {
  asWord,
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Place,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { type AnomalyKind, anomaly } from "../engine/anomaly.ts"
import { recordsOf } from "../codex-rollout/records.ts"
import { callReaderOf, format, knownTypes, readCall, readResult, readSaid } from "./items.ts"

const itemEvents: ReadonlySet<unknown> = new Set(["item.started", "item.updated", "item.completed"])

export const otherEvents: ReadonlySet<unknown> = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "error",
])

export const itemOf = (record: unknown): Wire | undefined => {
  if (!isWire(record) || !itemEvents.has(record["type"])) return undefined
  return isWire(record["item"]) ? record["item"] : undefined
}

/** The last record of each item, found by its first; numbering starts again with each run. */
interface Course {
  readonly first: number
  last: Wire
  /** Index of the record that completed it. */
  completed: number
}

class ExecReader {
  readonly messages: Message[] = []
  readonly diagnostics: Diagnostic[] = []
  readonly #records: readonly unknown[]
  readonly #lines: readonly number[] | undefined
  readonly #strange = new Set<unknown>()
  #open: "assistant" | "tool" | undefined
  #blocks: Block[] = []

  constructor(records: readonly unknown[], lines: readonly number[] | undefined) {
    this.#records = records
    this.#lines = lines
  }

  read(): void {
    const starts = this.#courses()
    const ends = new Map<number, Course>()
    for (const course of starts.values()) if (course.completed >= 0) ends.set(course.completed, course)
    for (let index = 0; index < this.#records.length; index++) {
      const started = starts.get(index)
      if (started) this.#start(started.last, index)
      const ended = ends.get(index)
      const reader = ended && callReaderOf(ended.last)
      if (ended && reader) this.#add("tool", readResult(ended.last, reader), index)
    }
  }

  /** By the index of their first record. */
  #courses(): ReadonlyMap<number, Course> {
    const starts = new Map<number, Course>()
    let running = new Map<unknown, Course>()
    for (let index = 0; index < this.#records.length; index++) {
      const record = this.#records[index]
      const item = itemOf(record)
      if (!item) {
        if (isWire(record) && record["type"] === "thread.started") running = new Map()
        this.#other(record, index)
        continue
      }
      const type = (record as Wire)["type"]
      const { id } = item
      const known = running.get(id)
      const same = known && known.completed < 0 && known.last["type"] === item["type"] ? known : undefined
      const course: Course = same ?? { first: index, last: item, completed: -1 }
      course.last = item
      if (type === "item.completed") course.completed = index
      if (same) continue
      starts.set(index, course)
      if (typeof id === "string") running.set(id, course)
    }
    return starts
  }

  #start(item: Wire, index: number): void {
    const { type } = item
    if (!knownTypes.has(type)) return this.#find("unknown-record", index, `An item of the type ${asWord(type)}`)
    const reader = callReaderOf(item)
    const block = reader ? readCall(item, reader) : readSaid(item)
    if (block) this.#add("assistant", block, index)
  }

  #other(record: unknown, index: number): void {
    if (!isWire(record)) return this.#find("malformed-record", index, "A line holds no record")
    const { type } = record
    if (itemEvents.has(type)) return this.#find("malformed-record", index, "An item record holds no item")
    if (!otherEvents.has(type)) this.#find("unknown-record", index, `A record of the type ${asWord(type)}`)
  }

  #find(kind: AnomalyKind, index: number, what: string): void {
    if (this.#strange.has(what)) return
    this.#strange.add(what)
    const line = this.#lines?.[index]
    const place: Place = { path: `records[${index}]`, ...(line !== undefined && { line }) }
    this.diagnostics.push(anomaly(kind, place, what))
  }

  #add(role: "assistant" | "tool", block: Block, index: number): void {
    if (this.#open !== role) {
      this.#open = role
      this.#blocks = []
      const line = this.#lines?.[index]
      this.messages.push({ role, blocks: this.#blocks, ...(line !== undefined && { line }) })
    }
    this.#blocks.push(block)
  }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const reader = new ExecReader(records, options.lines)
  reader.read()
  const { messages, diagnostics } = reader
  return {
    format,
    messages,
    native: { [format]: { records } },
    origin: { provider: "openai" },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
