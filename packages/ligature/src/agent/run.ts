/**
 * The agent loop: ask the model, run the tools it calls, ask again, until it has said what it wanted. What the run
 * learns is in the store before anything depends on it:
 *
 *   lease ─> load ─> recover ─> user entry (durable)
 *     ┌──> compact? ─> request ─> assistant entry (durable) ─> tools, each result as it lands ──┐
 *     └────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * So the process may die anywhere: what was acknowledged is there, a call that may have run is never run again without
 * its outcome saying so, and the next run continues. A run resolves with an answer, or with a state the caller asked for
 * (approval, a limit); everything else rejects with a `LoopError` that has what was done.
 *
 *     const result = await run({ model, store, conversation: "c", prompt: "Fix the test.", tools: [readFile] })
 */
import type { RetryOptions } from "./request/retry.ts"
import { assertOptions, type CallBlock, LigatureError, type Message, pushAll, text, type UserBlock } from "../model/index.ts"
import { resolvePolicies } from "../rules/index.ts"
import { readSpokenCalls } from "../formats/xml-text/spoken-calls.ts"
import { Iteration, type Recorded } from "../record/index.ts"
import { resultOf } from "../record/iteration/outcome.ts"
import { type NewEntry, type ParentLink, StoreError } from "../store/index.ts"
import { longestLeaseMs } from "../store/lease.ts"
import { ask, compact, validView, trim } from "./ask.ts"
import { EventQueue, type LoopEvent } from "./events.ts"
import { callsIn, chooseStyle, endedWithoutContent, isInsideTurn, lastCount, noteOf, RunState } from "./run-state.ts"
import { ConversationLog, factsOf, patiently } from "./log/conversation-log.ts"
import { LeaseKeeper } from "./log/lease-keeper.ts"
import { newOwner } from "../compact/internal.ts"
import { platform, saveUnsaved, type Unsaved } from "./log/unsaved.ts"
import {
  asLoopError,
  LoopError,
  type PartialRun,
  runNames,
  type RunOptions,
  type RunResult,
  type RunStop,
  withPartial,
} from "./run-options.ts"
import { recover, type Recovered } from "./recover.ts"
import { profileOf } from "./request/model.ts"
import { answerCalls } from "./answer-calls.ts"

const says = (message: Message): boolean =>
  message.blocks.some((block) => (block.type === "text" ? block.text.trim() !== "" : block.type !== "thinking"))

const textOf = (message: Message | undefined): string =>
  message?.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("") ?? ""

/** Whether the model has the next word. */
const isModelsTurn = (messages: readonly Message[]): boolean => {
  const last = messages.at(-1)
  return last?.role === "user" || last?.role === "tool" || last?.paused === true
}

/** How a run stops from the inside. */
type Stop = RunStop | "aborted"

/** Everything between opening the conversation and the last word. */
class Conversing {
  readonly state: RunState
  recovered: Recovered | undefined
  finish: Recorded["stop"] | undefined
  pending: readonly CallBlock[] = []
  /** The last answer has no content, and that is how the model ended its turn. */
  endedEmpty = false

  constructor(state: RunState) {
    this.state = state
  }

  async go(): Promise<Stop> {
    const { state } = this
    const { prompt, operation } = state.options
    this.recovered = await recover(state)
    this.pending = this.recovered.waiting
    if (state.signal.aborted) return "aborted"
    if (this.pending.length > 0) return "approval"
    if (state.noted.length > 0) await state.log.append(state.noted)
    if (prompt !== undefined) {
      const blocks: readonly UserBlock[] = typeof prompt === "string" ? [text(prompt)] : prompt
      const entry: NewEntry = { kind: "message", message: { role: "user", blocks } }
      await state.log.append([entry], { durable: true, ...(operation !== undefined && { operation }) })
    }
    for (;;) {
      if (state.signal.aborted) return "aborted"
      const { messages } = state.log.view.transcript
      this.endedEmpty = endedWithoutContent(state.log.path, messages)
      if (this.endedEmpty || !isModelsTurn(messages)) return "done"
      if (state.iteration >= state.maxIterations) return "limit"
      const stop = await this.iterate()
      if (stop) return stop
    }
  }

  /** One iteration; a reason when it was the last. */
  private async iterate(): Promise<Stop | undefined> {
    const { state } = this
    const iteration = ++state.iteration
    state.emit({ type: "iteration-start", iteration })
    if (state.options.compact) await compact(state, validView(state), "between")
    await trim(state)
    if (state.signal.aborted) return "aborted"
    const answer = await ask(state)
    if (answer.type === "aborted") {
      if (answer.recorded) await this.keepPart(answer.recorded)
      return "aborted"
    }
    const { recorded } = answer
    this.finish = recorded.stop
    const stop = await this.take(recorded)
    state.emit({ type: "iteration-end", iteration, stop: recorded.stop })
    return stop
  }

  private async take(recorded: Recorded): Promise<Stop | undefined> {
    const { state } = this
    if (recorded.message.blocks.length === 0) {
      const isEnd = recorded.stop === "end" && isInsideTurn(state.log.view.transcript.messages.at(-1))
      await state.log.append([this.noteOf(recorded)])
      if (isEnd) return undefined
      throw new LoopError("empty-answer", `The model answered without any content (${recorded.said ?? recorded.stop})`)
    }
    const { message } = this.identified(recorded)
    if (recorded.stop === "refused") {
      await this.store(recorded, message)
      return "done"
    }
    this.pending = await answerCalls(state, message, [this.noteOf(recorded)])
    if (state.signal.aborted) return "aborted"
    return this.pending.length > 0 ? "approval" : undefined
  }

  /** What had come of an answer before it was aborted. Half a thought is nothing anybody could use. */
  private async keepPart(recorded: Recorded): Promise<void> {
    const { message } = this.identified(recorded)
    if (!says(message)) return
    this.finish = recorded.stop
    await this.store(recorded, message)
  }

  private noteOf(recorded: Recorded): NewEntry {
    return noteOf(recorded, profileOf(this.state.options.model))
  }

  /** Where tools are called in text, the calls in what the model has just said are calls from here on. */
  private identified({ message: said, origin, ids: numbering }: Recorded): Iteration {
    const message = this.state.around.style === "xml" ? readSpokenCalls(said, this.state.known) : said
    const ids = message === said ? numbering : "optional"
    const iteration = new Iteration({ ...message, origin }, { ...this.state.ids, ...(ids && { ids }) })
    this.state.learnIds(iteration.message)
    return iteration
  }

  /** Stores a message none of whose calls is run. */
  private async store(recorded: Recorded, message: Message): Promise<void> {
    const results = callsIn(message).flatMap((call) => resultOf(call, { kind: "aborted", started: false }) ?? [])
    const entries = results.map((result): NewEntry => ({ kind: "result", result }))
    const said: readonly NewEntry[] = [{ kind: "message", message }, this.noteOf(recorded), ...entries]
    await this.state.log.append(said, { durable: true, ifLost: [] })
  }
}

const parentOf = ({ parent }: RunOptions): { readonly parent?: ParentLink } => {
  if (parent === undefined) return {}
  const { conversation, call } = parent
  return { parent: { conversation, ...(call !== undefined && { call: typeof call === "string" ? call : call.id }) } }
}

const takeLease = async (state: RunState): Promise<LeaseKeeper> => {
  const { options, conversation, surroundings, signal } = state
  const { store, owner = newOwner(surroundings.newId()), leaseMs = 30_000, leaseWaitMs: waitMs = 0 } = options
  const onLost = (error: StoreError): void => {
    if (state.tip !== undefined) state.log.close(error)
    state.fail(error)
  }
  // It is renewed as long as the run lasts, so that none has to last longer.
  const terms = { store, conversation, owner, leaseMs: Math.min(leaseMs, longestLeaseMs), waitMs, signal, surroundings, onLost }
  const take = (): Promise<LeaseKeeper> => patiently(surroundings, "unwritable", () => LeaseKeeper.take(terms))
  try {
    return await take()
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== "missing-conversation") throw error
    const made = { id: conversation, operation: `create ${conversation}`, ...parentOf(options) }
    await patiently(surroundings, "unwritable", () => store.create(made))
    return take()
  }
}

const converse = async (state: RunState, conversing: Conversing): Promise<Stop> => {
  if (state.signal.aborted) return "aborted"
  const keeper = await takeLease(state)
  try {
    const { store } = state.options
    const { surroundings, carried } = state
    if (carried) {
      const save = (): Promise<Unsaved | undefined> => saveUnsaved(store, carried, { lease: keeper.lease })
      state.carried = await patiently(surroundings, "unwritable", save)
    }
    const loaded = await patiently(surroundings, "unreadable", () => store.load(state.conversation))
    const onCommit: ConstructorParameters<typeof ConversationLog>[0]["onCommit"] = (ids, entries, tip) => {
      pushAll(state.saved, ids)
      state.emit({ type: "commit-end", ids, kinds: entries.map(({ kind }) => kind), entries: entries.map(factsOf), tip })
    }
    const { style, append } = chooseStyle(state.options.style, loaded.entries, loaded.transcript)
    state.open(new ConversationLog({ store, loaded, lease: () => keeper.lease, surroundings, onCommit }), style)
    state.noted = append
    state.lastUsage = lastCount(state.log.path)
    return await conversing.go()
  } finally {
    await keeper.release()
  }
}

const partialOf = (state: RunState, { finish, pending, recovered, endedEmpty }: Conversing): PartialRun => {
  const messages = state.tip === undefined ? [] : state.log.view.transcript.messages
  return {
    conversation: state.conversation,
    text: textOf(endedEmpty ? messages.at(-1) : messages.findLast(({ role }) => role === "assistant")),
    finish,
    iterations: state.iteration,
    usage: state.usage,
    pending,
    tip: state.tip,
    saved: state.saved,
    recovery: recovered?.plan,
    ...(state.unsaved && { unsaved: state.unsaved }),
  }
}

/** Why a run without a failure of its own has no answer; undefined: it ended as the caller asked. */
const unanswered = (stop: Stop, { options, maxIterations }: RunState): LoopError | undefined => {
  if (stop === "aborted") return new LoopError("aborted", "The run was aborted", { cause: options.signal?.reason })
  if (stop !== "limit" || options.maxIterations !== undefined) return undefined
  return new LoopError("limit", `No answer after ${maxIterations} iterations; set maxIterations to allow more`)
}

/**
 * Runs the agent until it has an answer, waits for approval, or has made the `maxIterations` that were set. Rejects with a
 * `LoopError` when no answer could be had, and with a plain `LigatureError` for options that can never work.
 */
export const run = async (options: RunOptions): Promise<RunResult> => {
  resolvePolicies(options)
  assertOptions(options, runNames)
  assertOptions<RetryOptions>(options.retry ?? {}, { attempts: true, budget: true, baseMs: true, maxMs: true, maxWaitMs: true })
  const { unsaved: carried } = options
  const conversation = options.conversation ?? carried?.conversation ?? (options.surroundings?.newId ?? platform.newId)()
  if (conversation === "") throw new LigatureError("bad-option", "Expected a conversation id that is not empty")
  if (carried && carried.conversation !== conversation) {
    throw new LigatureError("bad-option", `What is unsaved belongs to the conversation ${carried.conversation}, not to ${conversation}`)
  }
  const state = new RunState(options, conversation)
  try {
    return await finished(state, new Conversing(state))
  } finally {
    state.telemetry?.close()
  }
}

const finished = async (state: RunState, conversing: Conversing): Promise<RunResult> => {
  state.emit({ type: "run-start", conversation: state.conversation })
  let stop: Stop | undefined
  try {
    stop = await converse(state, conversing)
  } catch (error) {
    state.fail(error)
  }
  const partial = partialOf(state, conversing)
  const failure = state.failure === undefined ? stop && unanswered(stop, state) : asLoopError(state.failure)
  if (failure || stop === undefined || stop === "aborted") {
    const error = withPartial(failure ?? asLoopError(stop), partial)
    state.emit({ type: "run-error", error })
    throw error
  }
  const result: RunResult = { stop, ...partial }
  state.emit({ type: "run-end", result })
  return result
}

/**
 * The same run as a sequence of events; the last one is `run-end`, or `run-error`, after which the sequence throws that
 * error. Leaving the sequence early aborts the run.
 */
export async function* runEvents(options: RunOptions): AsyncGenerator<LoopEvent, void> {
  const queue = new EventQueue()
  const left = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal
  const onEvent = (event: LoopEvent): void => {
    queue.push(event)
    options.onEvent?.(event)
  }
  const running = run({ ...options, signal, onEvent }).finally(() => queue.end())
  running.catch(() => {})
  try {
    yield* queue
    await running
  } finally {
    left.abort()
    await running.catch(() => {})
  }
}
