/** What can be odd about a stream: one place for the words, so that recorders only say which, where and about whom. */
import { type Diagnostic, jsonText, phrase, type Place, type Severity } from "../../../model/index.ts"

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

export type ProblemRule = keyof typeof kinds

const previewLength = 500

/** A value of the wire, short enough to be shown. */
export const shown = (value: unknown): string => {
  const json = typeof value === "string" ? value : jsonText(value)
  return json.length <= previewLength ? json : `${json.slice(0, previewLength)}…`
}

/** How many unknown or malformed events are shown one by one; a stream of nothing else must not fill the memory. */
const mostShown = 20

export class Problems {
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
