/** What a recorder knows of its stream: the draft of the message, and all that is said beside it. */
import {
  type Diagnostic,
  jsonText,
  type Message,
  phrase,
  type Place,
  type ResultBlock,
  type Severity,
  type Wire,
} from "../../../model/index.ts"
import { Draft, type Slot } from "./draft.ts"
import type { EndCause, RecorderOptions, StopReason, Usage } from "./recorder.ts"

// What can be odd about a stream: one place for the words, so that recorders only say which, where and about whom.

interface Kind {
  readonly severity: Severity
  readonly why: string
  readonly help: string
}

const kinds = {
  "stream-cut": {
    severity: "error",
    why: "What came is not all the model wanted to say; a call without its end may have lost a part of its arguments.",
    help: "Send the request again, or keep what came: finished calls are whole, unfinished ones carry a fault.",
  },
  "stream-error": {
    severity: "error",
    why: "The provider gave up in the middle of its answer.",
    help: "Send the request again; what came before the error is kept beside it.",
  },
  "stream-aborted": {
    severity: "warning",
    why: "Nobody read the rest of the answer.",
    help: "Nothing to do: what came is kept, and unfinished calls are never executed.",
  },
  "malformed-event": {
    severity: "warning",
    why: "An event that is not of the format cannot be part of the message.",
    help: "The event is shown here and otherwise ignored.",
  },
  "unknown-event": {
    severity: "info",
    why: "Providers add events; what this one says is not in the message.",
    help: "The event is shown here and otherwise ignored.",
  },
  "unfinished-call": {
    severity: "error",
    why: "The arguments of a call may be half of what the model meant, even where they parse.",
    help: "The text is kept; the call must not be executed.",
  },
  "invalid-arguments": {
    severity: "error",
    why: "Tools take objects.",
    help: "The text is kept; answer the call with an error that says so.",
  },
  "unfinished-block": {
    severity: "warning",
    why: "A block that only its origin understands is whole or nothing.",
    help: "It was left out of the message and is shown here.",
  },
  "too-many-calls": {
    severity: "error",
    why: "An answer with so many calls is a model gone astray; each call would need a result.",
    help: "The calls beyond the limit were left out; raise maxCalls if they were meant.",
  },
  "other-answer": {
    severity: "warning",
    why: "A message holds one answer.",
    help: "Only the first answer is recorded; ask for one.",
  },
} as const satisfies Readonly<Record<string, Kind>>

type ProblemRule = keyof typeof kinds

const previewLength = 500

/** A value of the wire, short enough to be shown. */
export const shown = (value: unknown): string => {
  const json = typeof value === "string" ? value : jsonText(value)
  return json.length <= previewLength ? json : `${json.slice(0, previewLength)}…`
}

/** How many unknown or malformed events are shown one by one; a stream of nothing else must not fill the memory. */
const mostShown = 20

class Problems {
  readonly #list: Diagnostic[] = []
  readonly #counts = new Map<ProblemRule, number>()

  add(rule: ProblemRule, what: string, place: Place = {}, ids: readonly string[] = []): void {
    const count = (this.#counts.get(rule) ?? 0) + 1
    this.#counts.set(rule, count)
    if (count <= mostShown) this.#list.push({ rule, ...kinds[rule], place, what, ids })
  }

  /** The problems in order; those that came too often are summed up at the end. */
  get list(): readonly Diagnostic[] {
    const more = [...this.#counts].flatMap(([rule, count]): readonly Diagnostic[] =>
      count <= mostShown
        ? []
        : [{ rule, ...kinds[rule], place: {}, what: phrase`The same happened ${count - mostShown} more times`, ids: [] }],
    )
    return [...this.#list, ...more]
  }
}

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

// Why the model stopped. Servers say "stop" beside calls and "tool_calls" beside none, so whether results are awaited is decided by what the message
// holds; the words of the wire decide only the rest.

export interface StreamEnd {
  readonly cause: EndCause
  /** The end marker of the format came. */
  readonly marked: boolean
  readonly failed: boolean
  /** What the wire's reason means by itself. */
  readonly meant: StopReason | undefined
}

export const isComplete = ({ marked, failed }: StreamEnd): boolean => marked && !failed

export const stopOf = (end: StreamEnd, message: Message): StopReason => {
  if (end.failed) return "failed"
  if (!end.marked) return end.cause === "error" ? "failed" : end.cause === "abort" ? "aborted" : "cut"
  const calls = message.blocks.some((block) => block.type === "call")
  const meant = end.meant ?? "end"
  if (calls && (meant === "end" || meant === "other")) return "calls"
  return meant === "calls" && !calls ? "end" : meant
}
