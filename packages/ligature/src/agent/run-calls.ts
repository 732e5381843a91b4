/**
 * Runs calls side by side and stores each result as it lands. What is said of a call is what is known: a tool that was
 * given up on may have done its work, one that never started has not.
 */
import type { CallBlock, JsonObject, ResultBlock } from "../model/index.ts"
import { type CallOutcome, resultOf } from "../record/index.ts"
import type { NewEntry } from "../store/index.ts"
import type { RunState } from "./run-state.ts"
import { timerMs } from "../compact/internal.ts"
import { type Tool, ToolContent, toolContent } from "./tools/tool.ts"

export interface RunnableCall {
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
    const fail = (error: unknown): void =>
      settle(signal.aborted ? { kind: "aborted", started: true } : { kind: "failed", error })
    try {
      Promise.resolve(state.within(`tool ${call.id}`, () => tool.run(given, context))).then((output) => settle(doneWith(output)), fail)
    } catch (error) {
      fail(error)
    }
  })
}

const entryOf = (result: ResultBlock): NewEntry => ({ kind: "result", result })

/** Runs them all, or, when the run is aborted, as many as have started. Rejects when a result cannot be stored. */
export const runCalls = async (state: RunState, runnable: readonly RunnableCall[]): Promise<void> => {
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
