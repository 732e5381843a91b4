/**
 * The writer of every wire: takes what a recorder of any format says and drives the pen of one format, which knows how
 * its wire spells a block. What is alike everywhere is decided here: the order of blocks, when the first piece of one
 * may be written, what is said at its end, and what was lost.
 *
 * Most wires have one open block at a time, and streams exist that interleave them (parallel calls in chat chunks). A
 * block waits until the one before it has ended or gives way: text and thinking always do, a call once its JSON is whole.
 */
import { type Block, type CallBlock, jsonText, type Loss, type Message } from "../../../model/index.ts"
import { type Feature, features } from "../codec.ts"
import type { Recorded, Recorder, RecordEvent } from "./recorder.ts"

/** One frame of an event stream. `data` is a JSON value, or the text of an end marker. */
export interface StreamEvent {
  /** The name of the event, on wires that name them. */
  readonly event?: string
  readonly data: unknown
}

export interface StreamWriterOptions {
  /** The id of the answer; ids of items and of calls without one are made of it. Default: one that says nothing. */
  readonly id?: string
  /** The model the answer names. Default: the one of the recording where the wire says it at the end, else "". */
  readonly model?: string
  /** Seconds since 1970, on wires that say when an answer was made. Default 0. */
  readonly created?: number
}

/** Where a writer looks blocks up: the recorder whose events it is given. */
export type BlockSource = Pick<Recorder, "blocks">

export interface StreamWriter {
  readonly format: string
  /** What the wire had no place for, so far. */
  readonly losses: readonly Loss[]
  /** Wire events for what the recorder just said, in order. */
  write(events: readonly RecordEvent[], source: BlockSource): readonly StreamEvent[]
  /** The end of the answer: what is open is closed, stop reason and usage are said; or the error the stream ended in. */
  end(recorded: Recorded): readonly StreamEvent[]
}

/** A block on its way to the wire. */
export interface Entry {
  readonly at: number
  readonly kind: "text" | "thinking" | "call" | "whole"
  id: string
  name: string
  /** What the pen has written of its text. */
  sent: string
  /** What the pen keeps about it. */
  place: number
}

/** What only a format knows: how its wire says that a block begins, grows and ends. */
export interface Pen {
  readonly format: string
  /** Calls may grow side by side on this wire. */
  readonly overlaps?: true
  /** Free-text calls grow as they are; without it they are written as JSON with one field. */
  readonly freeText?: true
  /** The first words of the stream, before a block of this kind. */
  begin(kind: Entry["kind"] | undefined): void
  /** Can the block be written in pieces? Else `whole` gets it when it has ended. */
  grows(block: Block): boolean
  start(entry: Entry, block: Block): void
  add(entry: Entry, delta: string): void
  close(entry: Entry, block: Block): void
  whole(block: Block): void
  finish(recorded: Recorded): void
  fail(message: string, recorded: Recorded): void
  /** The answer in one piece, once it is finished. */
  reply(recorded: Recorded): Readonly<Record<string, unknown>>
}

/** What a pen writes to. */
export interface Paper {
  readonly options: StreamWriterOptions
  emit(data: unknown, event?: string): void
  lose(feature: Feature, original?: unknown): void
}

/** Says whether a JSON text that comes in pieces is a whole object or list. One look at each character. */
class JsonScan {
  #depth = 0
  #inString = false
  #escaped = false
  #begun = false
  #members = false

  take(piece: string): void {
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === 92) this.#escaped = true
        else if (code === 34) this.#inString = false
      } else if (code === 34) {
        this.#inString = true
        this.#members = true
      } else if (code === 123 || code === 91) {
        this.#begun = true
        this.#depth++
      } else if (code === 125 || code === 93) this.#depth--
    }
  }

  /** `{}` does not count: servers send it first and the rest later. */
  get isWhole(): boolean {
    return this.#begun && this.#members && this.#depth === 0 && !this.#inString
  }
}

interface Queued extends Entry {
  /** Text that has come and is not written yet. */
  waiting: string
  started: boolean
  /** Written when it has ended, not before. */
  held: boolean
  ended: boolean
  closed: boolean
  /** What was written of the same block before it gave way. */
  readonly before: string
  /** Text of a free-text call becomes the one field of an object. */
  wrapped: boolean
  readonly scan: JsonScan | undefined
}

/** The text of a call as its deltas would say it. */
export const callText = (call: CallBlock): string => {
  const { input } = call.arguments
  if (call.custom === true && typeof input === "string") return input
  return call.raw ?? jsonText(call.arguments)
}

const textOf = (block: Block): string => {
  if (block.type === "text" || block.type === "thinking") return block.text
  return block.type === "call" ? callText(block) : ""
}

const kindOf = (type: RecordEvent["type"]): Entry["kind"] => {
  const kind = type.slice(0, type.indexOf("-"))
  return kind === "text" || kind === "thinking" || kind === "call" ? kind : "whole"
}

export class PenWriter implements StreamWriter, Paper {
  readonly options: StreamWriterOptions
  readonly losses: Loss[] = []
  readonly #pen: Pen
  readonly #queue: Queued[] = []
  /** Everything before this place of the queue is written. */
  #head = 0
  /** The latest entry of each block. */
  readonly #latest = new Map<number, Queued>()
  #source: BlockSource = { blocks: () => [] }
  /** A block that is written when it has ended stands in the way of those after it. */
  #blocked = false
  #begun = false
  #ended = false
  #calls = 0
  #out: StreamEvent[] = []

  constructor(pen: (paper: Paper) => Pen, options: StreamWriterOptions = {}) {
    this.options = options
    this.#pen = pen(this)
  }

  get format(): string {
    return this.#pen.format
  }

  emit(data: unknown, event?: string): void {
    this.#out.push(event === undefined ? { data } : { event, data })
  }

  lose(feature: Feature, original?: unknown): void {
    const loss = { feature, degree: "lost", place: {}, what: features[feature] } as const
    this.losses.push(original === undefined ? loss : { ...loss, original })
  }

  write(events: readonly RecordEvent[], source: BlockSource): readonly StreamEvent[] {
    this.#source = source
    for (const event of events) if (!this.#ended) this.#take(event)
    return this.#taken()
  }

  end(recorded: Recorded): readonly StreamEvent[] {
    if (this.#ended) return []
    this.#ended = true
    if (recorded.complete) {
      for (const entry of this.#latest.values()) entry.ended = true
      this.#advance()
    }
    this.#begin(undefined)
    if (recorded.complete) this.#pen.finish(recorded)
    else this.#pen.fail(recorded.error?.message ?? failures[recorded.stop] ?? "The stream broke off", recorded)
    return this.#taken()
  }

  reply(recorded: Recorded): Readonly<Record<string, unknown>> {
    return this.#pen.reply(recorded)
  }

  #taken(): readonly StreamEvent[] {
    const out = this.#out
    this.#out = []
    return out
  }

  #begin(kind: Entry["kind"] | undefined): void {
    if (this.#begun) return
    this.#begun = true
    this.#pen.begin(kind)
  }

  #take(event: RecordEvent): void {
    const known = this.#latest.get(event.block)
    if (event.type === "call-start") {
      const entry = known ?? this.#enqueue(event.block, "call")
      if (!entry.started && entry.sent === "") {
        entry.id = event.id || entry.id
        entry.name = event.name || entry.name
      }
    } else if ("delta" in event) this.#grow(known ?? this.#enqueue(event.block, kindOf(event.type)), event.delta)
    else if (event.type === "call-field") {
      if (known) known.held = true
    } else if (event.type.endsWith("-end")) {
      if (known) known.ended = true
    } else this.#enqueue(event.block, kindOf(event.type))
    const touched = this.#latest.get(event.block)
    if (this.#pen.overlaps !== true || this.#blocked) this.#advance()
    else if (touched) this.#move(touched)
  }

  #enqueue(at: number, kind: Entry["kind"]): Queued {
    const earlier = this.#latest.get(at)
    const scan = kind === "call" && this.#pen.overlaps !== true ? new JsonScan() : undefined
    const id = kind === "call" ? `call_${this.options.id === undefined ? "" : `${this.options.id}_`}${this.#calls++}` : ""
    const entry: Queued = {
      at, kind, id, name: "", sent: "", place: -1, waiting: "", started: false, held: kind === "whole", ended: false,
      closed: false, before: earlier ? earlier.before + earlier.sent : "", wrapped: false, scan,
    }
    this.#queue.push(entry)
    this.#latest.set(at, entry)
    return entry
  }

  /** More of a block. Text that comes after its block gave way to another begins a block of its own. */
  #grow(entry: Queued, delta: string): void {
    if (entry.closed) {
      if (entry.kind === "call") return this.lose("raw-arguments", delta)
      entry = this.#enqueue(entry.at, entry.kind)
    }
    entry.waiting += delta
    entry.scan?.take(delta)
  }

  #advance(): void {
    if (this.#pen.overlaps === true) {
      this.#blocked = false
      for (let index = this.#head; index < this.#queue.length && !this.#blocked; index++) {
        const entry = this.#queue[index] as Queued
        if (!entry.closed) this.#move(entry)
        if (entry.closed && index === this.#head) this.#head++
      }
      return
    }
    for (;;) {
      const entry = this.#queue[this.#head]
      if (!entry) return
      this.#flush(entry)
      if (!entry.ended && !this.#givesWay(entry, this.#queue[this.#head + 1])) return
      this.#close(entry)
      this.#head++
    }
  }

  /** What cannot be written in pieces keeps its place: nothing that began after it is written before it. */
  #move(entry: Queued): void {
    if (entry.closed) return
    this.#flush(entry)
    if (entry.ended) this.#close(entry)
    else if (entry.held) this.#blocked = true
  }

  #givesWay(entry: Queued, next: Queued | undefined): boolean {
    if (!next || (next.kind !== "call" && next.waiting === "" && !next.ended)) return false
    if (entry.kind === "call") return entry.scan?.isWhole === true
    return entry.kind !== "whole"
  }

  /** Writes what waits, where the block can be written in pieces. */
  #flush(entry: Queued): void {
    if (entry.waiting === "" || entry.held) return
    if (!entry.started && !this.#start(entry)) return
    this.#pen.add(entry, entry.wrapped ? jsonText(entry.waiting).slice(1, -1) : entry.waiting)
    entry.sent += entry.waiting
    entry.waiting = ""
  }

  #start(entry: Queued): boolean {
    const [block] = this.#source.blocks(entry.at)
    if (!block || block.type !== entry.kind || !this.#pen.grows(block)) {
      entry.held = true
      return false
    }
    this.#begin(entry.kind)
    entry.started = true
    this.#pen.start(entry, this.#named(entry, block))
    if (block.type === "call" && block.custom === true && this.#pen.freeText !== true) {
      entry.wrapped = true
      this.#pen.add(entry, '{"input":"')
    }
    return true
  }

  /** The call under the id it is written with. */
  #named(entry: Entry, block: Block): Block {
    return block.type === "call" && block.id === "" ? { ...block, id: entry.id } : block
  }

  #close(entry: Queued): void {
    entry.closed = true
    const blocks = this.#source.blocks(entry.at)
    const [block] = blocks
    const late = this.#latest.get(entry.at) === entry
    if (entry.started && block) {
      if (late) this.#complete(entry, block)
      if (entry.wrapped) this.#pen.add(entry, '"}')
      this.#pen.close(entry, this.#named(entry, block))
      return
    }
    for (const each of blocks) {
      this.#begin(entry.kind)
      const grows = blocks.length === 1 && each.type === entry.kind && textOf(each) !== "" && this.#pen.grows(each)
      if (!grows) this.#pen.whole(this.#named(entry, each))
      else {
        entry.held = false
        entry.waiting = entry.kind === "call" && each.type === "call" ? callText(each) : textOf(each)
        this.#flush(entry)
        if (entry.wrapped) this.#pen.add(entry, '"}')
        this.#pen.close(entry, this.#named(entry, each))
      }
    }
  }

  /** What the end of a block said beyond its pieces. */
  #complete(entry: Queued, block: Block): void {
    const said = entry.before + entry.sent
    const whole = block.type === "call" ? (block.custom === true || block.raw !== undefined ? callText(block) : said) : textOf(block)
    if (whole === said) return
    if (!whole.startsWith(said)) return this.lose("other-fields", whole)
    entry.waiting = whole.slice(said.length)
    this.#flush(entry)
  }
}

const failures: Readonly<Record<string, string>> = {
  cut: "The stream ended before the answer did",
  aborted: "Reading the answer was stopped",
}

/** What a recorder would have said of a whole message. */
export const eventsOf = (message: Message): readonly RecordEvent[] =>
  message.blocks.flatMap((each, block): readonly RecordEvent[] => {
    const delta = textOf(each)
    if (each.type === "call") {
      return [
        { type: "call-start", block, id: each.id, name: each.name },
        ...(delta === "" ? [] : [{ type: "call-delta", block, delta } as const]),
        { type: "call-end", block },
      ]
    }
    if (each.type !== "text" && each.type !== "thinking") return [{ type: "opaque-start", block }, { type: "opaque-end", block }]
    const { type } = each
    return [
      { type: `${type}-start`, block },
      ...(delta === "" ? [] : [{ type: `${type}-delta`, block, delta } as const]),
      { type: `${type}-end`, block },
    ]
  })
