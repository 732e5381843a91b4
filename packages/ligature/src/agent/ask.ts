/**
 * Asks the model once, however many attempts that takes: the view of the conversation is written for the provider and
 * sent; failures that may pass are tried again after a wait; a refusal is traced back to the stored entry it is about.
 */
import { encode } from "../convert/index.ts"
import { inOneStyle } from "../formats/xml-text/style.ts"
import { mediaHandles, recallToolName } from "../compact/internal.ts"
import { classify, refusedPlace } from "../rules/classify/index.ts"
import { settle } from "../rules/index.ts"
import { addressWithoutCredentials, type Conversation, system, withoutSecretsIn } from "../model/index.ts"
import type { Recorded } from "../record/index.ts"
import { compact } from "./between-requests.ts"
import { callerFailed, LoopError } from "./loop-error.ts"
import type { RunState } from "./run-state.ts"
import { type AttemptOutcome, attemptRequest, type AttemptRequest } from "./request/attempt.ts"
import { faultEntry, type SentRequest } from "./request/fault-entry.ts"
import { type Model, profileOf, shapeOf } from "./request/model.ts"
import { hidingSecrets } from "./request/secrets.ts"
import { delayBefore, overflowOf, type RequestFailure } from "./request/retry.ts"

export type Answer =
  | { readonly type: "answered"; readonly recorded: Recorded }
  | { readonly type: "aborted"; readonly recorded?: Recorded }

/** What the model is about to see. */
export const lawfulView = ({ log, policies }: RunState): Conversation => settle(log.view.transcript, { policies }).conversation

const prepare = (state: RunState): SentRequest => {
  const { policies, around, declarations: tools } = state
  const { model } = state.options
  const { style, instructions, declared } = around
  const { transcript: said, sources } = state.log.view
  const front = instructions === undefined ? [] : [system(instructions)]
  // Calls that an earlier agent kept as text are calls like the others where those are blocks.
  const { messages } = style === "json" ? inOneStyle(said).transcript : said
  const transcript = { ...said, messages: [...front, ...messages] }
  const { conversation } = settle(transcript, { policies })
  state.telemetry?.sends(conversation)
  const hasRecall = tools.some(({ name }) => name === recallToolName)
  const { value: request, report } = encode(conversation, profileOf(model), {
    policies,
    style,
    tools,
    ...(hasRecall && { mediaHandle: mediaHandles(() => state.log.loaded) }),
  })
  const body = { ...shapeOf(model.format).fields(model.model), ...declared, ...model.request, ...request }
  return { format: model.format, body, changes: report.entries, transcript, sources: [...front.map(() => ""), ...sources] }
}

/** Headers that cannot be sent are no fault of the network: trying again would change nothing. */
const headersFor = async ({ url, headers, format }: Model): Promise<Readonly<Record<string, string>>> => {
  try {
    const own = typeof headers === "function" ? await headers() : headers
    return Object.fromEntries(new Headers({ "content-type": "application/json", ...shapeOf(format).headers, ...own }))
  } catch (error) {
    const hide = hidingSecrets(url, typeof headers === "object" ? headers : {})
    throw callerFailed("The headers of the model", withoutSecretsIn(error, hide))
  }
}

const attempt = async (
  state: RunState,
  body: string,
  changes: SentRequest["changes"],
  number: number,
): Promise<AttemptOutcome> => {
  const { options, surroundings, signal, iteration, emit } = state
  const { model, silenceMs = 120_000, recorder } = options
  const headers = await headersFor(model)
  emit({
    type: "request-start",
    iteration,
    attempt: number,
    url: addressWithoutCredentials(model.url),
    bytes: body.length,
    ...(changes.length > 0 && { changes }),
  })
  const request: AttemptRequest = {
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
  }
  const outcome = await state.within("request", () => attemptRequest(request))
  const recorded = outcome.recorded
  if (recorded) state.telemetry?.received(recorded)
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
  const refusal = { status, body: body ?? failure.message }
  const classification = classify(refusal)
  const place = classification ? undefined : refusedPlace(refusal)
  const refused = classification ?? (place && { place, ids: [] })
  const entry = refused && faultEntry(refused, sent)
  const known = [classification?.rule.id, entry === undefined ? undefined : `in the stored entry ${entry}`]
  const remarks = known.filter((remark) => remark !== undefined)
  return new LoopError("rejected", `${failure.message}${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}`, {
    ...details,
    ...(classification && { classification }),
    ...(entry !== undefined && { entry }),
  })
}

export const ask = async (state: RunState): Promise<Answer> => {
  const { signal, surroundings, iteration } = state
  let sent = prepare(state)
  let text = JSON.stringify(sent.body)
  let compacted = false
  for (let number = 1; ; number++) {
    const outcome = await attempt(state, text, sent.changes, number)
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
