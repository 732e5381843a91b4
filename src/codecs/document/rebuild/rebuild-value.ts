/**
 * The text of any JSON value after a change: members and elements that stayed keep their text, a changed one is looked
 * into, and only what is new is written, in the style of its neighbours.
 */

import { isDeepEqual, isList, isObject, type JsonObject } from "../json/json-value.ts"
import { spacingOf, written, type JsonStyle } from "../json/json-style.ts"
import { elementSpans, memberSpans, type MemberSpan, type Span } from "../json/scan-json.ts"
import { listText } from "./rebuild-list.ts"

export interface Cut extends Span {
  readonly text: string
}

export function structuralCuts(
  text: string, span: Span, before: unknown, after: unknown, style: JsonStyle,
): readonly Cut[] {
  if (before === after) return []
  if (isList(before) && isList(after)) return listCuts(text, span, before, after, style)
  if (isObject(before) && isObject(after)) return objectCuts(text, span, before, after, style)
  return isDeepEqual(before, after) ? [] : [{ ...span, text: written(after, style, "") }]
}

function listCuts(
  text: string, span: Span, before: readonly unknown[], after: readonly unknown[], style: JsonStyle,
): readonly Cut[] {
  if (before.length !== after.length) return [{ ...span, text: listText(text, span, before, after, style) }]
  if (after.every((value, index) => value === before[index])) return []
  const elements = elementSpans(text, span.start)
  return after.flatMap((value, index) => {
    const element = elements[index]
    return element === undefined || value === before[index]
      ? []
      : structuralCuts(text, element, before[index], value, style)
  })
}

function objectCuts(
  text: string, span: Span, before: JsonObject, after: JsonObject, style: JsonStyle,
): readonly Cut[] {
  const members = memberSpans(text, span.start)
  const spacing = spacingOf(text, span, members.map(({ keyStart, end }) => ({ start: keyStart, end })), style)
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const isKept = members.some(({ key }) => Object.hasOwn(after, key) && after[key] !== undefined)
  // Without a member that stays there is no neighbour to take a comma from.
  if (!isKept) return [{ ...span, text: written(after, style, "") }]
  const cuts: Cut[] = []
  const known = new Set<string>()
  members.forEach((member, index) => {
    known.add(member.key)
    const value = Object.hasOwn(after, member.key) ? after[member.key] : undefined
    if (value === undefined) cuts.push(memberCut(members, index, span))
    else cuts.push(...structuralCuts(text, member, before[member.key], value, inner))
  })
  const colon = style.margin !== "" || style.spaced ? ": " : ":"
  const end = members.at(-1)?.end ?? span.start + 1
  for (const [name, value] of Object.entries(after)) {
    if (known.has(name) || value === undefined) continue
    const added = `${JSON.stringify(name)}${colon}${written(value, inner, spacing.margin)}`
    cuts.push({ start: end, end, text: `${spacing.between}${added}` })
  }
  return cuts
}

/** A member with the comma that sets it apart; a request always keeps at least its list, so one neighbour stays. */
export function memberCut(members: readonly MemberSpan[], index: number, object: Span): Cut {
  const next = members[index + 1]
  const start = members[index]?.keyStart ?? object.start
  if (next !== undefined) return { start, end: next.keyStart, text: "" }
  return { start: members[index - 1]?.end ?? start, end: members[index]?.end ?? start, text: "" }
}
