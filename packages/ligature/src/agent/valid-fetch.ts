/**
 * A `fetch` that makes every outgoing history valid: one line for an agent that already exists, whatever SDK it uses, since
 * all of them take a fetch. Requests to known endpoints are read; a healthy one goes out with the bytes it came with, a damaged one
 * is repaired for the provider it goes to, and the report is handed to the caller. Anything else passes untouched.
 */
import { assertUnderstood, check, convert, decode, resolveCodec } from "../convert/index.ts"
import { type Policies, type PolicyOptions, type Profile, type ProfileName, resolvePolicies, resolveProfile } from "../rules/index.ts"
import { addressWithoutCredentials, assertOptions, isWire, LigatureError, type Report, type Transcript, type Wire } from "../model/index.ts"
import { endpointOf } from "./request/model.ts"

export interface RepairedRequest {
  /** Without credentials. */
  readonly url: string
  /** Whose demands were met. */
  readonly profile: string
  readonly report: Report
}

export interface ValidFetchOptions extends PolicyOptions {
  /** The provider behind the endpoint, where its address does not say it. */
  readonly profile?: Profile | ProfileName
  /** Told of every request that had to be repaired. */
  readonly onRepair?: (repaired: RepairedRequest) => void
}

type Fetch = typeof globalThis.fetch

const decoder = new TextDecoder()

/** Bodies as SDKs send them; a stream or a form holds no history that could be read before it is sent. */
const textOf = (body: unknown): string | undefined => {
  if (typeof body === "string") return body
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return decoder.decode(body as ArrayBuffer)
  return undefined
}

const parsed = (text: string): Wire | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isWire(value) ? value : undefined
  } catch {
    return undefined
  }
}

const addressOf = (input: Parameters<Fetch>[0]): string =>
  typeof input === "string" ? input : input instanceof URL ? input.href : input.url

/** The length was that of the old body; fetch sets the right one. */
const withoutLength = (headers: ConstructorParameters<typeof Headers>[0]): Headers => {
  const kept = new Headers(headers)
  kept.delete("content-length")
  return kept
}

/** Whether anything of a body was understood: what is no history of this API is not ours to change. */
const isHistory = (transcript: Transcript, body: Wire): boolean => {
  try {
    assertUnderstood(transcript, body, transcript.format)
    return true
  } catch {
    return false
  }
}

/** The body in a form the provider takes, and what was done; undefined when it takes it as it is, or is no history. */
const repaired = (body: Wire, profile: Profile, policies: Policies): { value: Wire; report: Report } | undefined => {
  const transcript = decode(resolveCodec(profile.format), body)
  if (check(transcript, { profile, policies }).length === 0 || !isHistory(transcript, body)) return undefined
  const { value, report } = convert(body, { from: resolveCodec(profile.format), to: resolveCodec(profile.format), profile, policies })
  return { value, report }
}

/**
 * Wraps a fetch.
 *
 * @example
 * const safeFetch = validFetch(fetch, { onRepair: ({ report }) => console.warn(report.entries.map((entry) => entry.what)) })
 */
export const validFetch = (inner: Fetch = globalThis.fetch, options: ValidFetchOptions = {}): Fetch => {
  if (typeof inner !== "function") throw new LigatureError("bad-option", "Expected a fetch function first; options come second")
  const policies = resolvePolicies(options)
  assertOptions(options, { profile: true, onRepair: true, policies: true })
  return async (input, init) => {
    const url = addressOf(input)
    const endpoint = endpointOf(url)
    if (endpoint === undefined) return inner(input, init)
    const request = input instanceof Request && init?.body === undefined ? input : undefined
    const text = request ? await request.clone().text() : textOf(init?.body)
    const body = text === undefined ? undefined : parsed(text)
    if (body === undefined) return inner(input, init)
    const profile = resolveProfile(options.profile ?? endpoint.profile)
    const valid = profile.format === endpoint.format ? repaired(body, profile, policies) : undefined
    if (valid === undefined) return inner(input, init)
    options.onRepair?.({ url: addressWithoutCredentials(url), profile: profile.name, report: valid.report })
    const sent = { ...init, headers: withoutLength(init?.headers ?? request?.headers), body: JSON.stringify(valid.value) }
    return inner(request ? new Request(request, sent) : input, request ? undefined : sent)
  }
}
