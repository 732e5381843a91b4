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

export function structuralCuts(text: string, span: Span, before: unknown, after: unknown, style: JsonStyle): readonly Cut[] {
  if (before === after) return []
  if (isList(before) && isList(after)) return listCuts(text, span, before, after, style)
  if (isObject(before) && isObject(after)) return objectCuts(text, span, before, after, style)
  return isDeepEqual(before, after) ? [] : [{ ...span, text: written(after, style, "") }]
}

function listCuts(text: string, span: Span, before: readonly unknown[], after: readonly unknown[], style: JsonStyle): readonly Cut[] {
  if (before.length !== after.length) return [{ ...span, text: listText(text, span, before, after, style) }]
  if (after.every((value, index) => value === before[index])) return []
  const elements = elementSpans(text, span.start)
  return after.flatMap((value, index) => {
    const element = elements[index]
    return element === undefined || value === before[index] ? [] : structuralCuts(text, element, before[index], value, style)
  })
}

function objectCuts(text: string, span: Span, before: JsonObject, after: JsonObject, style: JsonStyle): readonly Cut[] {
  const members = memberSpans(text, span.start)
  const spacing = spacingOf(
    text,
    span,
    members.map(({ keyStart, end }) => ({ start: keyStart, end })),
    style,
  )
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const says = (key: string): boolean => Object.hasOwn(after, key) && after[key] !== undefined
  const kept = members.filter(({ key }) => says(key))
  const known = new Set(members.map(({ key }) => key))
  const colon = style.margin !== "" || style.spaced ? ": " : ":"
  const added = Object.entries(after).flatMap(([name, value]) => {
    if (known.has(name) || value === undefined) return []
    return [`${JSON.stringify(name)}${colon}${written(value, inner, spacing.margin)}`]
  })
  const changes = kept.map((member) => structuralCuts(text, member, before[member.key], after[member.key], inner))
  if (kept.length === members.length && kept.length > 0) {
    const end = members.at(-1)?.end ?? span.start + 1
    return [...changes.flat(), ...added.map((member) => ({ start: end, end, text: `${spacing.between}${member}` }))]
  }
  // Members are gone: what is left is set anew, each with its text, between commas of its own.
  const pieces = kept.map((member, index) => applied(text, changes[index] ?? [], { start: member.keyStart, end: member.end }))
  const all = [...pieces, ...added]
  const body = all.length === 0 ? "{}" : `{${spacing.open}${all.join(spacing.between)}${spacing.close}}`
  return [{ ...span, text: body }]
}

/** A stretch of the text with all cuts made. */
export function applied(text: string, cuts: readonly Cut[], span: Span = { start: 0, end: text.length }): string {
  const pieces: string[] = []
  let from = span.start
  for (const cut of cuts.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    pieces.push(text.slice(from, cut.start), cut.text)
    from = Math.max(from, cut.end)
  }
  pieces.push(text.slice(from, span.end))
  return pieces.join("")
}

/** A member with the comma that sets it apart; a request always keeps at least its list, so one neighbour stays. */
export function memberCut(members: readonly MemberSpan[], index: number, object: Span): Cut {
  const next = members[index + 1]
  const start = members[index]?.keyStart ?? object.start
  if (next !== undefined) return { start, end: next.keyStart, text: "" }
  return { start: members[index - 1]?.end ?? start, end: members[index]?.end ?? start, text: "" }
}
