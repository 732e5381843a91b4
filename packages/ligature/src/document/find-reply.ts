/**
 * A log writes the request and the model's reply side by side; the conversation is both. The reply is taken only where
 * it clearly continues the list: an answer in the model's role, in a place where replies are, not yet in the list.
 */

import { at, isDeepEqual, isList, isObject, member, type JsonObject, type Path } from "../json/json-value.ts"
import { isMessageList } from "./message-list.ts"
import { replyContents, replyPlaces } from "./shapes.ts"

export interface Reply {
  /** The reply as messages of a request: what only a response carries (stop reason, usage) is left behind. */
  readonly messages: readonly unknown[]
  readonly path: Path
  /** The reply is a list of items, not one message. */
  readonly list?: true
}

const messagesComparedWith = 4
const repliers: ReadonlySet<unknown> = new Set(["assistant", "model", "agent"])

/** The reply that continues the list at `path`. */
export function replyOf(root: unknown, path: Path): Reply | undefined {
  const list = at(root, path)
  if (!isList(list)) return undefined
  const requestPath = path.slice(0, -1)
  for (const place of replyPlaces) {
    if (!endsWith(requestPath, place.request) || (place.list !== undefined && place.list !== path.at(-1))) continue
    const base = requestPath.slice(0, requestPath.length - place.request.length)
    const reply = standaloneReply(at(root, [...base, ...place.reply]))
    if (reply === undefined) continue
    if (isAlreadyIn(list, reply.messages)) return undefined
    return { ...reply, path: [...base, ...place.reply, ...reply.path] }
  }
  return undefined
}

/** The messages of a provider's response, with the path at which they are in it. */
export function standaloneReply(response: unknown): Reply | undefined {
  if (!isObject(response)) return undefined
  for (const { path, list } of replyContents) {
    const content = at(response, path)
    if (list === true) {
      if (isList(content) && content.length > 0 && isMessageList(content, true)) return { messages: content, path, list }
    } else if (isObject(content) && isReply(content)) return { messages: [asMessage(content)], path }
  }
  return undefined
}

function isReply(message: JsonObject): boolean {
  if (!repliers.has(message["role"])) return false
  return ["content", "parts", "tool_calls", "function_call"].some((key) => (message[key] ?? undefined) !== undefined)
}

/** An Anthropic response is its own message; of its fields only these two belong into the next request. */
function asMessage(message: JsonObject): JsonObject {
  return message["type"] === "message" ? { role: message["role"], content: message["content"] } : message
}

/** Calls are compared whole: servers recycle ids, and an agent may well repeat a call. */
export function isAlreadyIn(list: readonly unknown[], messages: readonly unknown[]): boolean {
  const last = list.slice(-messages.length - messagesComparedWith)
  const known = last.flatMap(callsOf)
  if (messages.flatMap(callsOf).some((call) => known.some((other) => isDeepEqual(call, other)))) return true
  return messages.length > 0 && messages.every((message) => last.some((other) => isDeepEqual(message, other)))
}

function callsOf(message: unknown): readonly unknown[] {
  if (member(message, "type") === "function_call") return [message]
  const calls = member(message, "tool_calls")
  const content = member(message, "content")
  const blocks = isList(content) ? content : []
  const isCall = (block: unknown): boolean => member(block, "type") === "tool_use" || isObject(member(block, "toolUse"))
  return [...(isList(calls) ? calls : []), ...blocks.filter(isCall)]
}

function endsWith(path: Path, end: Path): boolean {
  return path.length >= end.length && end.every((key, index) => path[path.length - end.length + index] === key)
}
