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
import type { Block, CallBlock, Message, ResultBlock } from "../model/index.ts"
import { type CallOutcome, isExecutable, resultOf } from "../record/index.ts"
import type { NewEntry } from "../store/index.ts"
import { callsIn, type RunState } from "./run-state.ts"
import { askAbout, type Decisions, orAborted } from "./approvals.ts"
import { runCalls, type RunnableCall } from "./run-calls.ts"
import { schemaIssues } from "./tools/json-schema.ts"
import { needsApproval, type Tool } from "./tools/tool.ts"

interface Sorted {
  readonly runnable: readonly RunnableCall[]
  /** Results of calls that are never run. */
  readonly known: readonly ResultBlock[]
}

const resultEntries = (results: readonly ResultBlock[]): readonly NewEntry[] =>
  results.map((result) => ({ kind: "result", result }))

/** What is wrong with the arguments: by the schema, then by the tool's own check; one that throws has found something. */
const faultOf = (tool: Tool, call: CallBlock): string | undefined => {
  const issues = schemaIssues(call.arguments, tool.parameters)
  if (issues.length > 0) return issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`).join("; ")
  try {
    return tool.check?.(call.arguments)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Why a call is not run, whatever anybody decides; undefined: it can be. */
const refusal = (call: CallBlock, state: RunState): CallOutcome | undefined => {
  if (!isExecutable(call)) return { kind: "bad-arguments" }
  const tool = state.tools.get(call.name)
  if (!tool) return { kind: "unknown-tool", tools: [...state.tools.keys()] }
  const reason = faultOf(tool, call)
  return reason === undefined ? undefined : { kind: "bad-arguments", reason }
}

const sortCalls = (state: RunState, calls: readonly CallBlock[]): Sorted => {
  const runnable: RunnableCall[] = []
  const known: ResultBlock[] = []
  for (const call of calls) {
    const outcome = refusal(call, state)
    const tool = state.tools.get(call.name)
    const result = outcome && resultOf(call, outcome)
    if (result) known.push(result)
    else if (tool) runnable.push({ call, tool })
  }
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
  const { runnable, known } = sortCalls(state, calls.filter(({ id }) => decisions.get(id)?.kind === "approve"))
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
export const answerCalls = async (
  state: RunState,
  message: Message,
  more: readonly NewEntry[],
): Promise<readonly CallBlock[]> => {
  const { log, iteration, emit, options } = state
  const { runnable, known } = sortCalls(state, callsIn(message))
  const store = (said: Message, results: readonly ResultBlock[]): Promise<readonly string[]> =>
    log.append([{ kind: "message", message: said }, ...more, ...resultEntries(results)], {
      durable: true,
      ifLost: resultEntries(notRun(callsIn(said), results)),
    })
  const hasHook = options.approve !== undefined
  const asked = runnable.flatMap(({ call, tool }) => (needsApproval(tool, call, hasHook) ? [call] : []))
  if (asked.length > 0) emit({ type: "approval-start", iteration, calls: asked })
  const answer: Decisions | Promise<Decisions> = asked.length === 0 ? new Map() : askAbout(state, asked)
  if (!(answer instanceof Promise)) {
    if (asked.length > 0) emit({ type: "approval-end", iteration, decisions: answer })
    const waiting = chosen(answer, "wait")
    await store(waiting.size === 0 ? message : marked(message, waiting), [...known, ...denials(asked, answer)])
    const may = ({ id }: CallBlock): boolean => !answer.has(id) || answer.get(id)?.kind === "approve"
    await runCalls(state, runnable.filter(({ call }) => may(call)))
    return waitingCalls(message, waiting)
  }
  const calls = runnable.map(({ call }) => call)
  const free = calls.map(({ id }) => [id, { kind: "approve" }] as const)
  // A hook that fails does so when it is awaited, behind the write.
  answer.catch(() => {})
  const [entry = ""] = await store(marked(message, new Set(calls.map(({ id }) => id))), known)
  const decisions = await orAborted(answer, state.signal)
  if (!decisions) return calls
  emit({ type: "approval-end", iteration, decisions })
  return applyDecisions(state, entry, message, calls, new Map([...free, ...decisions]))
}
