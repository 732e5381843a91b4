/**
 * The recorder of every format: it feeds events to the reader of the format, and makes the message of what the reader
 * kept. What is alike everywhere is decided here: which calls are whole, which blocks a cut leaves out, why it stopped.
 */
import { type Block, isWire, type Message } from "../../../model/index.ts"
import { type Draft, isExecutable, type Slot, wholeCharacters } from "./draft.ts"
import type { EndCause, Recorded, Recorder, RecorderOptions, RecordEvent } from "./recorder.ts"
import { isComplete, Recording, shown, stopOf, type StreamEnd } from "./recording.ts"

/** What only a format knows. */
export interface StreamReader<State> {
  readonly format: string
  readonly ids?: "optional"
  /** Calls come in one piece, so that a token limit cannot cut them. */
  readonly wholeCalls?: true
  /** Takes an event: opens, grows and closes blocks. */
  readonly read: (event: Readonly<Record<string, unknown>>) => void
  /** Takes an event that is no object. True: it was the end marker. */
  readMarker?(event: unknown): boolean
  /** The block of a slot. `whole`: nothing of it is missing. `hopeful`: as if the stream had ended well. */
  build(slot: Slot<State>, whole: boolean, hopeful?: boolean): Block | readonly Block[]
  /** Is nothing missing of this block? Default: yes when its own end came, or the stream is complete. */
  isWhole?(slot: Slot<State>, complete: boolean): boolean
  /** The message of these blocks, which came from these slots, with the native value the decoder would keep. */
  compose(blocks: readonly Block[], slots: readonly Slot<State>[]): Message
}

export class StreamRecorder<State> implements Recorder {
  readonly #recording: Recording<State>
  readonly #reader: StreamReader<State>
  /** Of the reader; by itself, because looking it up in readers of several shapes costs as much as a delta. */
  readonly #read: StreamReader<State>["read"]
  readonly #draft: Draft<State>
  #recorded: Recorded | undefined

  constructor(reader: (recording: Recording<State>) => StreamReader<State>, options: RecorderOptions = {}) {
    this.#recording = new Recording<State>(options)
    this.#draft = this.#recording.draft
    this.#reader = reader(this.#recording)
    this.#read = this.#reader.read
  }

  get format(): string {
    return this.#reader.format
  }

  push(event: unknown): readonly RecordEvent[] {
    const recording = this.#recording
    if (this.#recorded) return []
    recording.events++
    if (isWire(event)) this.#read(event)
    else if (this.#reader.readMarker?.(event) !== true) recording.malformed(event)
    return this.#draft.take()
  }

  draft(): Message {
    const { slots } = this.#draft
    return this.#reader.compose(
      slots.flatMap((slot) => this.#block(slot, slot.finished)),
      slots,
    )
  }

  blocks(at: number): readonly Block[] {
    const slot = this.#draft.slots[at]
    if (!slot) return []
    const built = this.#reader.build(slot, true, true)
    // Readers keep the wire value they built last, which is now this one.
    slot.built = undefined
    return "type" in built ? [built] : built
  }

  end(cause: EndCause = "complete"): Recorded {
    this.#recorded ??= this.#end(cause)
    return this.#recorded
  }

  #block(slot: Slot<State>, whole: boolean): Block | readonly Block[] {
    slot.built ??= this.#reader.build(slot, whole)
    return slot.built
  }

  #end(given: EndCause): Recorded {
    const recording = this.#recording
    const cause = recording.aborted ? "abort" : given
    const reader = this.#reader
    const { problems, marked, error, meant } = recording
    const end: StreamEnd = { cause, marked, failed: error !== undefined, meant }
    const complete = isComplete(end)
    const slots = this.#wholeSlots(complete)
    const message = reader.compose(
      slots.flatMap(({ built }) => built ?? []),
      slots,
    )
    this.#reportEnd(end)
    recording.reportRefused()
    const { usage, responseId, said, stopSequence, model, results } = recording
    return {
      message,
      ...(reader.ids && { ids: reader.ids }),
      ...(results.length > 0 && { results }),
      stop: stopOf(end, message),
      ...(said !== undefined && { said }),
      ...(stopSequence !== undefined && { stopSequence }),
      ...(responseId !== undefined && { responseId }),
      origin: { provider: reader.format, ...(model !== undefined && { model }) },
      ...(usage && { usage }),
      complete,
      ...(error && { error }),
      problems: problems.list,
    }
  }

  /** What goes into the message, built: all, but blocks that only their origin understands and that came in half. */
  #wholeSlots(complete: boolean): readonly Slot<State>[] {
    const { problems, draft, meant } = this.#recording
    const last = draft.slots.length - 1
    return draft.slots.filter((slot) => {
      const cutByLimit = meant === "length" && slot.kind === "call" && slot.index === last && !this.#reader.wholeCalls
      const whole = !cutByLimit && (this.#reader.isWhole?.(slot, complete) ?? (complete || slot.finished))
      slot.built = undefined
      if (!whole) slot.pieces.text = wholeCharacters(slot.pieces.text)
      const block = this.#block(slot, whole)
      const place = { block: slot.index }
      if (!whole && (slot.kind === "opaque" || slot.kind === "media")) {
        problems.add("unfinished-block", `A block of kind ${kindOf(block)} has no end: ${shown(nativeIn(block))}`, place)
        return false
      }
      if ("type" in block && block.type === "call" && !isExecutable(block)) {
        const rule = whole ? "invalid-arguments" : "unfinished-call"
        const lack = whole ? "has no name, or arguments that are no JSON object" : "was cut"
        problems.add(rule, `Call ${block.name || "without name"} (${block.id || "no id"}) ${lack}`, place, [block.id])
      }
      return true
    })
  }

  #reportEnd({ cause, marked }: StreamEnd): void {
    const { problems, error, events } = this.#recording
    if (error) problems.add("stream-error", `The stream carried an error: ${error.message}`)
    else if (marked) return
    else if (cause === "abort") problems.add("stream-aborted", `Reading stopped after ${events} events`)
    else if (cause === "error") problems.add("stream-error", `Reading the stream failed after ${events} events`)
    else problems.add("stream-cut", `The stream ended after ${events} events without its end marker`)
  }
}

const firstOf = (built: Block | readonly Block[]): Block | undefined => ("type" in built ? built : built[0])

const kindOf = (built: Block | readonly Block[]): string => {
  const block = firstOf(built)
  return block?.type === "opaque" ? block.kind : String(block?.type)
}

const nativeIn = (built: Block | readonly Block[]): unknown => firstOf(built)?.native
