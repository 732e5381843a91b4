/**
 * What a fake provider answers: a list of replies, one per accepted request, or a function of the request.
 */
import type { Verdict } from "../verdict.ts"

export interface ScriptedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Default: a deterministic id in the provider's style. */
  readonly id?: string
  /** The arguments as text, also such as is no JSON; only where the API streams text. Default: JSON of `arguments`. */
  readonly json?: string
  /** The group that the tool is declared in; only OpenAI Responses has such groups. */
  readonly namespace?: string
}

export interface ScriptedReply {
  readonly text?: string
  /** Thinking before the text, in the provider's own carrier. */
  readonly thinking?: string
  /** Calls made in parallel. */
  readonly calls?: readonly ScriptedCall[]
  /** An HTTP error instead of a reply. */
  readonly error?: {
    readonly status: number
    readonly message: string
    readonly headers?: Readonly<Record<string, string>>
  }
  /** An error inside the stream after this many events; the stream ends with it. Only for streamed requests. */
  readonly streamError?: { readonly message: string; readonly afterEvents: number }
  /** Destroys the socket after this many events; for a plain reply, in the middle of the body. */
  readonly cutAfterEvents?: number
  /** Wait before the first byte, in milliseconds. Default 0. */
  readonly delayMs?: number
  /** Wait between two events, in milliseconds. Default 0. */
  readonly eventDelayMs?: number
}

/** One request as the server saw it. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed JSON; the raw text if it does not parse. */
  readonly body: unknown
  readonly isStreamed: boolean
  /** What the judge said; `undefined` for a request that never reached it. */
  readonly verdict: Verdict | undefined
}

export type Script = readonly ScriptedReply[] | ((request: FakeRequest) => ScriptedReply | Promise<ScriptedReply>)

export const defaultReply: ScriptedReply = { text: "All right." }

/** A reply with its ids and signature decided, ready for any wire format. */
export interface PlannedReply {
  /** Number of the reply, from 1: all ids derive from it, so that two runs give the same bytes. */
  readonly number: number
  readonly model: string
  readonly thinking: string | undefined
  readonly text: string | undefined
  readonly calls: readonly PlannedCall[]
}

interface PlannedCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly json: string
  readonly namespace?: string
}

export function planReply(reply: ScriptedReply, number: number, model: string, idPrefix: string): PlannedReply {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `${idPrefix}${stamp(number)}${stamp(index + 1)}`,
    name: call.name,
    arguments: call.arguments,
    json: call.json ?? JSON.stringify(call.arguments),
    ...(call.namespace !== undefined && { namespace: call.namespace }),
  }))
  const hasContent = reply.text !== undefined || calls.length > 0
  return { number, model, thinking: reply.thinking, text: hasContent ? reply.text : defaultReply.text, calls }
}

export function stamp(number: number): string {
  return String(number).padStart(4, "0")
}

/** Cuts a text into at most three pieces, never inside a surrogate pair, so that every stream has real deltas. */
export function pieces(text: string): readonly string[] {
  const letters = [...text]
  const size = Math.max(1, Math.ceil(letters.length / 3))
  const found: string[] = []
  for (let start = 0; start < letters.length; start += size) found.push(letters.slice(start, start + size).join(""))
  return found
}

/** One server-sent event. */
export interface WireEvent {
  readonly name?: string
  /** JSON value, or the text of a marker such as `[DONE]`. */
  readonly value: unknown
}

/** How one API writes a reply. */
export interface ReplyFormat {
  readonly plain: (reply: PlannedReply, body: unknown) => unknown
  readonly events: (reply: PlannedReply, body: unknown) => readonly WireEvent[]
  readonly streamError: (message: string) => WireEvent
}
