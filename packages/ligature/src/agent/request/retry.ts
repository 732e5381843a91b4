/**
 * Which failures are worth another try, and when. Pure: the caller brings the clock and the dice.
 *
 * The wait grows from `baseMs` by doubling, half of it by chance, so that not all clients come back at once. A server
 * that names a time is believed, up to `maxWaitMs`; beyond that waiting would only look like hanging, and the run ends.
 * One that asks to come back at once, or at a time that is over by our clock, would have used up all tries in a moment.
 */
import { addressWithoutCredentials, credentialsIn, hidden, isWire, parseJson, withoutCredentials } from "../../model/index.ts"

/** Headers whose values everybody may know. */
const publicHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "openai-beta",
  "user-agent",
])

/** A shorter text could be any word. */
const shortestSecret = 6

/** The parts of a header's value: `Bearer KEY`. */
const partsOf = (value: string): readonly string[] => [value, ...value.split(/[\s,;]+/)]

/** Leaves out of a text the secrets of this request, wherever they are. */
export const hidingSecrets = (address: string, headers: Readonly<Record<string, string>>): ((text: string) => string) => {
  const secrets = Object.entries(headers)
    .flatMap(([name, value]) => (publicHeaders.has(name.toLowerCase()) ? [] : partsOf(value)))
    .concat(credentialsIn(address))
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length)
  const shown = addressWithoutCredentials(address)
  return (text) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, hidden), withoutCredentials(text.replaceAll(address, () => shown)))
}

export interface RetryOptions {
  /** Tries of one request, the first included. Default 5. */
  readonly attempts?: number
  /** Retries in the whole run. Default 20. */
  readonly budget?: number
  /** First wait, in milliseconds. Default 500. */
  readonly baseMs?: number
  /** Longest wait by our own choice. Default 30,000. */
  readonly maxMs?: number
  /** Longest wait a server may ask for. Default 120,000. */
  readonly maxWaitMs?: number
}

export const defaultRetry: Required<RetryOptions> = {
  attempts: 5,
  budget: 20,
  baseMs: 500,
  maxMs: 30_000,
  maxWaitMs: 120_000,
}

/** Why an attempt gave no answer. */
export interface RequestFailure {
  readonly kind: "network" | "http" | "stream" | "silence"
  readonly message: string
  readonly retryable: boolean
  readonly status?: number
  /** What the server said, shortened. */
  readonly body?: string
  /** When the server wants to be asked again, in milliseconds from now. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

const transient: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])

/** A 429 that no waiting cures. */
const outOfMoney = /insufficient_quota|billing_hard_limit|credit balance is too low/

export const isRetryableStatus = (status: number, headers: Headers, body: string): boolean => {
  const said = headers.get("x-should-retry")
  if (said === "true" || said === "false") return said === "true"
  return transient.has(status) && !outOfMoney.test(body)
}

/** An error inside a stream that blames the request. */
export const blamesRequest = (native: unknown): boolean =>
  /invalid_request|INVALID_ARGUMENT|"code":\s*400\b/.test(JSON.stringify(native) ?? "")

/** Refusals because the history is too long: a compaction may help where a retry cannot. */
const overflows: readonly RegExp[] = [
  /context[ _-]?(?:length|window)|maximum (?:context|prompt)/i,
  /prompt is too long|request_too_large|too many (?:input )?tokens/i,
  /input token count|exceeds? the (?:model|maximum).{0,40}tokens/i,
]

/** What there was too much of; undefined where that was not the reason. Some say 413 for tokens too, and name them. */
export const overflowOf = ({ status, body = "", message }: RequestFailure): "tokens" | "bytes" | undefined => {
  const words = `${message}\n${body}`
  if (status === 413) return /token/i.test(words) ? "tokens" : "bytes"
  return status !== 429 && overflows.some((pattern) => pattern.test(words)) ? "tokens" : undefined
}

const seconds = /^\d+(?:\.\d+)?s$/

/** Google says it in the body: `{ error: { details: [{ "@type": "…RetryInfo", retryDelay: "17s" }] } }`. */
const delayInBody = (body: string): number | undefined => {
  const value = parseJson(body)
  const error = isWire(value) && isWire(value["error"]) ? value["error"] : undefined
  const details = error && Array.isArray(error["details"]) ? (error["details"] as readonly unknown[]) : []
  for (const detail of details) {
    const delay = isWire(detail) ? detail["retryDelay"] : undefined
    if (typeof delay === "string" && seconds.test(delay)) return Number.parseFloat(delay) * 1000
  }
  return undefined
}

const positive = (value: number): number | undefined => (Number.isFinite(value) ? Math.max(0, value) : undefined)

export const retryAfterMs = (headers: Headers, body: string, now: number): number | undefined => {
  const precise = headers.get("retry-after-ms")
  if (precise !== null && precise.trim() !== "") return positive(Number(precise))
  const said = headers.get("retry-after")?.trim()
  if (said === undefined || said === "") return delayInBody(body)
  return /^\d/.test(said) ? positive(Number.parseFloat(said) * 1000) : positive(Date.parse(said) - now)
}

/** The wait before try `attempt + 1`; undefined: give up. */
export const delayBefore = (
  failure: RequestFailure,
  attempt: number,
  used: number,
  options: Required<RetryOptions>,
  random: () => number,
): number | undefined => {
  if (!failure.retryable || attempt >= options.attempts || used >= options.budget) return undefined
  const asked = failure.retryAfterMs ?? 0
  if (asked > 0) return asked <= options.maxWaitMs ? asked : undefined
  const most = Math.min(options.maxMs, options.baseMs * 2 ** (attempt - 1))
  return Math.round(most * (0.5 + random() / 2))
}
