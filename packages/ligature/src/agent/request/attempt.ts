/**
 * One attempt: a request goes out, the stream that comes back is recorded. Whatever happens is data. An attempt writes
 * nothing and keeps nothing, so that a failed one leaves nothing behind.
 */
import { parseJson, withoutSecretsIn } from "../../model/index.ts"
import { createRecorder, streamText } from "../../record/index.ts"
import type { EndCause, Recorded, RecordedFormat, Recorder, RecorderOptions, RecordEvent } from "../../record/index.ts"
import type { Fetch } from "../log/unsaved.ts"
import { timerMs } from "../../compact/internal.ts"
import { blamesRequest, hidingSecrets, isRetryableStatus, type RequestFailure, retryAfterMs } from "./retry.ts"

export interface AttemptRequest {
  readonly format: RecordedFormat
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  readonly silenceMs: number
  readonly fetch: Fetch
  readonly now: () => number
  readonly recorder: RecorderOptions | undefined
  readonly onEvent: (event: RecordEvent) => void
}

export type AttemptOutcome =
  | { readonly type: "recorded"; readonly recorded: Recorded }
  | { readonly type: "failed"; readonly failure: RequestFailure; readonly recorded?: Recorded }
  /** With what had come until then. */
  | { readonly type: "aborted"; readonly recorded?: Recorded }

const shownLength = 4_000
const headLength = 300

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // The platform's fetch says "fetch failed" and hides the reason behind it.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Counts the silence of a server; every sign of life starts it anew. */
const silenceTimer = (ms: number) => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timerMs(ms))
  return { signal: controller.signal, heard: () => void timer.refresh(), end: () => clearTimeout(timer) }
}

/**
 * Ends with the promise, or when the signal is aborted. The platform's fetch promises the same, but on Node 20 an abort
 * between the last byte of a body and the end of the reading is never answered.
 */
const untilAborted = (promise: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })

const isWholeJson = (response: Response): boolean => {
  const type = response.headers.get("content-type") ?? ""
  return type.includes("json") && !type.includes("jsonl") && !type.includes("ndjson")
}

/** The events of a body that is said to be JSON; some proxies say that of every body, streams included. */
const eventsOf = (body: string): readonly unknown[] => {
  const value = parseJson(body)
  if (value !== undefined) return Array.isArray(value) ? (value as readonly unknown[]) : [value]
  const stream = streamText("event-stream")
  const events = [...stream.push(body), ...stream.end()]
  return events.length > 0 ? events : [body]
}

/** Feeds the body to the recorder as it comes; an answer in one piece is one event. Gives how the body begins. */
const readBody = async (response: Response, push: (event: unknown) => void, heard: () => void): Promise<string> => {
  if (!response.body) return ""
  const whole = isWholeJson(response)
  const type = response.headers.get("content-type") ?? ""
  const stream = streamText(type.includes("jsonl") || type.includes("ndjson") ? "json-lines" : "event-stream")
  const decoder = new TextDecoder()
  let text = ""
  let head = ""
  for await (const bytes of response.body) {
    heard()
    const piece = decoder.decode(bytes as Uint8Array, { stream: true })
    if (head.length < headLength) head = (head + piece).slice(0, headLength)
    if (whole) text += piece
    else for (const event of stream.push(piece)) push(event)
  }
  if (!whole) for (const event of stream.end()) push(event)
  else for (const event of eventsOf(text)) push(event)
  return head
}

/** What came instead of an answer: a wrong address or a proxy often answers 200 with a page of its own. */
const pageInstead = ({ status, headers }: Response, head: string): string | undefined => {
  const type = headers.get("content-type") ?? ""
  if (head.trim() === "" || type.includes("event-stream")) return undefined
  return `The provider answered ${status} with what is no answer of a model (${type || "no content type"}): ${head.trim()}`
}

const httpFailure = async (response: Response, now: number): Promise<RequestFailure> => {
  const body = await response.text().catch(() => "")
  const after = retryAfterMs(response.headers, body, now)
  return {
    kind: "http",
    status: response.status,
    message: `The provider answered ${response.status}: ${body.slice(0, headLength) || response.statusText}`,
    body: body.slice(0, shownLength),
    retryable: isRetryableStatus(response.status, response.headers, body),
    ...(after !== undefined && { retryAfterMs: after }),
  }
}

const streamFailure = ({ error, problems, message }: Recorded, cause: unknown, page: string | undefined): RequestFailure => ({
  kind: "stream",
  message: error
    ? `The stream carried an error: ${error.message}`
    : ((message.blocks.length === 0 ? page : undefined) ?? problems.at(-1)?.what ?? "The stream was cut"),
  retryable: !(error && blamesRequest(error.native)),
  ...(error && { body: JSON.stringify(error.native)?.slice(0, shownLength) ?? "" }),
  ...(cause !== undefined && { cause }),
})

/** An address or a header that is none stays so: the platform says it with the error of a broken connection. */
const canBeSent = ({ url, headers }: AttemptRequest): boolean => {
  try {
    void new Request(url, { method: "POST", headers })
    return true
  } catch {
    return false
  }
}

const endOf = (recorder: Recorder | undefined, cause: EndCause): Recorded | undefined => recorder?.end(cause)

/** What a failure says goes into logs and to users; no key may go there with it. */
const withoutSecrets = (outcome: AttemptOutcome, { url, headers }: AttemptRequest): AttemptOutcome => {
  if (outcome.type !== "failed") return outcome
  const hide = hidingSecrets(url, headers)
  const { message, body, cause, ...rest } = outcome.failure
  return {
    ...outcome,
    failure: {
      ...rest,
      message: hide(message),
      ...(body !== undefined && { body: hide(body) }),
      ...(cause !== undefined && { cause: withoutSecretsIn(cause, hide) }),
    },
  }
}

export const attemptRequest = async (request: AttemptRequest): Promise<AttemptOutcome> => withoutSecrets(await attempted(request), request)

const attempted = async (request: AttemptRequest): Promise<AttemptOutcome> => {
  const { format, url, headers, body, signal, silenceMs, fetch, now, recorder: options, onEvent } = request
  const silence = silenceTimer(silenceMs)
  const stop = AbortSignal.any([signal, silence.signal])
  let recorder: Recorder | undefined
  let refusal: RequestFailure | undefined
  let page: string | undefined
  let cause: unknown
  let end: EndCause = "complete"
  const exchange = async (): Promise<void> => {
    const response = await fetch(url, { method: "POST", headers, body, signal: stop })
    silence.heard()
    if (!response.ok) {
      refusal = await httpFailure(response, now())
      return
    }
    const recording = createRecorder(format, options)
    recorder = recording
    const head = await readBody(response, (event) => recording.push(event).forEach(onEvent), silence.heard)
    page = pageInstead(response, head)
  }
  try {
    await untilAborted(exchange(), stop)
  } catch (error) {
    cause = error
    end = signal.aborted ? "abort" : "error"
  } finally {
    silence.end()
  }
  const recorded = endOf(recorder, end)
  // A complete answer is one, also when the line broke or somebody hung up after its end marker.
  if (recorded?.complete) return { type: "recorded", recorded }
  if (signal.aborted) return { type: "aborted", ...(recorded && { recorded }) }
  if (refusal) return { type: "failed", failure: refusal }
  if (silence.signal.aborted) {
    const message = `The provider was silent for ${silenceMs} ms`
    const failure: RequestFailure = { kind: "silence", message, retryable: true }
    return { type: "failed", failure, ...(recorded && { recorded }) }
  }
  if (recorded) return { type: "failed", failure: streamFailure(recorded, cause, page), recorded }
  const retryable = canBeSent(request)
  return { type: "failed", failure: { kind: "network", message: messageOf(cause), retryable, cause } }
}
