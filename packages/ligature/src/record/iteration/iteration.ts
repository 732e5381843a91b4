/**
 * One iteration: an assistant message, and the outcomes of its calls as they land, in any order. Committed, it is the
 * assistant message and one message with the results in call order. Until then it is nothing: an iteration that is not
 * committed leaves no trace, so that a retried request starts from the history as it was.
 *
 *   new Iteration(message)      ids are made unique, calls that cannot be executed are answered at once
 *     .executable               the calls that want to be run
 *     .land(id, outcome)*       as they finish
 *     .commit()                 the messages; what has not landed is pending
 */
import { assertOptions, type Block, type CallBlock, isWire, LigatureError, type Message, type ResultBlock } from "../../model/index.ts"
import { isExecutable } from "../../formats/engine/recorder/draft.ts"
import { assignIds, type IdOptions } from "./assign-ids.ts"
import { type CallOutcome, resultOf } from "./outcome.ts"

export interface CommitOptions {
  /**
   * What is said of calls that have not landed: `pending` (default: they run on; valid only at the end of a history),
   * `interrupted` (they had started) or `not-run` (they never will).
   */
  readonly rest?: "pending" | "interrupted" | "not-run"
}

export interface Committed {
  /** The assistant message, and after it the results, if there are any. */
  readonly messages: readonly Message[]
  /** Calls without a result. */
  readonly pending: readonly CallBlock[]
}

interface Landed {
  readonly outcome: CallOutcome
  readonly result: ResultBlock | undefined
}

const restOutcomes: Readonly<Record<NonNullable<CommitOptions["rest"]>, CallOutcome>> = {
  pending: { kind: "pending", pending: "running" },
  interrupted: { kind: "aborted", started: true },
  "not-run": { kind: "aborted", started: false },
}

/** An outcome that a later word may replace: nobody knows yet, or nobody knew. */
const isOpen = ({ result }: Landed): boolean => result === undefined || result.synthetic !== undefined

/** The message of an API has content, parts or calls of its own: nothing here could read them. */
const assertDecoded = (message: unknown): void => {
  if (isWire(message) && Array.isArray(message["blocks"])) return
  const what = isWire(message) ? `an object with ${Object.keys(message).join(", ") || "nothing in it"}` : String(message)
  const wayOut = 'Read the message of an API first: decode("anthropic", [message]).messages[0]'
  throw new LigatureError("bad-option", `Expected a message with blocks, got ${what}. ${wayOut}`)
}

export class Iteration {
  readonly #message: Message
  readonly #calls: readonly CallBlock[]
  readonly #byId: ReadonlyMap<string, CallBlock>
  readonly #landed = new Map<string, Landed>()

  /** `message`: what a recorder gave, or a decoder: `decode(format, [wire]).messages[0]`. */
  constructor(message: Message, options: IdOptions = {}) {
    assertOptions(options, { prefix: true, isTaken: true, ids: ["optional"] })
    assertDecoded(message)
    this.#message = assignIds(message, options)
    this.#calls = this.#message.blocks.filter((block): block is CallBlock => block.type === "call")
    this.#byId = new Map(this.#calls.map((call) => [call.id, call]))
    for (const call of this.#calls) {
      if (!isExecutable(call)) this.#put(call, { kind: "bad-arguments" })
      else if (call.pending) this.#put(call, { kind: "pending", pending: call.pending })
    }
  }

  /** The assistant message, its calls with the ids under which their outcomes land. */
  get message(): Message {
    return this.#message
  }

  get calls(): readonly CallBlock[] {
    return this.#calls
  }

  /** Calls that may be run and have no outcome yet. */
  get executable(): readonly CallBlock[] {
    return this.#calls.filter((call) => isExecutable(call) && !this.#landed.has(call.id))
  }

  /** Every call has a result: the next request can be made. */
  get isAnswered(): boolean {
    return this.#calls.every((call) => this.#landed.get(call.id)?.result !== undefined)
  }

  /**
   * Takes the outcome of a call and gives the result block, which can be stored at once. The first outcome stands,
   * except that a known one replaces `pending`, `aborted` and `timeout`. Undefined: nothing was taken, or is known.
   */
  land(callId: string, outcome: CallOutcome): ResultBlock | undefined {
    const call = this.#byId.get(callId)
    if (!call) {
      const ids = this.#calls.map((each) => each.id).join(", ") || "none"
      throw new LigatureError("bad-option", `Expected the id of a call of this iteration (${ids}), got "${callId}"`)
    }
    const before = this.#landed.get(callId)
    if (before && !isOpen(before)) return undefined
    return this.#put(call, outcome)
  }

  commit(options: CommitOptions = {}): Committed {
    assertOptions(options, { rest: ["pending", "interrupted", "not-run"] })
    const rest = restOutcomes[options.rest ?? "pending"]
    const results: ResultBlock[] = []
    const pending = new Map<string, CallBlock>()
    for (const call of this.#calls) {
      const { outcome, result } = this.#landed.get(call.id) ?? { outcome: rest, result: resultOf(call, rest) }
      if (result) results.push(result)
      else if (outcome.kind === "pending") pending.set(call.id, { ...call, pending: outcome.pending })
    }
    const blocks = this.#message.blocks.map((block): Block => (block.type === "call" ? (pending.get(block.id) ?? block) : block))
    const message: Message = pending.size === 0 ? this.#message : { ...this.#message, blocks }
    const said = message.blocks.length === 0 ? [] : [message]
    return {
      messages: results.length === 0 ? said : [...said, { role: "tool", blocks: results }],
      pending: [...pending.values()],
    }
  }

  #put(call: CallBlock, outcome: CallOutcome): ResultBlock | undefined {
    const result = resultOf(call, outcome)
    this.#landed.set(call.id, { outcome, result })
    return result
  }
}
