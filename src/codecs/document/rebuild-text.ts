/**
 * Writes a file back with some conversations replaced. The file's own text is the source: a message that is equal to
 * one that stood there is copied from it, digits, escapes and white space included; only what changed is written anew.
 * The result is a list of cuts into the text, applied in one pass.
 */

import type { DocumentPart } from "./document.ts"
import type { LocatedPart } from "./document-parts.ts"
import { requestListKey } from "./formats.ts"
import { at, isDeepEqual, isList, isObject, member, type JsonObject, type Path } from "./json-value.ts"
import { spacingOf, styleOf, written, type JsonStyle } from "./json-style.ts"
import { elementSpans, locate, memberSpans, type MemberSpan, type Span } from "./scan-json.ts"
import type { Split, Unit } from "./split-values.ts"

export interface RebuildSource {
  readonly original: string
  readonly text: string
  readonly split: Split
  readonly located: readonly LocatedPart[]
}

interface Cut extends Span {
  readonly text: string
}

export function rebuildText(source: RebuildSource, replacements: ReadonlyMap<DocumentPart, unknown>): string {
  const cuts: Cut[] = []
  const whole = new Map<Unit, unknown>()
  for (const { part, location } of source.located) {
    const replacement = replacements.get(part)
    if (replacement === undefined) continue
    if (location.kind === "lines") cuts.push(...lineCuts(source, location.units, listFrom(part, replacement)))
    else if (location.unit.open !== undefined) {
      const before = whole.get(location.unit) ?? location.unit.value
      whole.set(location.unit, withReplaced(before, part, location.path, replacement))
    } else cuts.push(...valueCuts(source, part, location, replacement))
  }
  for (const [unit, value] of whole) {
    cuts.push({ start: unit.start, end: unit.end, text: written(value, styleOf(source.text, unit.start, unit.end), "") })
  }
  if (cuts.length === 0) return source.original
  return applied(source.original, cuts)
}

function applied(text: string, cuts: readonly Cut[]): string {
  const pieces: string[] = []
  let from = 0
  for (const cut of cuts.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    pieces.push(text.slice(from, cut.start), cut.text)
    from = Math.max(from, cut.end)
  }
  pieces.push(text.slice(from))
  return pieces.join("")
}

/** The list of a replacement, which may come as a request or bare, without the reply when that is unchanged. */
function listFrom(part: DocumentPart, replacement: unknown): readonly unknown[] {
  const given = isObject(replacement) ? replacement[requestListKey[part.format]] : replacement
  const list = isList(given) ? given : []
  const count = part.appended?.count ?? 0
  if (count === 0) return list
  const before = part.container === "request" ? at(part.value, [requestListKey[part.format]]) : part.value
  const reply = isList(before) ? before.slice(-count) : []
  // A changed reply goes into the request's own list: there is no place for, say, its results where a reply stands.
  return isDeepEqual(list.slice(-count), reply) ? list.slice(0, -count) : list
}

function withReplaced(root: unknown, part: DocumentPart, path: Path, replacement: unknown): unknown {
  const key = path.at(-1)
  const holder = at(root, path.slice(0, -1))
  const list = listFrom(part, replacement)
  if (key === undefined || part.container !== "request" || !isObject(holder) || !isObject(replacement)) return placed(root, path, list)
  const kept = Object.entries(holder).filter(([name]) => !Object.hasOwn(part.value as JsonObject, name) || Object.hasOwn(replacement, name))
  const fresh = Object.fromEntries([...kept, ...Object.entries(replacement), [key, list]])
  return placed(root, path.slice(0, -1), fresh)
}

function placed(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  const child = placed(member(value, key), rest, replacement)
  if (isList(value)) return value.map((element, index) => (index === key ? child : element))
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, old]) => [name, name === key ? child : old]))
}

function valueCuts(
  source: RebuildSource, part: DocumentPart, location: { readonly unit: Unit; readonly path: Path; readonly copies: readonly Path[] },
  replacement: unknown,
): readonly Cut[] {
  const { text } = source
  const { unit, path, copies } = location
  const style = styleOf(text, unit.start, unit.end)
  const list = listFrom(part, replacement)
  if (part.container === "message") {
    return [{ start: unit.start, end: unit.end, text: list.map((message) => written(message, style, "")).join("\n") }]
  }
  if (isSame(part, replacement, list, at(unit.value, path))) return []
  const cuts: Cut[] = []
  for (const copy of copies) cuts.push(...listCut(source, unit, copy, list, style))
  const { value } = part
  if (part.container !== "request" || !isObject(replacement) || !isObject(value)) {
    return [...cuts, ...listCut(source, unit, path, list, style)]
  }
  const span = locate(text, unit.start, path.slice(0, -1))
  if (span === undefined) return cuts
  const key = path.at(-1)
  const { members } = memberSpans(text, span.start)
  const spacing = spacingOf(text, span, members.map(({ keyStart, end }) => ({ start: keyStart, end })), style)
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const seen = new Set(members.map((old) => old.key))
  members.forEach((old, index) => {
    if (!Object.hasOwn(value, old.key)) return
    const fresh = replacement[old.key]
    if (!Object.hasOwn(replacement, old.key)) cuts.push(memberCut(members, index, span))
    else if (old.key === key && isList(fresh)) {
      if (!isUnchanged(list, at(unit.value, path))) cuts.push({ ...bounds(old), text: listText(text, old, at(unit.value, path), list, style) })
    }
    else if (!isDeepEqual(fresh, value[old.key])) cuts.push({ ...bounds(old), text: written(fresh, inner, spacing.margin) })
  })
  const added = Object.entries(replacement).filter(([name, fresh]) => !seen.has(name) && fresh !== undefined)
  const colon = style.margin !== "" || style.spaced ? ": " : ":"
  const end = members.at(-1)?.end ?? span.start + 1
  for (const [name, fresh] of added) {
    cuts.push({ start: end, end, text: `${spacing.between}${JSON.stringify(name)}${colon}${written(fresh, inner, spacing.margin)}` })
  }
  return cuts
}

/** Nothing to write: found out from the values, before the text is looked at. */
function isSame(part: DocumentPart, replacement: unknown, list: readonly unknown[], before: unknown): boolean {
  if (!isUnchanged(list, before)) return false
  if (part.container !== "request" || !isObject(replacement)) return true
  const key = requestListKey[part.format]
  const others = (value: unknown): JsonObject => ({ ...(value as JsonObject), [key]: undefined })
  return replacement === part.value || isDeepEqual(others(replacement), others(part.value))
}

function isUnchanged(list: readonly unknown[], before: unknown): boolean {
  return isList(before) && before.length === list.length && list.every((message, index) => isDeepEqual(message, before[index]))
}

const bounds = ({ start, end }: Span): Span => ({ start, end })

/** A member with the comma that sets it apart; a request always keeps at least its list, so one neighbour stays. */
function memberCut(members: readonly MemberSpan[], index: number, object: Span): Cut {
  const next = members[index + 1]
  const previous = members[index - 1]
  const start = members[index]?.keyStart ?? object.start
  if (next !== undefined) return { start, end: next.keyStart, text: "" }
  return { start: previous?.end ?? start, end: members[index]?.end ?? start, text: "" }
}

function listCut(source: RebuildSource, unit: Unit, path: Path, list: readonly unknown[], style: JsonStyle): readonly Cut[] {
  const span = locate(source.text, unit.start, path)
  const before = at(unit.value, path)
  if (span === undefined) return []
  if (isUnchanged(list, before)) return []
  if (isObject(before)) return list.length === 1 ? [{ ...span, text: written(list[0], style, "") }] : []
  return [{ ...span, text: listText(source.text, span, before, list, style) }]
}

function listText(text: string, span: Span, before: unknown, list: readonly unknown[], style: JsonStyle): string {
  if (list.length === 0) return "[]"
  if (!isList(before)) return written(list, style, "")
  const { elements } = elementSpans(text, span.start)
  const spacing = spacingOf(text, span, elements, style)
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const origins = originsOf(list, before)
  const pieces = list.map((message, index) => {
    const element = elements[origins[index] ?? -1]
    return element === undefined ? written(message, inner, spacing.margin) : text.slice(element.start, element.end)
  })
  return `[${spacing.open}${pieces.join(spacing.between)}${spacing.close}]`
}

/** For each message of the new list, the index of the equal one in the old list, or -1. Indexes only grow. */
function originsOf(list: readonly unknown[], before: readonly unknown[]): readonly number[] {
  const places = new Map<unknown, number>()
  before.forEach((message, index) => {
    if (typeof message === "object" && message !== null) places.set(message, index)
  })
  let next = 0
  return list.map((message) => {
    const same = places.get(message)
    const index = same !== undefined && same >= next ? same : [next, next + 1].find((at) => at < before.length && isDeepEqual(before[at], message))
    if (index === undefined) return -1
    next = index + 1
    return index
  })
}

/**
 * One message per line. Lines that are no messages keep their place between the messages around them; a damaged line
 * between two messages is left out, because the rebuilt file is to be whole.
 */
function lineCuts(source: RebuildSource, units: readonly Unit[], list: readonly unknown[]): readonly Cut[] {
  const { text, split } = source
  const first = units[0]
  if (first === undefined) return []
  const style = { ...styleOf(text, first.start, first.end), margin: "" }
  const origins = originsOf(list, units.map((unit) => unit.value))
  const kept = new Set(origins)
  const cuts: Cut[] = []
  let waiting: string[] = []
  let previous: Unit | undefined
  const flush = (): void => {
    if (waiting.length === 0) return
    if (previous === undefined) cuts.push({ start: first.start, end: first.start, text: waiting.map((line) => `${line}\n`).join("") })
    else cuts.push({ start: previous.end, end: previous.end, text: waiting.map((line) => `\n${line}`).join("") })
    waiting = []
  }
  list.forEach((message, index) => {
    const unit = units[origins[index] ?? -1]
    if (unit === undefined) waiting.push(written(message, style, ""))
    else {
      flush()
      previous = unit
    }
  })
  flush()
  units.forEach((unit, index) => {
    if (!kept.has(index)) cuts.push(lineCut(text, unit))
  })
  for (const torn of split.torn) cuts.push(lineCut(text, torn))
  return cuts
}

/** The span with its line break, so that no empty line stays behind. */
function lineCut(text: string, span: Span): Cut {
  const lineBreak = text.indexOf("\n", span.end)
  const isRestOfLine = lineBreak !== -1 && text.slice(span.end, lineBreak).trim() === ""
  return { start: span.start, end: isRestOfLine ? lineBreak + 1 : span.end, text: "" }
}
