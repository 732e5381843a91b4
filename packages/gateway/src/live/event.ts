/**
 * What a watcher of the gateway is told of one exchange, as the JSON of a server-sent event. It has content (what was asked,
 * what a repair changed), so that every text in it is bounded, and what the store redacts is redacted here as well.
 * Credentials are nowhere in it: it is made of bodies, never of headers.
 */
import { decode, type ReportEntry } from "ligature"
import type { Usage } from "ligature/record"
import type { Conversation } from "../conversation/memory.ts"
import { sliceBody, textMember } from "../conversation/slices.ts"
import type { Outcome, Refused } from "../exchange/turn.ts"
import { redacted } from "../record/lean.ts"
import type { Ask, Wire } from "../wires/wire.ts"

/** The newest message of a request: what a user says, or what tools gave. */
export interface LiveQuestion {
  readonly role: "user" | "tool" | "system" | "assistant"
  readonly text: string
}

export interface LiveBegin {
  /** Of the exchange: the same in its `end`. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly conversation: string
  /** The conversation that started it. */
  readonly parent?: string
  /** The API that the client speaks. */
  readonly wire: string
  readonly upstream: string
  readonly model?: string
  /** Of the request. */
  readonly bytes: number
  readonly question?: LiveQuestion
}

/** One change that made the history valid: as in the report of `repair`, with blocks that are small enough. */
export interface LiveChange {
  readonly rule: string
  readonly kind: ReportEntry["kind"]
  readonly place: ReportEntry["place"]
  readonly what: string
  readonly found?: string
  readonly ids: readonly string[]
  readonly original?: unknown
  readonly replacement?: unknown
}

export interface LiveRefusal {
  readonly status: number
  /** The body of the provider's answer. */
  readonly text: string
  /** The requirements that it named and that a second request met; absent where the refusal went on to the client. */
  readonly healed?: readonly string[]
}

export interface LiveEnd extends LiveBegin {
  readonly status: number
  readonly ended: Outcome["ended"]
  readonly look: Outcome["look"]
  /** From the end of the request to the end of the answer. */
  readonly ms: number
  readonly repaired: readonly LiveChange[]
  /** There were more changes than these. */
  readonly more?: number
  readonly refusal?: LiveRefusal
  readonly usage?: Omit<Usage, "native">
  /** Why the gateway itself did not answer. */
  readonly error?: string
}

const mostText = 500
const mostRefusal = 2_000
const mostBlock = 4_000
const mostChanges = 50

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** Reads only the newest message. */
const questionIn = (body: Buffer, wire: Wire): LiveQuestion | undefined => {
  const last = sliceBody(body, wire.list)?.elements.at(-1)
  if (!last) return undefined
  try {
    const element: unknown = JSON.parse(body.toString("utf8", last.start, last.end))
    const message = decode(wire.name, { [wire.list]: [element] } as never).messages.at(-1)
    if (!message) return undefined
    const texts = message.blocks.flatMap((block) =>
      block.type === "text"
        ? [block.text]
        : block.type === "result"
          ? block.content.flatMap((each) => (each.type === "text" ? [each.text] : []))
          : [],
    )
    const isResults = message.role === "user" && message.blocks.some(({ type }) => type === "result")
    return { role: isResults ? "tool" : message.role, text: shortened(texts.join("\n").trim(), mostText) }
  } catch {
    return undefined
  }
}

export interface Begun {
  readonly id: string
  readonly conversation: Conversation
  readonly wire: Wire
  readonly ask: Ask
  readonly upstream: string
  readonly body: Buffer
  readonly redact: readonly RegExp[]
}

/** `isWatched`: somebody reads it now, so that it is worth to look into the body. */
export const beginOf = ({ id, conversation, wire, ask, upstream, body, redact }: Begun, isWatched: boolean): LiveBegin => {
  const question = isWatched ? questionIn(body, wire) : undefined
  const model = ask.model ?? (isWatched ? textMember(body, "model") : undefined)
  return {
    id,
    time: Date.now(),
    conversation: conversation.id,
    ...(conversation.parent !== undefined && { parent: conversation.parent }),
    wire: wire.name,
    upstream,
    ...(model !== undefined && { model }),
    bytes: body.length,
    ...(question && { question: redacted(question, redact) }),
  }
}

const withoutNative = (name: string, value: unknown): unknown => (name === "native" ? undefined : value)

/** Undefined where it is too large to be shown. */
const blockOf = (value: unknown, name: "original" | "replacement"): object => {
  const text = value === undefined ? undefined : JSON.stringify(value, withoutNative)
  return text === undefined || text.length > mostBlock ? {} : { [name]: JSON.parse(text) as unknown }
}

const changeOf = ({ rule, kind, place, what, found, ids, original, replacement }: ReportEntry): LiveChange => ({
  rule,
  kind,
  place,
  what: shortened(what, mostText),
  ...(found !== undefined && { found: shortened(found, mostText) }),
  ids: ids.slice(0, 20),
  ...blockOf(original, "original"),
  ...blockOf(replacement, "replacement"),
})

const refusalOf = ({ status, text }: Refused, healed: string | undefined): LiveRefusal => ({
  status,
  text: shortened(text, mostRefusal),
  ...(healed !== undefined && { healed: healed.split(",") }),
})

export const endOf = (begin: LiveBegin, outcome: Outcome, conversation: Conversation, ms: number, redact: readonly RegExp[]): LiveEnd => {
  const { status, ended, look, changes, healed, refused, usage } = outcome
  const { native: _, ...counts } = usage ?? { native: {} }
  const said = {
    repaired: changes.slice(0, mostChanges).map(changeOf),
    ...(refused && { refusal: refusalOf(refused, healed) }),
  }
  return {
    ...begin,
    // A conversation that was found in the store has the name it has there.
    conversation: conversation.id,
    status,
    ended,
    look,
    ms: Math.round(ms),
    ...redacted(said, redact),
    ...(changes.length > mostChanges && { more: changes.length - mostChanges }),
    ...(usage && { usage: counts }),
  }
}
