/**
 * The writer of every wire: takes what a recorder of any format says and drives the pen of one format. What is alike
 * everywhere is decided here: the order of blocks, when the first piece of one may be written, what is said at its end,
 * and what was lost.
 *
 * Most wires have one open block at a time, and streams exist that interleave them (parallel calls in chat chunks). A
 * block waits until the one before it has ended or gives way: text and thinking always do, a call once its JSON is whole.
 */
import { type Block, jsonText, type Loss, readArgumentsText, type ResultBlock, type Wire } from "../../../model/index.ts"
import { type Feature, features } from "../codec.ts"
import type { Recorded, RecordEvent } from "./recorder.ts"
import {
  type BlockSource,
  type Entry,
  type Paper,
  type Pen,
  type StreamEvent,
  type StreamWriter,
  type StreamWriterOptions,
  textOf,
} from "./stream-writer.ts"

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
  /** The end of the block contradicted its pieces, which cannot be taken back. */
  contradicted: boolean
  signature: string | undefined
  readonly scan: JsonScan | undefined
}

const kindOf = (type: RecordEvent["type"]): Entry["kind"] => {
  const kind = type.slice(0, type.indexOf("-"))
  return kind === "text" || kind === "thinking" || kind === "call" ? kind : "whole"
}

const failures: Readonly<Record<string, string>> = {
  cut: "The stream ended before the answer did",
  aborted: "Reading the answer was stopped",
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
  /** A block that is written when it has ended keeps those after it waiting. */
  #blocked = false
  /** The text or thinking that was begun last. */
  #speech: Queued | undefined
  /** The block that losses are about. */
  #at: number | undefined
  #begun = false
  #ended = false
  #calls = 0
  #out: StreamEvent[] = []
  #failure: Wire | undefined

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

  lose(feature: Feature, original?: unknown, degree: Loss["degree"] = "lost"): void {
    const place = this.#at === undefined ? {} : { block: this.#at }
    const loss = { feature, degree, place, what: features[feature] }
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
      for (const entry of this.#latest.values()) if (!entry.ended) this.#endOf(entry)
      this.#advance()
    }
    this.#at = undefined
    this.#begin(undefined)
    if (recorded.complete) this.#pen.finish(recorded)
    else this.#failure = this.#pen.fail(recorded.error?.message ?? failures[recorded.stop] ?? "The stream broke off", recorded)
    return this.#taken()
  }

  /** The answer in one piece, after its end. */
  reply(recorded: Recorded): Wire {
    return this.#failure ?? this.#pen.reply(recorded)
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
    this.#at = event.block
    const known = this.#latest.get(event.block)
    if (event.type === "call-start") this.#name(known ?? this.#enqueue(event.block, "call"), event.id, event.name)
    else if ("delta" in event) this.#grow(known ?? this.#enqueue(event.block, kindOf(event.type)), event.delta)
    else if (event.type === "call-field") {
      if (known) known.held = true
    } else if (event.type.endsWith("-end")) {
      // The start of a call without a name is never told.
      this.#endOf(known ?? this.#enqueue(event.block, kindOf(event.type)))
    } else this.#enqueue(event.block, kindOf(event.type))
    const touched = this.#latest.get(event.block)
    if (this.#pen.overlaps === undefined || this.#blocked) this.#advance()
    else if (touched) this.#move(touched)
  }

  #enqueue(at: number, kind: Entry["kind"]): Queued {
    const earlier = this.#latest.get(at)
    const scan = kind === "call" && this.#pen.overlaps === undefined ? new JsonScan() : undefined
    const id = kind === "call" ? `call_${this.options.id === undefined ? "" : `${this.options.id}_`}${this.#calls++}` : ""
    const entry: Queued = {
      at,
      kind,
      id,
      name: "",
      sent: "",
      place: -1,
      waiting: "",
      started: false,
      held: kind === "whole",
      ended: false,
      closed: false,
      before: earlier ? earlier.before + earlier.sent : "",
      wrapped: false,
      contradicted: false,
      signature: undefined,
      scan,
    }
    this.#queue.push(entry)
    this.#latest.set(at, entry)
    return entry
  }

  /** Who is called. What comes after the start of the call was written cannot be said any more. */
  #name(entry: Queued, id: string, name: string): void {
    if (entry.started || entry.closed) {
      if (id !== "" && id !== entry.id) this.lose("call-id", id)
      if (name !== "" && name !== entry.name) this.lose("other-fields", name)
    } else {
      entry.id = id || entry.id
      entry.name = name || entry.name
    }
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

  #endOf(entry: Queued): void {
    entry.ended = true
    const [block] = entry.closed && entry.kind !== "whole" ? this.#source.blocks(entry.at) : []
    if (!block) return
    this.#at = entry.at
    const more = this.#beyond(entry, block)
    if (more !== "") this.#grow(entry, more)
    if (block.type === "thinking" && block.signature !== entry.signature) this.lose("thinking-signature", block.signature)
    const latest = this.#latest.get(entry.at)
    if (latest) latest.ended = true
  }

  #advance(): void {
    if (this.#pen.overlaps !== undefined) {
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
    if (entry.kind === "call") return !entry.wrapped && entry.scan?.isWhole === true
    return entry.kind !== "whole"
  }

  /** Ends the open text, where text ends before anything else begins. */
  #interrupt(by: Queued): void {
    const speech = this.#speech
    if (this.#pen.overlaps !== "calls" || !speech || speech === by || speech.closed) return
    this.#close(speech)
    this.#at = by.at
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
    this.#interrupt(entry)
    this.#begin(entry.kind)
    entry.started = true
    if (entry.kind !== "call") this.#speech = entry
    this.#pen.start(entry, this.#named(entry, block))
    if (block.type === "call" && block.custom === true && this.#pen.freeText !== true) {
      entry.wrapped = true
      this.#pen.add(entry, '{"input":"')
    }
    return true
  }

  /** The call under the id it is written with. */
  #named(entry: Entry, block: Block): Block {
    if (block.type !== "call") return block
    entry.name = block.name
    if (block.id !== "" || this.#pen.withoutIds === true) entry.id = block.id
    return block.id === entry.id ? block : { ...block, id: entry.id }
  }

  #close(entry: Queued): void {
    entry.closed = true
    this.#at = entry.at
    const blocks = this.#source.blocks(entry.at)
    const [block] = blocks
    if (entry.started && block) {
      this.#complete(entry, block)
      return this.#end(entry, this.#written(entry, block))
    }
    for (const each of blocks) {
      const taken = this.#accept(this.#named(entry, each))
      if (!taken) continue
      const text = textOf(taken, this.format)
      this.#interrupt(entry)
      this.#begin(entry.kind)
      if (blocks.length > 1 || taken.type !== entry.kind || text === "" || !this.#pen.grows(taken)) this.#pen.whole(taken)
      else {
        entry.held = false
        entry.waiting = text
        this.#flush(entry)
        this.#end(entry, taken)
      }
    }
  }

  #end(entry: Queued, block: Block): void {
    if (entry.wrapped) this.#pen.add(entry, '"}')
    if (block.type === "thinking") entry.signature = block.signature
    this.#pen.close(entry, block)
  }

  /** What the end of a block said beyond its pieces. */
  #complete(entry: Queued, block: Block): void {
    if (this.#latest.get(entry.at) !== entry) return
    entry.waiting += this.#beyond(entry, block)
    this.#flush(entry)
  }

  #beyond(entry: Queued, block: Block): string {
    const said = entry.before + entry.sent
    const isText = block.type !== "call" || block.custom === true || block.raw !== undefined
    const whole = isText ? textOf(block, this.format) : said
    if (whole.startsWith(said)) return whole.slice(said.length)
    entry.contradicted = true
    this.lose(block.type === "call" ? "raw-arguments" : block.type === "thinking" ? "thinking" : "other-fields", whole)
    return ""
  }

  /** The block as far as it was written under this entry. */
  #written(entry: Queued, given: Block): Block {
    const block = this.#accept(this.#named(entry, given)) ?? given
    if (block.type === "call") return entry.contradicted ? { ...block, ...readArgumentsText(entry.sent) } : block
    if ((block.type !== "text" && block.type !== "thinking") || block.text === entry.sent) return block
    const last = this.#latest.get(entry.at) === entry
    if (last && block.type === "text") return { ...block, text: entry.sent }
    // A signature is about the whole.
    if (last && block.type === "thinking" && block.signature !== undefined) this.lose("thinking-signature", block.signature)
    return { type: block.type, text: entry.sent }
  }

  /** What of the block this wire can say; nothing where it has no place for any of it. Names what is left out. */
  #accept(block: Block): Exclude<Block, ResultBlock> | undefined {
    const { signs, freeText } = this.#pen
    if (block.type === "result") return this.lose("server-tools", block.native ?? block) as undefined
    if (block.native?.[this.format] !== undefined) return block
    switch (block.type) {
      case "opaque":
        this.lose(block.kind === "compaction" ? "compaction-marks" : "server-tools", block.native, block.text === "" ? "lost" : "weakened")
        return block.text === "" ? undefined : block
      case "call":
        if (block.custom === true && freeText !== true) this.lose("free-text-call", undefined, "weakened")
        return block
      case "thinking": {
        if (signs === true || block.signature === undefined) return block.text === "" && block.signature === undefined ? undefined : block
        const { signature, ...rest } = block
        this.lose(block.redacted === true ? "redacted-thinking" : "thinking-signature", signature)
        return rest.text === "" ? undefined : rest
      }
      case "text":
        return block.text === "" && block.native !== undefined ? undefined : block
      case "media":
        return block
    }
  }
}
