/**
 * Writes a file back with some conversations replaced. The file's own text is the source, and a change is a list of
 * cuts into it, applied in one pass: what no cut touches stays as it was, byte for byte.
 */
import { pushAll } from "../model/index.ts"
import type { DocumentPart } from "./document.ts"
import type { LocatedPart, Location } from "./document-parts.ts"
import { listKeyOf } from "./formats.ts"
import { fileValueOf } from "../formats/engine/session.ts"
import { findSession } from "../registry/registry.ts"
import { applied, memberCut, structuralCuts, type Cut } from "./rebuild-value.ts"
import { at, isDeepEqual, isList, isObject, member, type JsonObject, type Path } from "../json/json-value.ts"
import { spacingOf, styleOf, written, type JsonStyle } from "../json/json-style.ts"
import { writerFor } from "./kept-text.ts"
import { isUnchanged, listText, goneFrom, originsOf } from "./rebuild-list.ts"
import { replyCuts, replyIn } from "./rebuild-reply.ts"
import { locate, memberSpans, type Span } from "../json/scan-json.ts"
import type { Split, Unit, TornLine } from "../json/split-values.ts"

// A conversation of one message per line, after a change. A changed message takes the line of the one it replaces, and
// lines that are no messages keep their place between the messages around them. Damaged lines are left out, because a
// conversation that is rewritten is to be whole.

function lineCuts(text: string, units: readonly Unit[], torn: readonly TornLine[], list: readonly unknown[]): readonly Cut[] {
  const first = units[0]
  if (first === undefined) return []
  const style = { ...styleOf(text, first.start, first.end), margin: "" }
  const before = units.map((unit) => unit.value)
  const { stays, moved } = originsOf(list, before)
  const write = writerFor(text, goneFrom(before, units, stays))
  const cuts: Cut[] = []
  let fresh: string[] = []
  let next = 0
  // Between two messages that stayed, the new ones meet the old lines that are gone: first come, first served.
  const fillUpTo = (end: number): void => {
    const gone = units.slice(next, end)
    gone.forEach((unit, index) => {
      const line = fresh[index]
      cuts.push(line === undefined ? removed(text, unit) : { start: unit.start, end: unit.end, text: line })
    })
    const rest = fresh.slice(gone.length)
    const above = units[Math.min(next + Math.min(gone.length, fresh.length), units.length) - 1]
    const place = above?.end ?? first.start
    const lines = rest.map((line) => (above === undefined ? `${line}\n` : `\n${line}`))
    if (rest.length > 0) cuts.push({ start: place, end: place, text: lines.join("") })
    fresh = []
    next = end + 1
  }
  list.forEach((message, index) => {
    const origin = stays[index] ?? -1
    const old = units[moved[index] ?? -1]
    if (origin !== -1) fillUpTo(origin)
    else fresh.push(old === undefined || old.open !== undefined ? write(message, style, "") : text.slice(old.start, old.end))
  })
  fillUpTo(units.length)
  return [...cuts, ...torn.map((line) => removed(text, line))]
}

/** The span with its line break, so that no empty line stays behind. */
function removed(text: string, span: Span): Cut {
  const lineBreak = text.indexOf("\n", span.end)
  const endsLine = lineBreak !== -1 && text.slice(span.end, lineBreak).trim() === ""
  return { start: span.start, end: endsLine ? lineBreak + 1 : span.end, text: "" }
}

export interface RebuildSource {
  readonly original: string
  readonly text: string
  readonly split: Split
  readonly located: readonly LocatedPart[]
}

export function rebuildText(source: RebuildSource, replacements: ReadonlyMap<DocumentPart, unknown>): string {
  const { text, split } = source
  const cuts: Cut[] = []
  const repaired = new Map<Unit, unknown>()
  for (const { part, location } of source.located) {
    const replacement = replacements.get(part)
    if (replacement === undefined) continue
    if (location.kind === "lines") pushAll(cuts, lineCuts(text, location.units, split.torn, listFrom(part, replacement)))
    else if (location.unit.open === undefined) {
      pushAll(cuts, valueCuts(text, part, location, replacement))
      const reply = replyIn(part, wholeList(part, replacement))
      const unit = replyUnit(part, location.unit, split)
      if (reply !== undefined && unit !== undefined) pushAll(cuts, replyCuts(text, part, unit, reply))
    } else {
      const before = repaired.get(location.unit) ?? location.unit.value
      repaired.set(location.unit, withReplaced(before, part, location.path, replacement))
    }
  }
  for (const [unit, value] of repaired) {
    const style = styleOf(text, unit.start, unit.end)
    cuts.push({ start: unit.start, end: unit.end, text: written(value, style, "") })
  }
  return cuts.length === 0 ? source.original : applied(source.original, cuts)
}

/** The reply is in the record of its request, or in one on a line of its own. */
function replyUnit({ appended }: DocumentPart, unit: Unit, split: Split): Unit | undefined {
  if (appended?.line === undefined || appended.line === unit.line) return unit
  return split.units.find(({ line, open }) => line === appended.line && open === undefined)
}

/** The list of a replacement, which may come as a request or bare. */
function wholeList(part: DocumentPart, replacement: unknown): readonly unknown[] {
  const session = findSession(part.format)
  const whole = part.container === "session" && session ? fileValueOf(session, replacement) : undefined
  if (isList(whole)) return whole
  const given = isObject(replacement) ? replacement[listKeyOf(part.format)] : replacement
  if (typeof given === "string") return [{ role: "user", content: given }]
  return isList(given) ? given : []
}

/** The lists of a span may be JSON text, which is no place to cut into. */
const isReplacedWhole = ({ container, format }: DocumentPart): boolean => container === "request" && format === "otel-messages"

/** The list of the request alone. What cannot be as a reply, say its results, goes into the request's own list. */
function listFrom(part: DocumentPart, replacement: unknown): readonly unknown[] {
  const list = wholeList(part, replacement)
  return list.slice(0, list.length - (replyIn(part, list)?.length ?? 0))
}

/** For text that broke off, which has no whole value to cut into: the value, changed, to be written from scratch. */
function withReplaced(root: unknown, part: DocumentPart, path: Path, replacement: unknown): unknown {
  const key = path.at(-1)
  const session = findSession(part.format)
  if (part.container === "session" && session !== undefined) return placed(root, path, fileValueOf(session, replacement))
  if (isReplacedWhole(part) && isObject(replacement)) return placed(root, path.slice(0, -1), replacement)
  const holder = at(root, path.slice(0, -1))
  const list = listFrom(part, replacement)
  if (part.container !== "request" || key === undefined || !isObject(holder) || !isObject(replacement)) {
    return placed(root, path, list)
  }
  const isGone = (name: string): boolean => member(part.value, name) !== undefined && !Object.hasOwn(replacement, name)
  const kept = Object.entries(holder).filter(([name]) => !isGone(name))
  return placed(root, path.slice(0, -1), Object.fromEntries([...kept, ...Object.entries(replacement), [key, list]]))
}

function placed(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  const child = placed(member(value, key), rest, replacement)
  if (isList(value)) return value.map((element, index) => (index === key ? child : element))
  const entries = Object.entries(value as JsonObject)
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? child : old]))
}

function valueCuts(
  text: string,
  part: DocumentPart,
  location: Location & { readonly kind: "value" },
  replacement: unknown,
): readonly Cut[] {
  const { unit, path, copies } = location
  const style = styleOf(text, unit.start, unit.end)
  const session = findSession(part.format)
  if (part.container === "session" && session !== undefined) {
    const span = locate(text, unit.start, path)
    return span === undefined ? [] : structuralCuts(text, span, part.value, fileValueOf(session, replacement), style)
  }
  if (isReplacedWhole(part) && isObject(replacement)) {
    const span = locate(text, unit.start, path.slice(0, -1))
    return span === undefined ? [] : structuralCuts(text, span, part.value, replacement, style)
  }
  const list = listFrom(part, replacement)
  if (part.container === "message") {
    const write = writerFor(text, [unit])
    return [{ start: unit.start, end: unit.end, text: list.map((message) => write(message, style, "")).join("\n") }]
  }
  const inCopies = copies.flatMap((copy) => listCuts(text, unit, copy, list, style))
  if (part.container !== "request" || !isObject(replacement) || !isObject(part.value)) {
    return [...inCopies, ...listCuts(text, unit, path, list, style)]
  }
  const isMemberChanged = Object.keys({ ...part.value, ...replacement }).some(
    (name) => name !== path.at(-1) && !isDeepEqual(member(part.value, name), member(replacement, name)),
  )
  if (!isMemberChanged) return [...inCopies, ...listCuts(text, unit, path, list, style)]
  const whole = { ...replacement, [path.at(-1) ?? ""]: list }
  return [...inCopies, ...requestCuts(text, { unit, path, style }, part.value, whole)]
}

function listCuts(text: string, unit: Unit, path: Path, list: readonly unknown[], style: JsonStyle): readonly Cut[] {
  const before = at(unit.value, path)
  if (isUnchanged(list, before) || (typeof before === "string" && isTextOf(list, before))) return []
  const span = locate(text, unit.start, path)
  if (span === undefined) return []
  const said = typeof before === "string" && list.length === 1 ? member(list[0], "content") : undefined
  if (typeof said === "string") return [{ ...span, text: JSON.stringify(said) }]
  if (isObject(before)) {
    return list.length === 1 ? [{ ...span, text: writerFor(text, [{ ...span, value: before }])(list[0], style, "") }] : []
  }
  return [{ ...span, text: listText(text, span, before, list, style) }]
}

/** The input of a request as one text is one message of the user, and stays a text while it says the same. */
function isTextOf(list: readonly unknown[], text: string): boolean {
  const [only] = list
  return list.length === 1 && member(only, "role") === "user" && member(only, "content") === text
}

/** Member by member: only members that the decoder was given are the replacement's to change or to leave out. */
function requestCuts(
  text: string,
  place: { readonly unit: Unit; readonly path: Path; readonly style: JsonStyle },
  given: JsonObject,
  replacement: JsonObject,
): readonly Cut[] {
  const { unit, path, style } = place
  const span = locate(text, unit.start, path.slice(0, -1))
  if (span === undefined) return []
  const members = memberSpans(text, span.start)
  const spacing = spacingOf(
    text,
    span,
    members.map(({ keyStart, end }) => ({ start: keyStart, end })),
    style,
  )
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const cuts: Cut[] = [...listCuts(text, unit, path, replacement[path.at(-1) ?? ""] as readonly unknown[], style)]
  members.forEach(({ key, start, end }, index) => {
    if (!Object.hasOwn(given, key) || key === path.at(-1)) return
    const value = member(replacement, key)
    if (value === undefined) cuts.push(memberCut(members, index, span))
    else if (!isDeepEqual(value, given[key])) {
      const write = writerFor(text, [{ start, end, value: given[key] }])
      cuts.push({ start, end, text: write(value, inner, spacing.margin) })
    }
  })
  const known = new Set(members.map(({ key }) => key))
  const colon = style.margin !== "" || style.spaced ? ": " : ":"
  const end = members.at(-1)?.end ?? span.start + 1
  for (const [name, value] of Object.entries(replacement)) {
    if (known.has(name) || value === undefined) continue
    const added = `${JSON.stringify(name)}${colon}${written(value, inner, spacing.margin)}`
    cuts.push({ start: end, end, text: `${spacing.between}${added}` })
  }
  return cuts
}
