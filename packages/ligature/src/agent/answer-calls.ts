/**
 * From an assistant message with calls to their outcomes. The message is stored before any of its tools runs, and the
 * store always says which of them may have run:
 *
 *   waiting for approval    the call is marked in the stored message: it has not run
 *   may have started        it is not marked, and has no result: a process that died here leaves it "interrupted"
 *   known                   it has a result
 *
 * So a call that waited and was approved must lose its mark before it runs. Entries never change: the message is said
 * again without the mark on a new branch, together with the results that have landed, in one append.
 */
import { timerMs } from "../compact/internal.ts"
import type { Block, CallBlock, JsonObject, Message, ResultBlock } from "../model/index.ts"
import { type CallOutcome, isExecutable } from "../record/index.ts"
import { resultOf } from "../record/iteration/outcome.ts"
import type { NewEntry } from "../store/index.ts"
import { callerFailed } from "./run-options.ts"
import { callsIn, type RunState } from "./run-state.ts"
import { type SchemaIssue, schemaIssues } from "./tools/json-schema.ts"
import { isStandardSchema, validate } from "./tools/standard-schema.ts"
import { needsApproval, type Tool, ToolContent, toolContent } from "./tools/tool.ts"

// Runs calls side by side and stores each result as it lands. What is said of a call is what is known: a tool that was
// given up on may have done its work, one that never started has not.

interface RunnableCall {
  readonly call: CallBlock
  readonly tool: Tool
  /** The arguments, as the schema of the tool gave them back. */
  readonly given: JsonObject
}

const defaultGraceMs = 200

/** An error that is given back says as much as one that is thrown; as JSON it would say nothing. */
const doneWith = (output: unknown): CallOutcome => {
  if (output instanceof Error) return { kind: "failed", error: output }
  return output instanceof ToolContent ? { kind: "done", content: output.blocks } : { kind: "done", output }
}

/** Runs one call to an outcome. Never rejects. */
const outcomeOf = ({ call, tool, given }: RunnableCall, state: RunState): Promise<CallOutcome> => {
  const { signal, options, conversation } = state
  const timeoutMs = tool.timeoutMs ?? options.toolTimeoutMs
  const stop = new AbortController()
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    let grace: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      stop.abort(signal.reason)
      const graceMs = timerMs(options.abortGraceMs ?? defaultGraceMs)
      grace = setTimeout(() => settle({ kind: "aborted", started: true }), graceMs)
    }
    const settle = (outcome: CallOutcome): void => {
      clearTimeout(timer)
      clearTimeout(grace)
      signal.removeEventListener("abort", onAbort)
      resolve(outcome)
    }
    signal.addEventListener("abort", onAbort, { once: true })
    if (timeoutMs !== undefined) {
      timer = setTimeout(() => {
        stop.abort(new Error(`No result within ${timeoutMs} ms`))
        settle({ kind: "timeout", timeoutMs })
      }, timerMs(timeoutMs))
    }
    const context = { signal: stop.signal, call, conversation, content: toolContent }
    // A tool that gives up because it was told to may have done half of its work.
    const fail = (error: unknown): void => settle(signal.aborted ? { kind: "aborted", started: true } : { kind: "failed", error })
    try {
      Promise.resolve(state.within(`tool ${call.id}`, () => tool.run(given, context))).then((output) => settle(doneWith(output)), fail)
    } catch (error) {
      fail(error)
    }
  })
}

const entryOf = (result: ResultBlock): NewEntry => ({ kind: "result", result })

/** Runs them all, or, when the run is aborted, as many as have started. Rejects when a result cannot be stored. */
const runCalls = async (state: RunState, runnable: readonly RunnableCall[]): Promise<void> => {
  const { signal, log, iteration, emit } = state
  let next = 0
  const land = async (call: CallBlock, outcome: CallOutcome): Promise<void> => {
    const result = resultOf(call, outcome)
    if (!result) return
    await log.append([entryOf(result)], { ifLost: [] })
    emit({ type: "tool-end", iteration, call, result })
  }
  const work = async (): Promise<void> => {
    while (next < runnable.length && !signal.aborted) {
      const each = runnable[next++]
      if (!each) return
      emit({ type: "tool-start", iteration, call: each.call })
      await land(each.call, await outcomeOf(each, state))
    }
  }
  const workers = Array.from({ length: Math.min(state.concurrency, runnable.length) }, () =>
    work().catch((error: unknown) => {
      // The others must not go on with work that cannot be recorded.
      state.fail(error)
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  const rest = runnable.slice(next).flatMap(({ call }) => resultOf(call, { kind: "aborted", started: false }) ?? [])
  const left = rest.length === 0 ? [] : await Promise.allSettled([log.append(rest.map(entryOf), { ifLost: [] })])
  for (const each of [...ended, ...left]) if (each.status === "rejected") throw each.reason
}

/** Who decides whether a call may run, and how the answer is read. */
export type Decision =
  | { readonly kind: "approve" }
  /** The model is told the reason. */
  | { readonly kind: "deny"; readonly reason?: string }
  /** Nobody knows yet: the call waits in the store and the run ends. */
  | { readonly kind: "wait" }

export interface ApproveContext {
  readonly conversation: string
  readonly signal: AbortSignal
}

type Said = Decision["kind"] | Decision

/**
 * Decides about one call. An answer that is given at once costs nothing; while a promise is awaited, the calls are in
 * the store as waiting, so that a process that dies meanwhile has run nothing.
 */
export type Approve = (call: CallBlock, context: ApproveContext) => Said | Promise<Said>

export type Decisions = ReadonlyMap<string, Decision>

const kinds: ReadonlySet<unknown> = new Set<Decision["kind"]>(["approve", "deny", "wait"])

/** Anything else than a decision is none: a call is never run because somebody mistyped a word. */
export const decisionOf = (said: Said): Decision => {
  const decision = typeof said === "string" ? { kind: said } : said
  if (kinds.has(decision?.kind)) return decision
  throw new TypeError(`Expected "approve", "deny" or "wait", got ${JSON.stringify(said)}`)
}

const isPromise = (answer: Said | PromiseLike<Said>): answer is PromiseLike<Said> =>
  typeof answer === "object" && answer !== null && "then" in answer

/**
 * Asks about every call at once. A map when all answered at once, else the promise of one. Never throws: a hook that
 * fails is a promise that does, so that the calls are stored as waiting before anybody hears of it.
 */
export const askAbout = (state: RunState, calls: readonly CallBlock[]): Decisions | Promise<Decisions> => {
  const { approve } = state.options
  const context: ApproveContext = { conversation: state.conversation, signal: state.signal }
  const mapOf = (said: readonly Said[]): Decisions => new Map(calls.map((call, index) => [call.id, decisionOf(said[index] ?? "wait")]))
  const failed = (error: unknown): never => {
    throw callerFailed("The approval hook", error)
  }
  try {
    const answers = calls.map((call) => (approve ? approve(call, context) : "wait"))
    if (answers.every((answer): answer is Said => !isPromise(answer))) return mapOf(answers)
    return Promise.all(answers).then(mapOf).catch(failed)
  } catch (error) {
    return Promise.reject(error).catch(failed)
  }
}

/** Undefined when the run was aborted before the answer came. */
export const orAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> => {
  if (signal.aborted) {
    promise.catch(() => {})
    return undefined
  }
  let stop = (): void => {}
  const aborted = new Promise<undefined>((resolve) => {
    stop = (): void => resolve(undefined)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

interface Sorted {
  readonly runnable: readonly RunnableCall[]
  /** Results of calls that are never run. */
  readonly known: readonly ResultBlock[]
}

const resultEntries = (results: readonly ResultBlock[]): readonly NewEntry[] => results.map((result) => ({ kind: "result", result }))

/** What becomes of a call when nobody has decided anything yet: it can be run, or it never is, whatever anybody decides. */
type Checked = RunnableCall | CallOutcome

const badArguments = (issues: readonly SchemaIssue[]): CallOutcome => ({
  kind: "bad-arguments",
  reason: issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`).join("; "),
})

/** The arguments are checked by the schema, then by the tool's own check; one that throws has found something. */
const checkCall = async (call: CallBlock, { tools, signal }: RunState): Promise<Checked> => {
  if (!isExecutable(call)) return { kind: "bad-arguments" }
  const tool = tools.get(call.name)
  if (!tool) return { kind: "unknown-tool", tools: [...tools.keys()] }
  let given = call.arguments
  if (isStandardSchema(tool.parameters)) {
    const validated = await orAborted(validate(tool.parameters, given), signal)
    if (!validated) return { kind: "aborted", started: false }
    if ("issues" in validated) return badArguments(validated.issues)
    given = validated.value as JsonObject
  } else {
    const issues = schemaIssues(given, tool.parameters)
    if (issues.length > 0) return badArguments(issues)
  }
  try {
    const reason = tool.check?.(given)
    return reason === undefined ? { call, tool, given } : { kind: "bad-arguments", reason }
  } catch (error) {
    return { kind: "bad-arguments", reason: error instanceof Error ? error.message : String(error) }
  }
}

const sortCalls = async (state: RunState, calls: readonly CallBlock[]): Promise<Sorted> => {
  const checked = await Promise.all(calls.map((call) => checkCall(call, state)))
  const runnable = checked.flatMap((each) => ("tool" in each ? [each] : []))
  const known = calls.flatMap((call, index) => {
    const each = checked[index]
    return each && "kind" in each ? (resultOf(call, each) ?? []) : []
  })
  return { runnable, known }
}

/** The message with exactly these calls marked as waiting. */
const marked = (message: Message, waiting: ReadonlySet<string>): Message => ({
  ...message,
  blocks: message.blocks.map((block): Block => {
    if (block.type !== "call") return block
    const { pending: _, ...call } = block
    return waiting.has(call.id) ? { ...call, pending: "approval" } : call
  }),
})

const chosen = (decisions: Decisions, kind: "approve" | "deny" | "wait"): ReadonlySet<string> =>
  new Set([...decisions].flatMap(([id, decision]) => (decision.kind === kind ? [id] : [])))

const denials = (calls: readonly CallBlock[], decisions: Decisions): readonly ResultBlock[] =>
  calls.flatMap((call) => {
    const decision = decisions.get(call.id)
    if (decision?.kind !== "deny") return []
    const { reason } = decision
    return resultOf(call, { kind: "denied", ...(reason !== undefined && { reason }) }) ?? []
  })

/** What becomes of calls whose message cannot be stored: they are never run, or wait on. */
const notRun = (calls: readonly CallBlock[], known: readonly ResultBlock[]): readonly ResultBlock[] => {
  const answered = new Set(known.map(({ callId }) => callId))
  const open = calls.filter(({ id, pending }) => !answered.has(id) && pending === undefined)
  return open.flatMap((call) => resultOf(call, { kind: "aborted", started: false }) ?? [])
}

/** The calls of a message that still wait for approval. */
export const waitingCalls = (message: Message, waiting: ReadonlySet<string>): readonly CallBlock[] =>
  callsIn(message).filter(({ id }) => waiting.has(id))

/** Acts on decisions about calls that are marked in the store. Gives those that wait on. */
export const applyDecisions = async (
  state: RunState,
  entry: string,
  message: Message,
  calls: readonly CallBlock[],
  decisions: Decisions,
): Promise<readonly CallBlock[]> => {
  const { runnable, known } = await sortCalls(
    state,
    calls.filter(({ id }) => decisions.get(id)?.kind === "approve"),
  )
  const results = [...denials(calls, decisions), ...known]
  if (results.length > 0) await state.log.append(resultEntries(results), { ifLost: [] })
  const waiting = chosen(decisions, "wait")
  if (runnable.length > 0) {
    await state.log.replace(entry, marked(message, waiting), { durable: true })
    await runCalls(state, runnable)
  }
  return waitingCalls(message, waiting)
}

/**
 * Stores a message and answers its calls. `more`: entries to store together with it. Gives the calls that wait; every
 * other has a result in the store when this returns.
 */
export const answerCalls = async (state: RunState, message: Message, more: readonly NewEntry[]): Promise<readonly CallBlock[]> => {
  const { log, iteration, emit, options } = state
  const { runnable, known } = await sortCalls(state, callsIn(message))
  const store = (said: Message, results: readonly ResultBlock[]): Promise<readonly string[]> =>
    log.append([{ kind: "message", message: said }, ...more, ...resultEntries(results)], {
      durable: true,
      ifLost: resultEntries(notRun(callsIn(said), results)),
    })
  const hasHook = options.approve !== undefined
  const asked = runnable.flatMap(({ call, tool, given }) => (needsApproval(tool, given, hasHook) ? [call] : []))
  if (asked.length > 0) emit({ type: "approval-start", iteration, calls: asked })
  const answer: Decisions | Promise<Decisions> = asked.length === 0 ? new Map() : askAbout(state, asked)
  if (!(answer instanceof Promise)) {
    if (asked.length > 0) emit({ type: "approval-end", iteration, decisions: answer })
    const waiting = chosen(answer, "wait")
    await store(waiting.size === 0 ? message : marked(message, waiting), [...known, ...denials(asked, answer)])
    const may = ({ id }: CallBlock): boolean => !answer.has(id) || answer.get(id)?.kind === "approve"
    await runCalls(
      state,
      runnable.filter(({ call }) => may(call)),
    )
    return waitingCalls(message, waiting)
  }
  const calls = runnable.map(({ call }) => call)
  const free = calls.map(({ id }) => [id, { kind: "approve" }] as const)
  // A hook that fails does so when it is awaited, after the write.
  answer.catch(() => {})
  const [entry = ""] = await store(marked(message, new Set(calls.map(({ id }) => id))), known)
  const decisions = await orAborted(answer, state.signal)
  if (!decisions) return calls
  emit({ type: "approval-end", iteration, decisions })
  return applyDecisions(state, entry, message, calls, new Map([...free, ...decisions]))
}
