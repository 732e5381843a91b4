/**
 * The line that announces a result in user text, read and written.
 *
 * Read: `[tool] Result:`, `[tool for 'hint'] Result:`, `[tool for 'hint'. Advice.] Result:`, `[tool for 4 files]
 * Result:`, `[tool Result]`, `[tool Result (Error)]`. Written (and read): `[tool for 'hint' call id] Result (Error,
 * fenced):`, where every part but the name is left out when there is nothing to say (`ok` stands only before a body
 * that looks like a failure), and a name, hint or id that would be ambiguous is a JSON string.
 */
import { parseJson } from "./values.ts"

export interface ResultHeader {
  readonly name: string
  readonly hint?: string
  readonly id?: string
  /** Absent when the header does not say; the body may tell. */
  readonly error?: boolean
  /** The body is one code fence, and the body proper is what stands inside. */
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
  written?.toLowerCase().split(",").some((each) => each.trim() === flag) ?? false

const errorOf = (written: string | undefined): { readonly error?: boolean } => {
  if (hasFlag(written, "error")) return { error: true }
  return hasFlag(written, "ok") ? { error: false } : {}
}

/** False when what stands at this place of a text is the start of no header, neither on one line nor over many. */
export const mayStartHeader = (text: string, position: number): boolean => {
  anyStart.lastIndex = position
  return anyStart.test(text)
}

/** True when a header may start here and go on over the following lines: a hint with line breaks. */
export const opensHeader = (line: string): boolean => /^\[[A-Za-z_][\w.:/-]{0,127} for '/.test(line)

const readHint = (written: string): string => {
  const value = written.slice("for ".length)
  if (value.startsWith('"')) return unquote(value)
  return quotedHint.exec(written)?.[1] ?? value
}

/** Reads a header that starts the given lines; `undefined` when they do not start with one. */
export const readHeader = (lines: string): ResultHeader | undefined => {
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

export const writeHeader = (
  header: Pick<ResultHeader, "name" | "hint" | "id" | "error" | "fenced">,
): string => {
  // Escaped brackets keep the first `] Result:` of the line the real one.
  const quote = (text: string): string => JSON.stringify(text).replaceAll("]", "\\u005d").replaceAll("[", "\\u005b")
  const name = plainWord.test(header.name) ? header.name : quote(header.name)
  const hint = header.hint === undefined ? "" : plainHint.test(header.hint) ? ` for '${header.hint}'`
    : ` for ${quote(header.hint)}`
  const id = header.id === undefined ? "" : ` call ${plainId.test(header.id) ? header.id : quote(header.id)}`
  const fate = header.error === undefined ? "" : header.error ? "Error" : "ok"
  const marks = [fate, header.fenced ? "fenced" : ""].filter((mark) => mark !== "")
  return `[${name}${hint}${id}] Result${marks.length === 0 ? "" : ` (${marks.join(", ")})`}:`
}
