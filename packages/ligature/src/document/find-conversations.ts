/**
 * Finds the conversations inside one parsed JSON value: the outermost message lists, each with the request that holds
 * it and the reply that continues it. Nothing below a found list is looked at, so a message that quotes a message list
 * yields nothing. The walk is iterative and bounded in depth; every value is visited at most once.
 */

import { detectFormat, type DetectedFormat } from "./detect-format.ts"
import { requestListKey } from "./formats.ts"
import { at, isDeepEqual, isList, isObject, type JsonObject, type Path } from "../json/json-value.ts"
import { isTraced } from "./format-marks.ts"
import { isMessageList, likenessOf } from "./message-list.ts"
import { replyOf, standaloneReply, type Reply } from "./find-reply.ts"
import { closedKeys, listKeys, logKeys, replyPlaces, requestKeys } from "./shapes.ts"

export interface FoundConversation {
  readonly detected: DetectedFormat
  /** What the format's decoder takes: the request, or the bare list. The reply is at its end. */
  readonly value: unknown
  readonly container: "request" | "list" | "message" | "reply"
  /** Where the list is; for a request that is a path into `value`'s own object in the file. */
  readonly path: Path
  /** Further places of the same record that hold an equal list. */
  readonly copies: readonly Path[]
  readonly tools?: unknown
  readonly reply?: Reply
}

export interface FoundConversations {
  readonly conversations: readonly FoundConversation[]
  /** Places where a conversation would be but the list has no messages. */
  readonly emptyLists: readonly Path[]
}

interface Candidate {
  readonly path: Path
  readonly list: readonly unknown[]
  readonly reply: Reply | undefined
}

const maximumDepth = 64
const copiesComparedWith = 32
const requestLists: ReadonlySet<string> = new Set(Object.values(requestListKey))

export function findConversations(root: unknown): FoundConversations {
  const emptyLists: Path[] = []
  const candidates: Candidate[] = []
  const traced: FoundConversation[] = []
  const values: unknown[] = [root]
  const paths: Path[] = [[]]
  while (values.length > 0) {
    const value = values.pop()
    const path = paths.pop() ?? []
    if (isTraced(value)) {
      traced.push(tracedConversation(value, path))
      continue
    }
    if (isList(value)) {
      const key = path.at(-1)
      const named = path.length === 0 || (typeof key === "string" && listKeys.has(key))
      const reply = named && path.length > 0 ? replyOf(root, path) : undefined
      if (value.length > 0 ? isMessageList(value, named) : reply !== undefined || isEmptyRequest(root, path)) {
        candidates.push({ path, list: value, reply: reply ?? replyOf(root, path) })
        continue
      }
      if (value.length === 0 && named && path.length > 0) emptyLists.push(path)
    }
    if (path.length >= maximumDepth || typeof value !== "object" || value === null) continue
    pushChildren(value, path, values, paths)
  }
  if (candidates.length === 0 && traced.length === 0) return { conversations: lonely(root), emptyLists }
  return { conversations: [...traced, ...withoutCopies(root, candidates)], emptyLists }
}

/** The messages of a span are in two lists, which may be JSON text: only its decoder knows what is in them. */
function tracedConversation(value: JsonObject, path: Path): FoundConversation {
  const list = requestListKey["otel-messages"]
  return built(value, "request", [...path, list], [], undefined, detectFormat(value))
}

/** Children go on the stack backwards, so that lists come out in the order of the file. */
function pushChildren(value: object, path: Path, values: unknown[], paths: Path[]): void {
  if (isList(value)) {
    for (let index = value.length - 1; index >= 0; index -= 1) {
      const child = value[index]
      if (typeof child !== "object" || child === null) continue
      values.push(child)
      paths.push([...path, index])
    }
    return
  }
  const keys = Object.keys(value)
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] ?? ""
    const child = (value as JsonObject)[key]
    if (typeof child !== "object" || child === null) continue
    if (closedKeys.has(key) || (key === "output" && isList(child)) || key === "choices") continue
    values.push(child)
    paths.push([...path, key])
  }
}

function isEmptyRequest(root: unknown, path: Path): boolean {
  const [key] = path
  return path.length === 1 && isObject(root) && typeof key === "string" && requestLists.has(key)
}

/** A file that is one message, one request with a plain string as input, or one reply without its request. */
function lonely(root: unknown): readonly FoundConversation[] {
  if (!isObject(root)) return []
  const likeness = likenessOf(root)
  if (likeness === "message" && root["type"] !== "message") {
    return [built([root], "message", [], [], undefined, detectFormat([root]))]
  }
  const asked = textRequest(root)
  if (asked !== undefined) return [asked]
  const reply = standaloneReply(root)
  if (reply !== undefined) {
    return [built(reply.messages, "reply", reply.path, [], root["tools"], detectFormat(reply.messages))]
  }
  if (likeness !== "message" && likeness !== "item") return []
  return [built([root], "message", [], [], undefined, detectFormat([root]))]
}

/** A request whose input is one text: the value itself, or in a log under the name that requests have there. */
function textRequest(root: JsonObject): FoundConversation | undefined {
  const format = "openai-responses"
  const detected = { format, certainty: "likely", why: "the request has its input as one text" } as const
  for (const { request: place, reply: answer } of [{ request: [], reply: ["response"] }, ...replyPlaces.filter(isWrapper)]) {
    const request = at(root, place)
    const input = isObject(request) ? request["input"] : undefined
    if (!isObject(request) || typeof input !== "string") continue
    const { model, instructions, tools } = request
    const isAlone = Object.keys(request).length === 1
    if (typeof model !== "string" && typeof instructions !== "string" && !isAlone && place.length === 0) continue
    const found = standaloneReply(at(root, answer))
    const path = [...place, "input"]
    if (found === undefined) return built(request, "request", path, [], tools, detected)
    const reply = { ...found, path: [...answer, ...found.path] }
    const list = [{ role: "user", content: input }, ...reply.messages]
    return built(requestOf(request, "input", list), "request", path, [], tools, detected, reply)
  }
  return undefined
}

const isWrapper = ({ request }: (typeof replyPlaces)[number]): boolean => request.length > 0

function built(
  value: unknown,
  container: FoundConversation["container"],
  path: Path,
  copies: readonly Path[],
  tools: unknown,
  detected: DetectedFormat | undefined,
  reply?: Reply,
): FoundConversation {
  return {
    detected: detected ?? { format: "openai-chat", certainty: "guess", why: "nothing else fits better" },
    value,
    container,
    path,
    copies,
    ...(tools === undefined ? {} : { tools }),
    ...(reply === undefined ? {} : { reply }),
  }
}

/** One record (the nearest element of a list) may say one conversation twice; two records are two conversations. */
function withoutCopies(root: unknown, candidates: readonly Candidate[]): readonly FoundConversation[] {
  const byRecord = new Map<string, { first: Candidate; copies: Path[] }[]>()
  const kept: { first: Candidate; copies: Path[] }[] = []
  for (const candidate of candidates) {
    const record = `${recordOf(candidate.path)}#${candidate.list.length}`
    const group = byRecord.get(record) ?? []
    const same = group.slice(-copiesComparedWith).find(({ first }) => isSameConversation(first, candidate))
    if (same === undefined) {
      const entry = { first: candidate, copies: [] }
      group.push(entry)
      kept.push(entry)
    } else if (same.first.reply === undefined && candidate.reply !== undefined) {
      same.copies.push(same.first.path)
      same.first = candidate
    } else same.copies.push(candidate.path)
    byRecord.set(record, group)
  }
  return kept.map(({ first, copies }) => conversationOf(root, first, copies))
}

function recordOf(path: Path): string {
  const end = path.findLastIndex((key) => typeof key === "number")
  return JSON.stringify(path.slice(0, end + 1))
}

function isSameConversation(one: Candidate, other: Candidate): boolean {
  if (one.list.length !== other.list.length || !isDeepEqual(one.list, other.list)) return false
  if (one.reply === undefined || other.reply === undefined) return true
  return isDeepEqual(one.reply.messages, other.reply.messages)
}

function conversationOf(root: unknown, candidate: Candidate, copies: readonly Path[]): FoundConversation {
  const { path, list, reply } = candidate
  const holder = path.length > 0 ? at(root, path.slice(0, -1)) : undefined
  const key = path.at(-1)
  const whole = reply === undefined ? list : [...list, ...reply.messages]
  if (!isObject(holder) || typeof key !== "string") {
    return built(whole, "list", path, copies, undefined, detectFormat(whole), reply)
  }
  // Only under these keys can the holder be a request; an object of ten thousand other lists is not filtered for each.
  const request = requestLists.has(key) ? requestOf(holder, key, whole) : holder
  const tools = holder["tools"] ?? at(holder, ["kwargs", "tools"])
  const detected = detectFormat(request, whole)
  if (detected !== undefined && requestListKey[detected.format] === key) {
    return built(request, "request", path, copies, tools, detected, reply)
  }
  return built(whole, "list", path, copies, tools, detected, reply)
}

/** The request as its decoder should see it: with the reply at the end, and without what a log wrote beside it. */
function requestOf(holder: JsonObject, key: string, list: readonly unknown[]): JsonObject {
  const isLog = Object.keys(holder).some((name) => logKeys.has(name))
  if (!isLog && holder[key] === list) return holder
  const entries = Object.entries(holder).filter(([name]) => !isLog || requestKeys.has(name))
  return Object.fromEntries(entries.map(([name, value]) => [name, name === key ? list : value]))
}
