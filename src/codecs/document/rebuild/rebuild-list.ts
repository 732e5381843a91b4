/**
 * The text of a message list after a change: a message that is equal to one that stood there is copied from the file,
 * digits, escapes and white space included; only what changed is written anew, in the style of its neighbours.
 */

import { isDeepEqual, isList } from "../json/json-value.ts"
import { spacingOf, written, type JsonStyle } from "../json/json-style.ts"
import { elementSpans, type Span } from "../json/scan-json.ts"

/** How far ahead an equal message is looked for: as many as a repair may take out in a row. */
const messagesComparedWith = 8

export function isUnchanged(list: readonly unknown[], before: unknown): boolean {
  if (!isList(before) || before.length !== list.length) return false
  return list.every((message, index) => isDeepEqual(message, before[index]))
}

/** For each message of the new list, the index of the equal one in the old list, or -1. Indexes only grow. */
export function originsOf(list: readonly unknown[], before: readonly unknown[]): readonly number[] {
  const places = new Map<unknown, number>()
  before.forEach((message, index) => {
    if (typeof message === "object" && message !== null) places.set(message, index)
  })
  let next = 0
  return list.map((message) => {
    const same = places.get(message)
    const ahead = same !== undefined && same >= next
      ? same - next
      : before.slice(next, next + messagesComparedWith).findIndex((old) => isDeepEqual(old, message))
    if (ahead === -1) return -1
    next += ahead + 1
    return next - 1
  })
}

export function listText(
  text: string, span: Span, before: unknown, list: readonly unknown[], style: JsonStyle,
): string {
  if (list.length === 0) return "[]"
  if (!isList(before)) return written(list, style, "")
  const elements = elementSpans(text, span.start)
  const spacing = spacingOf(text, span, elements, style)
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const origins = originsOf(list, before)
  const pieces = list.map((message, index) => {
    const element = elements[origins[index] ?? -1]
    return element === undefined ? written(message, inner, spacing.margin) : text.slice(element.start, element.end)
  })
  return `[${spacing.open}${pieces.join(spacing.between)}${spacing.close}]`
}
