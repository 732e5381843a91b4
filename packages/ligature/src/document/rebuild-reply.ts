/**
 * The reply of a logged request, after a change. It is read as the end of the conversation and written back to where it
 * is in the log: beside the request, or on the line after it.
 */

import type { DocumentPart } from "./document.ts"
import { listKeyOf } from "./formats.ts"
import { at, isDeepEqual, isList, isObject, member, type JsonObject, type Path } from "../json/json-value.ts"
import { styleOf } from "../json/json-style.ts"
import { locate } from "../json/scan-json.ts"
import type { Unit } from "../json/split-values.ts"
import { originsOf } from "./rebuild-list.ts"
import { structuralCuts, type Cut } from "./rebuild-value.ts"

const repliers: ReadonlySet<unknown> = new Set(["assistant", "model", "agent"])

/**
 * Where the reply begins in the new list: after what is left of the request. Changed messages between the two belong
 * to the request as long as it lacks as many.
 */
function beginning(list: readonly unknown[], before: readonly unknown[], ownLength: number): number {
  const { stays } = originsOf(list, before)
  const lastOwn = stays.findLastIndex((origin) => origin !== -1 && origin < ownLength)
  const missing = ownLength - 1 - (lastOwn === -1 ? -1 : (stays[lastOwn] ?? 0))
  const firstReply = stays.findIndex((origin) => origin >= ownLength)
  const end = firstReply === -1 ? list.length : firstReply
  return Math.min(lastOwn + 1 + missing, end)
}

/**
 * The messages at the end of the new list that are the reply; undefined where they cannot be where it stood: one
 * message of a model has no room for, say, its results.
 */
export function replyIn(part: DocumentPart, list: readonly unknown[]): readonly unknown[] | undefined {
  const { appended } = part
  if (appended === undefined) return undefined
  const given = part.container === "request" ? member(part.value, listKeyOf(part.format)) : part.value
  const before = isList(given) ? given : []
  const reply = list.slice(beginning(list, before, before.length - appended.count))
  if (appended.list === true) return reply
  const [only] = reply
  return reply.length === 1 && isObject(only) && repliers.has(only["role"]) ? reply : undefined
}

function pathOf(root: unknown, pointer: string): Path {
  let value = root
  return pointer
    .split("/")
    .slice(1)
    .map((key) => {
      const name = key.replaceAll("~1", "/").replaceAll("~0", "~")
      const step = isList(value) ? Number(name) : name
      value = at(value, [step])
      return step
    })
}

/** An Anthropic response is its own message, with fields that no request has: they stay. */
function withFields(before: JsonObject, message: unknown): unknown {
  if (before["type"] !== "message" || !isObject(message)) return message
  return { ...before, content: message["content"] }
}

export function replyCuts(text: string, part: DocumentPart, unit: Unit, reply: readonly unknown[]): readonly Cut[] {
  const path = pathOf(unit.value, part.appended?.path ?? "")
  const before = at(unit.value, path)
  const after = isObject(before) ? withFields(before, reply[0]) : reply
  const span = locate(text, unit.start, path)
  if (span === undefined || isDeepEqual(before, after)) return []
  return structuralCuts(text, span, before, after, styleOf(text, unit.start, unit.end))
}
