/** What a recorder knows of its stream: the draft of the message, and all that is said beside it. */
import type { ResultBlock, Wire } from "../../../model/index.ts"
import { Draft, type Slot } from "./draft.ts"
import { Problems, shown } from "./problems.ts"
import type { RecorderOptions, StopReason, Usage } from "./recorder.ts"

const defaultMaxCalls = 1000

export class Recording<State> {
  readonly draft: Draft<State>
  readonly problems = new Problems()
  readonly names: "whole" | "pieces"
  readonly #maxCalls: number
  #calls = 0
  readonly #refused: string[] = []
  /** How many events have come. */
  events = 0
  /** The end marker came: nothing more will be said. */
  marked = false
  /** The stream itself says that somebody stopped it. */
  aborted = false
  /** Results in the same stream, where the other side runs tools. */
  readonly results: ResultBlock[] = []
  meant: StopReason | undefined
  said: string | undefined
  stopSequence: string | undefined
  error: { readonly message: string; readonly native: unknown } | undefined
  usage: Usage | undefined
  responseId: string | undefined
  model: string | undefined

  constructor(options: RecorderOptions) {
    this.draft = new Draft<State>(options.events ?? true)
    this.names = options.names ?? "whole"
    this.#maxCalls = options.maxCalls ?? defaultMaxCalls
  }

  /** Begins a call; beyond the limit, one that is in no message and of which only the id or name is kept. */
  openCall(state: State, id: string, name: string): Slot<State> {
    this.#calls++
    if (this.#calls <= this.#maxCalls) return this.draft.open("call", state)
    this.#refused.push(id || name)
    return this.draft.refuse("call", state)
  }

  /** The reason why the model stopped, as the wire says it and as it is meant. The first word counts. */
  stop(said: string, meant: StopReason): void {
    this.marked = true
    this.said ??= said
    this.meant ??= meant
  }

  /** The stream itself says that it failed. */
  fail(message: string, native: unknown): void {
    this.error ??= { message, native }
  }

  identify(id: unknown, model: unknown): void {
    if (this.responseId === undefined && typeof id === "string" && id !== "") this.responseId = id
    if (this.model === undefined && typeof model === "string" && model !== "") this.model = model
  }

  unknown(event: Wire): void {
    this.problems.add("unknown-event", `An event nobody here knows: ${shown(event)}`, this.place())
  }

  malformed(event: unknown): void {
    this.problems.add("malformed-event", `An event that is not of this stream: ${shown(event)}`, this.place())
  }

  place(): { readonly path: string } {
    return { path: `events[${this.events - 1}]` }
  }

  /** Says which calls were left out, once. */
  reportRefused(): void {
    if (this.#refused.length === 0) return
    const what = `The answer holds ${this.#calls} calls; ${this.#refused.length} of them were left out`
    this.problems.add("too-many-calls", what, {}, this.#refused)
  }
}
