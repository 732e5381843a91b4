/**
 * From the JSON values of a file to its conversations. One value may hold many; many lines may make one; and a log may
 * write a request on one line and its reply on the next.
 */

import { detectFormat } from "./detect-format.ts"
import type { DocumentPart } from "./document.ts"
import { findConversations, type FoundConversation } from "./find-conversations.ts"
import { isAlreadyIn, standaloneReply, type Reply } from "./find-reply.ts"
import { withoutHalfWritten } from "./half-written.ts"
import { at, isList, isObject, member, pointer, type Path } from "../json/json-value.ts"
import { likenessOf } from "./message-list.ts"
import type { Split, Unit } from "../json/split-values.ts"

/** Where a part is in the file: in one JSON value, or spread over the lines of `units`. */
export type Location =
  | { readonly kind: "value"; readonly unit: Unit; readonly path: Path; readonly copies: readonly Path[] }
  | { readonly kind: "lines"; readonly units: readonly Unit[] }

export interface LocatedPart {
  readonly part: DocumentPart
  readonly location: Location
}

export interface PartsOfSplit {
  readonly located: readonly LocatedPart[]
  /** Values that belong to no conversation. */
  readonly others: readonly Unit[]
  /** Places where a conversation would be but the list is empty. */
  readonly emptyLists: number
}

interface Found {
  readonly unit: Unit
  readonly conversation: FoundConversation
  readonly replyLine?: number
}

export function partsOfSplit(split: Split): PartsOfSplit {
  const isLines = split.syntax !== "json"
  const messages: Unit[] = []
  const others: Unit[] = []
  const found: Found[] = []
  let emptyLists = 0
  let mayContinue = false
  for (const unit of split.units) {
    const likeness = isLines ? likenessOf(unit.value) : undefined
    if (likeness !== undefined) {
      ;(likeness === "bookkeeping" ? others : messages).push(unit)
      continue
    }
    const value = unit.open === undefined ? unit.value : withoutHalfWritten(unit.value, unit.open)
    const inside = findConversations(value)
    emptyLists += inside.emptyLists.length
    const last = found.at(-1)
    const isReply = mayContinue && inside.conversations.length === 0 && last !== undefined
    const joined = isReply ? continued(last, unit) : undefined
    mayContinue = isLines && inside.conversations.length === 1 && inside.conversations[0]?.reply === undefined
    if (joined !== undefined) found[found.length - 1] = joined
    else if (inside.conversations.length === 0) others.push(unit)
    for (const conversation of inside.conversations) found.push({ unit, conversation })
  }
  const located = found.map((one) => locatedPart(one, isLines))
  if (messages.length > 0) located.unshift(linesPart(messages))
  return { located, others, emptyLists }
}

/** A line that holds only a response continues the request on the line before it. */
function continued({ unit, conversation }: Found, next: Unit): Found | undefined {
  const response = standaloneReply(member(next.value, "response"))
  if (response === undefined) return undefined
  const list = listIn(conversation)
  if (isAlreadyIn(list, response.messages)) return undefined
  const whole = [...list, ...response.messages]
  const key = conversation.path.at(-1)
  const value =
    conversation.container === "request" && isObject(conversation.value) && typeof key === "string"
      ? { ...conversation.value, [key]: whole }
      : whole
  const reply: Reply = { ...response, path: ["response", ...response.path] }
  return { unit, conversation: { ...conversation, value, reply }, replyLine: next.line }
}

function listIn(conversation: FoundConversation): readonly unknown[] {
  const key = conversation.path.at(-1)
  const { container, value } = conversation
  const list = container === "request" && key !== undefined ? at(value, [key]) : value
  return isList(list) ? list : []
}

function locatedPart({ unit, conversation, replyLine }: Found, isLines: boolean): LocatedPart {
  const {
    detected: { format, certainty, why },
    value,
    container,
    path,
    copies,
    tools,
    reply,
  } = conversation
  // Assigned one by one: a file may hold thousands of conversations, and spreading absent members costs more than this.
  const part: { -readonly [Key in keyof DocumentPart]: DocumentPart[Key] } = {
    format,
    certainty,
    why,
    value,
    container,
    path: pointer(path),
    copies: copies.map(pointer),
  }
  if (isLines) part.line = unit.line
  if (tools !== undefined) part.tools = tools
  const line = replyLine ?? (isLines ? unit.line : undefined)
  if (reply !== undefined) {
    const appended = { count: reply.messages.length, path: pointer(reply.path), ...(reply.list && { list: reply.list }) }
    part.appended = line === undefined ? appended : { ...appended, line }
  }
  return { part, location: { kind: "value", unit, path, copies } }
}

function linesPart(units: readonly Unit[]): LocatedPart {
  const value = units.map((unit) => unit.value)
  const detected = detectFormat(value) ?? { format: "openai-chat", certainty: "guess", why: "nothing else fits better" }
  const part: DocumentPart = {
    ...detected,
    value,
    container: "lines",
    path: "",
    copies: [],
    lines: units.map((unit) => unit.line),
    ...(units[0] === undefined ? {} : { line: units[0].line }),
  }
  return { part, location: { kind: "lines", units } }
}
