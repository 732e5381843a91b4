/**
 * Asks the model once, however many attempts that takes: the view of the conversation is written for the provider and
 * sent; failures that may pass are tried again after a wait; a refusal is traced back to the stored entry it is about.
 */
import { encode } from "../../codecs/index.ts"
import { classify, settle } from "../../laws/index.ts"
import { type Conversation, system } from "../../model/index.ts"
import type { Recorded } from "../../record/index.ts"
import { compact } from "../compaction.ts"
import { callerFailed, LoopError } from "../loop-error.ts"
import type { RunState } from "../run-state.ts"
import { attemptRequest, type AttemptOutcome } from "./attempt.ts"
import { faultEntry, type SentRequest } from "./fault-entry.ts"
import { type Model, profileOf, shapeOf } from "./model.ts"
import { delayBefore, overflowOf, type RequestFailure } from "./retry.ts"

export type Answer =
  | { readonly type: "answered"; readonly recorded: Recorded }
  | { readonly type: "aborted"; readonly recorded?: Recorded }

/** What the model is about to see. */
export const lawfulView = ({ log, options }: RunState): Conversation =>
  settle(log.view.transcript, { ...options.policies }).conversation

const prepare = (state: RunState): SentRequest => {
  const { model, tools = [], policies } = state.options
  const { transcript: said, sources } = state.log.view
  const { system: instructions } = state.options
  const front = instructions === undefined ? [] : [system(instructions)]
  const transcript = { ...said, messages: [...front, ...said.messages] }
  const { conversation } = settle(transcript, { ...policies })
  const { request } = encode(conversation, profileOf(model), policies ? { policies } : {})
  const shape = shapeOf(model.format)
  const declared = tools.length > 0 && shape.tools(tools)
  const body = { ...shape.fields(model.model), ...declared, ...model.request, ...request }
  return { format: model.format, body, transcript, sources: [...front.map(() => ""), ...sources] }
}

/** Headers that cannot be sent are no fault of the network: trying again would change nothing. */
const headersFor = async ({ headers, format }: Model): Promise<Readonly<Record<string, string>>> => {
  try {
    const own = typeof headers === "function" ? await headers() : headers
    return Object.fromEntries(new Headers({ "content-type": "application/json", ...shapeOf(format).headers, ...own }))
  } catch (error) {
    throw callerFailed("The headers of the model", error)
  }
}

const attempt = async (state: RunState, body: string, number: number): Promise<AttemptOutcome> => {
  const { options, surroundings, signal, iteration, emit } = state
  const { model, silenceMs = 120_000, recorder } = options
  const headers = await headersFor(model)
  emit({ type: "request-start", iteration, attempt: number, url: model.url, bytes: body.length })
  const outcome = await attemptRequest({
    format: model.format,
    url: model.url,
    headers,
    body,
    signal,
    silenceMs,
    fetch: surroundings.fetch,
    now: surroundings.now,
    recorder,
    onEvent: (event) => emit({ ...event, iteration, attempt: number }),
  })
  const recorded = outcome.recorded
  state.count(recorded?.usage)
  emit({
    type: "request-end",
    iteration,
    attempt: number,
    ...(recorded && { stop: recorded.stop }),
    ...(recorded?.usage && { usage: recorded.usage }),
    ...(outcome.type === "failed" && { failure: outcome.failure }),
  })
  return outcome
}

const explain = (failure: RequestFailure, sent: SentRequest, attempts: number): LoopError => {
  const { status, body, cause } = failure
  const details = { ...(status !== undefined && { status }), ...(body !== undefined && { body }), cause }
  if (failure.retryable) {
    const waits = failure.retryAfterMs === undefined ? "" : `; it asks to wait ${failure.retryAfterMs} ms`
    return new LoopError("unavailable", `No answer after ${attempts} attempts: ${failure.message}${waits}`, details)
  }
  const classification = classify({ status, body: body ?? failure.message })
  if (!classification) return new LoopError("rejected", failure.message, details)
  const entry = faultEntry(classification, sent)
  const where = entry === undefined ? "" : `, in the stored entry ${entry}`
  return new LoopError("rejected", `${failure.message} (${classification.rule.id}${where})`, {
    ...details,
    classification,
    ...(entry !== undefined && { entry }),
  })
}

export const ask = async (state: RunState): Promise<Answer> => {
  const { signal, surroundings, iteration } = state
  let sent = prepare(state)
  let text = JSON.stringify(sent.body)
  let compacted = false
  for (let number = 1; ; number++) {
    const outcome = await attempt(state, text, number)
    if (outcome.type === "recorded") return { type: "answered", recorded: outcome.recorded }
    if (outcome.type === "aborted") return outcome
    const { failure } = outcome
    const over = overflowOf(failure)
    if (over && !compacted && state.options.compact) {
      compacted = true
      if ((await compact(state, lawfulView(state), "overflow", over)) > 0) {
        sent = prepare(state)
        text = JSON.stringify(sent.body)
        continue
      }
    }
    const delayMs = delayBefore(failure, number, state.retries, state.retry, surroundings.random)
    if (delayMs === undefined) throw explain(failure, sent, number)
    state.retries++
    state.emit({ type: "retry-start", iteration, attempt: number, delayMs, failure })
    await surroundings.sleep(delayMs, signal)
    if (signal.aborted) return { type: "aborted" }
  }
}
