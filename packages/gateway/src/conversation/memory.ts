/**
 * What the gateway knows of conversations while it runs: the last body of each, what was found out about it, and what the
 * client's wire could not carry (carrier.ts). It holds so many bytes at most; the conversation that was silent longest goes
 * first. Whoever is forgotten costs one whole look at its next request, nothing else.
 */
import { createHash, randomUUID } from "node:crypto"
import { Carrier } from "./carrier.ts"
import { conversationOf } from "./chains.ts"
import type { Identity } from "./identity.ts"
import type { Lesson } from "../exchange/lessons.ts"
import type { ConversationRecord } from "../record/conversation-record.ts"
import type { RequestBody } from "./request-body.ts"
import { elementsFrom, type Span, startOfMember } from "./slices.ts"

/** What is known of a body that was found valid for a profile. */
export interface Known {
  /** For which requirements. */
  readonly profile: string
  /** Ids of calls, and the element of the list each is in. */
  readonly ids: Map<string, number>
  readonly hasMedia: boolean
}

/** The same on every machine, for the same client and its name of the conversation. */
const idOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 24)

interface ConversationOptions {
  /** Default: one that follows from the key. */
  readonly id?: string
  readonly opening?: string
  readonly parent?: string
}

export class Conversation {
  /** What the gateway calls it, in headers and logs, and its name in the store. */
  id: string
  /** What it began with, where its client has no name for it: by this it is found in the store. */
  readonly opening: string | undefined
  /** The conversation that started it. */
  readonly parent: string | undefined
  /** What the store has of it. */
  record: ConversationRecord | undefined
  readonly key: string
  readonly wire: string
  readonly carrier = new Carrier()
  /** What refusals taught about this conversation alone. */
  readonly lessons: Lesson[] = []
  /** What was tried after a refusal, and did not help. */
  readonly useless: Lesson[] = []
  /** So many of its last requests were turned away for now: overload, rate limits, no answer at all. */
  turnedAway = 0
  body: RequestBody | undefined
  /** The input tokens that its provider counted for that body. */
  reported: number | undefined
  /** Set while the body is valid as it is. */
  known: Known | undefined

  constructor(key: string, wire: string, { id, opening, parent }: ConversationOptions) {
    this.key = key
    this.wire = wire
    this.id = id ?? idOf(key)
    this.opening = opening
    this.parent = parent
  }

  get bytes(): number {
    return (this.body?.bytes.length ?? 0) + this.carrier.bytes + (this.record?.bytes ?? 0)
  }

  remember(body: RequestBody, known: Known | undefined): void {
    this.body = body
    this.known = known
  }
}

/** So many of the conversations that begin alike are looked at. */
const mostAlike = 8
/** The first words of a user are within so many messages. */
const headMessages = 6

/** Marks for the prompt cache move from message to message, and say nothing. */
const withoutMarks = (name: string, value: unknown): unknown => (name === "cache_control" ? undefined : value)

/** Names that clients give their conversations in the body are near its beginning or its end. */
const edgeBytes = 4096
const cacheKey = /"(?:prompt_cache_key"\s*:|metadata"\s*:\s*\{\s*"user_id"\s*:)\s*("(?:[^"\\]|\\.)*")/

/** What a client wants to share a prompt cache, or its user: two conversations that begin alike are not one when it differs. */
const cacheKeyOf = ({ bytes }: RequestBody): string => {
  const front = cacheKey.exec(bytes.toString("latin1", 0, edgeBytes))
  const found = front ?? (bytes.length > edgeBytes ? cacheKey.exec(bytes.toString("latin1", Math.max(0, bytes.length - edgeBytes))) : null)
  return found?.[1] ?? ""
}

/** What a conversation began with, up to the first words of the user: no later request of it begins otherwise. */
const openingOf = (whole: RequestBody): string => {
  const { bytes: body, list } = whole
  const start = startOfMember(body, list)
  const found = start !== undefined && body[start] === 91 ? elementsFrom(body, start + 1, headMessages) : undefined
  const hash = createHash("sha256").update(cacheKeyOf(whole))
  for (const { start, end } of found?.elements ?? []) {
    let element: unknown
    try {
      element = JSON.parse(body.toString("utf8", start, end))
    } catch {
      break
    }
    hash.update(JSON.stringify(element, withoutMarks))
    if ((element as { readonly role?: unknown } | null)?.role === "user") break
  }
  return hash.digest("base64url")
}

/** A question beside a conversation has so few messages. */
const mostBeside = 3

const isEmptyList = (bytes: Buffer, span: Span | undefined): boolean =>
  span === undefined || /^\[\s*\]$/.test(bytes.toString("latin1", span.start, Math.min(span.end, span.start + 16)))

const isOfModel = (bytes: Buffer, { start, end }: Span): boolean => {
  try {
    const { role } = JSON.parse(bytes.toString("utf8", start, end)) as { readonly role?: unknown }
    return role === "assistant" || role === "model"
  } catch {
    return true
  }
}

/**
 * A question that a client asks beside its conversation, under the same name: a title for the session, one for each prompt of
 * a person. It has no tools, which the conversation has, nothing that a model said, and begins otherwise. Where nothing is known of
 * the conversation yet, or it has no tools either, a question beside it is one that asks for JSON of a schema.
 */
const isBeside = (body: RequestBody, last: RequestBody | undefined): boolean => {
  const first = last?.slices?.elements[0]
  if (last && first && body.prefixWith(last) >= first.end) return false
  const { slices, bytes } = body
  if (!slices || slices.elements.length > mostBeside || !isEmptyList(bytes, slices.members.get("tools"))) return false
  if (slices.elements.some((span) => isOfModel(bytes, span))) return false
  const tools = last?.slices?.members.get("tools")
  if ((!last || isEmptyList(last.bytes, tools)) && !bytes.includes("json_schema")) return false
  return !last || openingOf(last) !== openingOf(body)
}

export class Memory {
  readonly #byKey = new Map<string, Conversation>()
  /** Keys of conversations without a name, by what they are called here. */
  readonly #byId = new Map<string, string>()
  /** Conversations without a name, by what they began with; the newest last. */
  readonly #alike = new Map<string, string[]>()
  readonly #limit: number
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get size(): number {
    return this.#byKey.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The conversation of a request; a new one where it continues none. */
  find(identity: Identity, wire: string, body: RequestBody, previous?: string): Conversation {
    const { owner } = identity
    const main = identity.name === undefined || previous !== undefined ? undefined : this.#byKey.get(`${owner} ${wire} ${identity.name}`)
    const beside = identity.name !== undefined && previous === undefined && isBeside(body, main?.record?.body ?? main?.body)
    const parent = beside ? identity.name : identity.parent
    // A response that is gone on from says whose it is, where its client does not.
    const id = identity.name === undefined && previous !== undefined ? conversationOf(previous, owner) : undefined
    const name = beside ? undefined : (identity.name ?? (id === undefined ? undefined : `id ${id}`))
    const head = name === undefined ? `${owner} ${wire} ${openingOf(body)}` : ""
    const named = id === undefined ? undefined : this.#byId.get(id)
    const key = named ?? (name === undefined ? this.#continued(head, body) : `${owner} ${wire} ${name}`)
    const found = key === undefined ? undefined : this.#byKey.get(key)
    if (found) {
      this.#byKey.delete(found.key)
      this.#byKey.set(found.key, found)
      return found
    }
    const made = new Conversation(key ?? `${owner} ${wire} ${randomUUID()}`, wire, {
      ...(name === undefined && { opening: head }),
      ...(id !== undefined && { id }),
      ...(parent !== undefined && { parent: idOf(`${owner} ${wire} ${parent}`) }),
    })
    this.#byKey.set(made.key, made)
    if (name === undefined) this.#enlist(head, made.key)
    return made
  }

  /** Counts what the conversation holds now, and forgets others where that is too much. `before`: its bytes until now. */
  settle(conversation: Conversation, before: number): void {
    if (!this.#byKey.has(conversation.key)) return
    if (conversation.opening !== undefined) this.#byId.set(conversation.id, conversation.key)
    this.#bytes += conversation.bytes - before
    for (const [key, oldest] of this.#byKey) {
      if (this.#bytes <= this.#limit || oldest === conversation) break
      this.#byKey.delete(key)
      this.#byId.delete(oldest.id)
      this.#bytes -= oldest.bytes
    }
  }

  /** By the name that it has in the store. */
  forget(id: string): void {
    for (const [key, conversation] of this.#byKey) {
      if (conversation.id !== id) continue
      this.#byKey.delete(key)
      this.#byId.delete(id)
      this.#bytes -= conversation.bytes
    }
  }

  #enlist(head: string, key: string): void {
    const keys = (this.#alike.get(head) ?? []).filter((each) => this.#byKey.has(each))
    this.#alike.delete(head)
    this.#alike.set(head, [...keys.slice(1 - mostAlike), key])
    // Heads whose conversations were forgotten go with the next ones.
    if (this.#alike.size > 2 * this.#byKey.size + 64) {
      for (const [each, listed] of this.#alike) if (!listed.some((one) => this.#byKey.has(one))) this.#alike.delete(each)
    }
  }

  /** The conversation whose last body this one goes on from: all of it came again, but for marks in its last element. */
  #continued(head: string, body: RequestBody): string | undefined {
    let best: string | undefined
    let longest = 0
    for (const key of (this.#alike.get(head) ?? []).toReversed()) {
      const each = this.#byKey.get(key)
      // What was sent may be another body than that of the client.
      const last = each?.record?.body ?? each?.body
      if (!last || last.bytes.length <= longest) continue
      const { slices } = last
      if (!slices || slices.elements.length === 0) continue
      const prefix = body.prefixWith(last)
      const least = slices.elements.at(-2)?.end ?? slices.list.start + 1
      if (prefix < least || prefix <= longest) continue
      longest = prefix
      best = key
    }
    return best
  }
}
