/** A list of messages while it is decoded: where the reader is, what it has read and what it has found so far. */
import { type Block, type Diagnostic, isMalformed, isWire, type Message, type Place, type Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "./codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi } from "./malformed.ts"

export class MessageList {
  readonly messages: Message[] = []
  readonly diagnostics: Diagnostic[] = []
  /** One-based line of the message that is being read. */
  line: number | undefined
  readonly #format: string
  readonly #name: string
  readonly #options: DecodeOptions
  #index = 0

  /** `name`: of the list in the request, for the places of findings. */
  constructor(format: string, name: string, options: DecodeOptions) {
    this.#format = format
    this.#name = name
    this.#options = options
  }

  /** Goes on to this element of the wire list. */
  at(index: number): void {
    this.#index = index
    this.line = this.#options.lines?.[index]
  }

  /** The place of the message that is being read. `inside`: the rest of the path. */
  place(inside = "", block?: number): Place {
    const path = `${this.#name}[${this.#index}]${inside}`
    const place = block === undefined ? { message: this.messages.length, path } : { message: this.messages.length, block, path }
    return this.line === undefined ? place : { ...place, line: this.line }
  }

  add(message: Message): void {
    this.messages.push(this.line === undefined ? message : { ...message, line: this.line })
  }

  malformed(what: string, inside = ""): void {
    this.diagnostics.push(malformedMessage(this.place(inside), what))
  }

  /** Readable without doubt, but not as this format writes it. */
  ofAnotherApi(what: string, inside = ""): void {
    this.diagnostics.push(ofAnotherApi(this.place(inside), what))
  }

  /** A value that is no message: kept verbatim, shown as text of the user. */
  addMalformed(wire: unknown, what: string): void {
    this.malformed(what)
    this.add({ role: "user", blocks: [malformedBlock(this.#format, wire)] })
  }

  /** `value`: what was decoded, the request or the bare list. */
  transcript(value: unknown, facts: Pick<Transcript, "origin" | "ids" | "native"> = {}): Transcript {
    const { source } = this.#options
    return {
      format: this.#format,
      messages: this.messages,
      native: { [this.#format]: isWire(value) ? value : {} },
      ...facts,
      ...(source !== undefined && { source }),
      ...(this.diagnostics.length > 0 && { diagnostics: this.diagnostics }),
    }
  }
}

/** A shape the API rejects but whose meaning is plain: it is read, reported, and written as it should be. */
export const misshapen = (place: Place, what: string, written = "written as blocks"): Diagnostic => ({
  ...malformedMessage(place, what),
  help: "Nothing is lost: the meaning is plain, and it is written in the shape the API takes.",
  repair: { kind: "safe", what: written },
})

/** Where a request came from, as far as it says. */
export const originOf = (provider: string, model: unknown): NonNullable<Transcript["origin"]> => ({
  provider,
  ...(typeof model === "string" && { model }),
})

/** A block, or a block within a result, that is of no format. */
export const hasMalformed = (block: Block): boolean => {
  if (block.type !== "result") return isMalformed(block)
  // Asked of every block: a closure for each result would cost more than the question.
  for (const inner of block.content) if (hasMalformed(inner)) return true
  return false
}
