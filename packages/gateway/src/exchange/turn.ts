/** One request on its way: what is known of it, and what it may use. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ReportEntry } from "ligature"
import type { Recorded, Usage } from "ligature/record"
import type { Ended } from "../answer/pass.ts"
import type { Config, Upstream } from "../config/config.ts"
import type { Conversation } from "../conversation/memory.ts"
import type { RequestBody } from "../conversation/request-body.ts"
import type { Recording } from "../record/history.ts"
import type { Lessons } from "./lessons.ts"
import { type Ask, type Failure, isJson, type Json, type Wire } from "../wires/wire.ts"

/** How the history was looked at: only its new end, as a whole, converted, or not at all. */
export type Look = "grown" | "whole" | "converted" | "none"

/** An answer of a provider that refused a request. */
export interface Refused {
  readonly status: number
  readonly text: string
}

/** What came of a request. */
export interface Outcome {
  readonly status: number
  readonly ended: Ended
  readonly look: Look
  readonly changes: readonly ReportEntry[]
  /** The requirement that a refusal named and a second request met. */
  readonly healed?: string
  /** The first refusal, healed or not. It has content. */
  readonly refused?: Refused
  /** What the provider counted, where the answer was read. */
  readonly usage?: Usage | undefined
}

type Headers = readonly (readonly [string, string])[]

export interface Turn {
  readonly config: Config
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly wire: Wire
  readonly ask: Ask
  readonly body: RequestBody
  readonly conversation: Conversation
  /** Stands for the credential of the client. */
  readonly owner: string
  readonly upstream: Upstream
  /** To be asked for instead of the model that the client names. */
  readonly model: string | undefined
  /** What refusals of providers taught. */
  readonly lessons: Lessons
  /** What the store is told of this exchange; undefined: nothing. */
  readonly recording: Recording | undefined
  /** Told of a refusal before anything else is done about it. May throw, to begin again with another body. */
  readonly refused?: (status: number, text: string) => void
  /** Sends the body to the upstream, and resolves with the head of its answer. */
  readonly send: (path: string, headers: Headers, body: Buffer) => Promise<IncomingMessage>
}

/** For whoever reads an answer: stores it. Undefined: nobody wants to know. */
export const storeOf = ({ recording, upstream }: Turn): ((recorded: Recorded, ended: Ended, id?: string) => Promise<void>) | undefined =>
  recording && ((recorded, ended, id) => recording.answered({ recorded, ended, id, from: upstream.wire, upstream: upstream.name }))

interface Said {
  readonly changes?: readonly ReportEntry[]
  readonly left?: readonly string[]
  readonly healed?: string | undefined
  /** Of an answer that does not say itself when to ask again. */
  readonly status?: number | undefined
}

/** What the gateway says of an answer. */
export const ownHeaders = (conversation: Conversation, { changes = [], left = [], healed, status }: Said = {}): Headers => {
  const headers: [string, string][] = [["x-ligature-conversation", conversation.id]]
  if (changes.length > 0) headers.push(["x-ligature-repaired", [...new Set(changes.map(({ rule }) => rule))].join(",")])
  if (healed !== undefined) headers.push(["x-ligature-healed", healed])
  const wait = status !== undefined && isForNow(status) ? waitOf(conversation) : undefined
  if (wait !== undefined) headers.push(["retry-after", String(wait)])
  const shown = left.map((each) => each.replace(/[^\x20-\x7e]/g, "?").slice(0, 60)).slice(0, 20)
  if (shown.length > 0) headers.push(["x-ligature-left-out", shown.join(", ")])
  return headers
}

/** What may be fine a little later. */
export const isForNow = (status: number): boolean => status === 429 || status >= 500

/**
 * Seconds after which a client should ask again, where its provider names none: clients that are turned away again and
 * again ask faster than it helps. Some give up when told to wait for minutes.
 */
export const waitOf = ({ turnedAway }: Conversation): number | undefined =>
  turnedAway < 3 ? undefined : Math.min(2 ** (turnedAway - 2), 30)

/** An error, as the client's own provider would say it. */
export const writeFailure = (response: ServerResponse, wire: Wire, failure: Failure, headers: Headers = []): void =>
  writeJson(response, failure.status, wire.errorBody(failure), headers)

export const writeJson = (response: ServerResponse, status: number, value: Json, headers: Headers = []): void => {
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(status, [...headers.flat(), "content-type", "application/json", "content-length", String(body.length)])
  response.end(body)
}

export const jsonOf = ({ value }: RequestBody): Json | undefined => (isJson(value) ? value : undefined)
