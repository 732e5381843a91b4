/**
 * Finds the header lines in a user text and the body that belongs to each.
 *
 * One walk over the lines that may matter. A header whose hint has line breaks (a shell script, say) stays pending until the line
 * that completes it; another header start in between drops it.
 */
import { seek, seekLine, walkFences } from "./tags.ts"
import { parseJson } from "./values.ts"

// The line that announces a result in user text, read and written. Read: `[tool] Result:`, `[tool for 'hint'] Result:`, `[tool for 'hint'. Advice.]
// Result:`, `[tool for 4 files] Result:`, `[tool Result]`, `[tool Result (Error)]`. Written (and read): `[tool for 'hint' call id] Result (Error,
// fenced):`, where every part but the name is left out when there is nothing to say (`ok` is only before a body that looks like a failure), and a
// name, hint or id that would be ambiguous is a JSON string.

interface ResultHeader {
  readonly name: string
  readonly hint?: string
  readonly id?: string
  /** Absent when the header does not say; the body may tell. */
  readonly error?: boolean
  /** The body is one code fence, and the body proper is what is inside. */
  readonly fenced: boolean
  /** `Result:` announces a body on the next line, `Result]` one after an empty line. */
  readonly form: "colon" | "bracket"
  /** Length of the header within the line it ends on. */
  readonly length: number
}

const word = String.raw`[A-Za-z_][\w.:/-]{0,127}`
const jsonString = String.raw`"(?:[^"\\\n]|\\.){0,2000}"`
const flags = String.raw`(?: \(([A-Za-z, ]{1,40})\))?`
const bracketForm = new RegExp(String.raw`^\[(${word}|${jsonString}) Result${flags}\]`)
const nameStart = new RegExp(String.raw`^\[(${word}|${jsonString})(?=\]| for | call )`)
const colonEnd = new RegExp(String.raw`\] Result${flags}:`, "g")
const callPart = new RegExp(String.raw`(?:^| )call (${jsonString}|[\w.:-]+)$`)
const quotedHint = /^for '([^]*?)'(?:\. [^']*)?$/

const anyStart = new RegExp(String.raw`\[(?:${word}|${jsonString})(?=\]| for | call | Result)`, "y")

const unquote = (text: string): string => {
  const parsed = text.startsWith('"') ? parseJson(text) : undefined
  return typeof parsed === "string" ? parsed : text
}

const hasFlag = (written: string | undefined, flag: string): boolean =>
  written
    ?.toLowerCase()
    .split(",")
    .some((each) => each.trim() === flag) ?? false

const errorOf = (written: string | undefined): { readonly error?: boolean } => {
  if (hasFlag(written, "error")) return { error: true }
  return hasFlag(written, "ok") ? { error: false } : {}
}

/** False when what is at this place of a text is the start of no header, neither on one line nor over many. */
export const mayStartHeader = (text: string, position: number): boolean => {
  anyStart.lastIndex = position
  return anyStart.test(text)
}

/** True when a header may start here and go on over the following lines: a hint with line breaks. */
const opensHeader = (line: string): boolean => /^\[[A-Za-z_][\w.:/-]{0,127} for '/.test(line)

const readHint = (written: string): string => {
  const value = written.slice("for ".length)
  if (value.startsWith('"')) return unquote(value)
  return quotedHint.exec(written)?.[1] ?? value
}

/** Reads a header that starts the given lines; `undefined` when they do not start with one. */
const readHeader = (lines: string): ResultHeader | undefined => {
  const bracket = bracketForm.exec(lines)
  if (bracket !== null) {
    const name = unquote(bracket[1] ?? "")
    return { name, ...errorOf(bracket[2]), fenced: false, form: "bracket", length: bracket[0].length }
  }
  const start = nameStart.exec(lines)
  if (start === null) return undefined
  const name = unquote(start[1] ?? "")
  colonEnd.lastIndex = start[0].length
  const end = colonEnd.exec(lines)
  if (end === null) return undefined
  const between = lines.slice(start[0].length, end.index).trimStart()
  const call = callPart.exec(between)
  const forPart = call === null ? between : between.slice(0, call.index)
  if (forPart !== "" && !forPart.startsWith("for ")) return undefined
  return {
    name,
    ...(forPart === "" ? {} : { hint: readHint(forPart) }),
    ...(call === null ? {} : { id: unquote(call[1] ?? "") }),
    ...errorOf(end[1]),
    fenced: hasFlag(end[1], "fenced"),
    form: "colon",
    length: end.index + end[0].length,
  }
}

const plainWord = new RegExp(`^${word}$`)
const plainId = /^[\w.:-]+$/
const plainHint = /^[^'"\]\n\r]*$/

export const writeHeader = (header: Pick<ResultHeader, "name" | "hint" | "id" | "error" | "fenced">): string => {
  // Escaped brackets keep the first `] Result:` of the line the real one.
  const quote = (text: string): string => JSON.stringify(text).replaceAll("]", "\\u005d").replaceAll("[", "\\u005b")
  const name = plainWord.test(header.name) ? header.name : quote(header.name)
  const hint = header.hint === undefined ? "" : plainHint.test(header.hint) ? ` for '${header.hint}'` : ` for ${quote(header.hint)}`
  const id = header.id === undefined ? "" : ` call ${plainId.test(header.id) ? header.id : quote(header.id)}`
  const fate = header.error === undefined ? "" : header.error ? "Error" : "ok"
  const marks = [fate, header.fenced ? "fenced" : ""].filter((mark) => mark !== "")
  return `[${name}${hint}${id}] Result${marks.length === 0 ? "" : ` (${marks.join(", ")})`}:`
}

interface PlacedHeader extends ResultHeader {
  readonly start: number
  readonly end: number
}

interface Headers {
  readonly headers: readonly PlacedHeader[]
  /** Where the last body ends: before the agent's description of the surroundings, or at the end of the text. */
  readonly tail: number
}

const closedSurroundings = /<\/environment_details>\s*$/

/** How a header ends whose hint has line breaks. */
const headerEnding = "'] Result"

const surroundings = "<environment_details>"

/** Text that Cline-like agents append after the results: how the editor looks right now. */
export const isSurroundings = (text: string): boolean => text.startsWith(surroundings)

export const findHeaders = (text: string, accepts: (name: string) => boolean): Headers => {
  const headers: PlacedHeader[] = []
  if (!text.includes("Result")) return { headers, tail: text.length }
  const endsWithSurroundings = closedSurroundings.test(text.slice(-64))
  const fences = walkFences(text)
  let pending = -1
  const place = (start: number, lineEnd: number): boolean => {
    const header = readHeader(text.slice(start, lineEnd))
    if (header === undefined || !accepts(header.name)) return false
    headers.push({ start, end: start + header.length, ...header })
    fences.restartAt(lineEnd)
    pending = -1
    return true
  }
  const nextBracket = seekLine(text, "[")
  const nextSurroundings = seekLine(text, surroundings)
  const nextEnding = seek(text, headerEnding)
  for (let from = 0; from < text.length;) {
    let lineStart = nextBracket(from)
    if (endsWithSurroundings && headers.length > 0) lineStart = Math.min(lineStart, nextSurroundings(from))
    if (pending >= 0) {
      const ending = nextEnding(from)
      if (ending < lineStart) lineStart = Math.max(from, text.lastIndexOf("\n", ending) + 1)
    }
    if (lineStart === Infinity) break
    const lineBreak = text.indexOf("\n", lineStart)
    const lineEnd = lineBreak < 0 ? text.length : lineBreak
    from = lineEnd + 1
    const first = text.charAt(lineStart)
    // Walking fences is dear, and most lines that start with a bracket are data.
    if (first === "[" && pending < 0 && !mayStartHeader(text, lineStart)) continue
    if (first === "[" && !fences.insideFence(lineStart)) {
      if (!place(lineStart, lineEnd) && opensHeader(text.slice(lineStart, lineEnd))) pending = lineStart
    } else if (first === "<" && endsWithSurroundings && headers.length > 0 && text.startsWith(surroundings, lineStart)) {
      if (!fences.insideFence(lineStart)) return { headers, tail: lineStart }
    } else if (pending >= 0 && text.slice(lineStart, lineEnd).includes(headerEnding)) {
      if (!place(pending, lineEnd)) pending = -1
    }
  }
  return { headers, tail: text.length }
}

interface HeaderBody {
  readonly range: { readonly start: number; readonly end: number }
  readonly text: string
  /** Where the result as a whole ends; after its fence when it has one. */
  readonly segmentEnd: number
  readonly sameLine: boolean
}

const lineBreakLength = (text: string, position: number): number =>
  text.startsWith("\r\n", position) ? 2 : text[position] === "\n" ? 1 : 0

const openingFence = /`{3,}\n/y

/** `end`: where the next header starts, or the tail. */
export const bodyOf = (text: string, header: PlacedHeader, end: number): HeaderBody => {
  const first = lineBreakLength(text, header.end)
  let start = Math.min(end, header.end + first)
  if (first > 0 && header.form === "bracket") start = Math.min(end, start + lineBreakLength(text, start))
  if (header.fenced) {
    openingFence.lastIndex = start
    const fence = openingFence.exec(text)?.[0]
    const close = fence === undefined ? -1 : text.indexOf(`\n${fence.slice(0, -1)}`, start + fence.length - 1)
    if (fence !== undefined && close >= 0 && close < end) {
      const range = { start: start + fence.length, end: Math.max(start + fence.length, close) }
      return { range, text: text.slice(range.start, range.end), segmentEnd: close + fence.length, sameLine: false }
    }
  }
  let bodyEnd = end
  // The empty line between two results separates them; at the end of the text everything is body.
  for (let removed = 0; end < text.length && removed < 2 && bodyEnd > start && text[bodyEnd - 1] === "\n"; removed++) {
    bodyEnd -= text[bodyEnd - 2] === "\r" && bodyEnd - 2 >= start ? 2 : 1
  }
  const sameLine = first === 0 && /^[ \t]*[^\s]/.test(text.slice(header.end, header.end + 16))
  return { range: { start, end: bodyEnd }, text: text.slice(start, bodyEnd), segmentEnd: end, sameLine }
}
