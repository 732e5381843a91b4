/**
 * Terms: the strings of a line that an agent may use again (paths, file names, addresses, flags, ids, identifiers,
 * numbers, quoted phrases, words). One pass over the characters, because histories are megabytes and a regular
 * expression per kind would read every line nine times. What counts is decided by how a run of characters is built,
 * not by a list of languages or tools.
 */
export const termKinds = ["path", "file", "address", "flag", "id", "identifier", "number", "phrase", "word"] as const
export type TermKind = (typeof termKinds)[number]

type Emit = (text: string, kind: TermKind, start: number, end: number) => void

const other = 0
const lower = 1
const upper = 2
const digit = 3
const joint = 4
const slash = 5
const quote = 6

/** Class per ASCII character. Joints are inside a run and are cut from its ends. */
const classes = ((): Uint8Array => {
  const table = new Uint8Array(128)
  for (let code = 97; code <= 122; code++) table[code] = lower
  for (let code = 65; code <= 90; code++) table[code] = upper
  for (let code = 48; code <= 57; code++) table[code] = digit
  for (const character of "_$") table[character.charCodeAt(0)] = lower
  for (const character of ".-@+~") table[character.charCodeAt(0)] = joint
  for (const character of "\"'`") table[character.charCodeAt(0)] = quote
  table[47] = slash
  return table
})()

/** Letters of other scripts count as lower case; signs between U+2000 and U+2FFF (arrows, boxes, dashes) as nothing. */
const classOf = (code: number): number => {
  if (code < 128) return classes[code] ?? other
  return (code >= 0xc0 && code < 0x2000 && code !== 0xd7 && code !== 0xf7) || code > 0x2fff ? lower : other
}

const extensions = new Set(
  (
    "c cc cfg conf cpp cs css csv diff env go gradle h hpp html ini ipynb java js json jsonl jsx kt lock log lua " +
    "md mdx mjs mts cjs patch php png proto py rb rs rst scss sh sql svelte svg swift tf toml ts tsx txt vue xml " +
    "yaml yml zsh"
  ).split(" "),
)

/** Longer runs are encoded bytes, not names. */
const longestRun = 160
/** The rest of a longer line is not looked at: minified code and encoded bytes. */
const longestLine = 20_000

/** What ends an address: white space, quotes, brackets and bars. */
const addressEnds = new Set([..."\"'`<>()[]{}|\\^"].map((character) => character.charCodeAt(0)))
const isAddressEnd = (code: number): boolean => code <= 32 || addressEnds.has(code)

/** Calls `emit` for each term of a line, in order; a path also gives its last segment. */
export const eachTerm = (line: string, emit: Emit): void => {
  const length = Math.min(line.length, longestLine)
  let opened = -1
  let openedCode = 0
  let hasSpace = false
  for (let at = 0; at < length;) {
    const code = line.charCodeAt(at)
    const kind = classOf(code)
    if (kind === other || kind === quote) {
      if (code === 32) hasSpace = true
      if (kind === quote) {
        const inner = at - opened - 1
        if (opened >= 0 && code === openedCode && inner >= 8 && inner <= 80 && hasSpace && !isWordAt(line, at + 1)) {
          emit(line.slice(opened + 1, at), "phrase", opened + 1, at)
          opened = -1
        } else if (code !== 39 || at === 0 || !isWordAt(line, at - 1)) {
          opened = at
          openedCode = code
          hasSpace = false
        }
      }
      at++
      continue
    }
    let end = at + 1
    while (end < length) {
      const next = classOf(line.charCodeAt(end))
      if (next === other || next === quote) break
      end++
    }
    if (line.startsWith("://", end)) {
      let stop = end + 3
      while (stop < length && !isAddressEnd(line.charCodeAt(stop))) stop++
      while (stop > end && !isWordAt(line, stop - 1) && line.charCodeAt(stop - 1) !== 47) stop--
      if (stop - at <= 300) emit(line.slice(at, stop), "address", at, stop)
      at = Math.max(stop, end + 3)
      continue
    }
    if (end - at <= longestRun) readRun(line, at, end, emit)
    at = end
  }
}

const isWordAt = (line: string, at: number): boolean => {
  const kind = at < line.length ? classOf(line.charCodeAt(at)) : other
  return kind === lower || kind === upper || kind === digit
}

/** Names what a run of letters, digits, joints and slashes is. */
const readRun = (line: string, from: number, to: number, emit: Emit): void => {
  let start = from
  let end = to
  while (end > start && classOf(line.charCodeAt(end - 1)) === joint) end--
  const isFlag = line.charCodeAt(start) === 45 && line.charCodeAt(start + 1) === 45
  if (!isFlag) {
    while (start < end && classOf(line.charCodeAt(start)) === joint && !leadsPath(line, start)) start++
  }
  if (end - start < 3) return
  let letters = 0
  let digits = 0
  let slashes = 0
  let dots = 0
  let lastSlash = -1
  let lastDot = -1
  let isCompound = false
  let previous = other
  for (let at = start; at < end; at++) {
    const code = line.charCodeAt(at)
    const kind = classOf(code)
    if (kind === digit) digits++
    else if (kind === slash) {
      slashes++
      lastSlash = at
    } else if (kind === joint) {
      if (code === 46) {
        dots++
        lastDot = at
      }
    } else {
      letters++
      if (code === 95 && at > start && at < end - 1) isCompound = true
      if (kind === upper && previous === lower) isCompound = true
    }
    previous = kind
  }
  const size = end - start
  if (isFlag) {
    if (letters >= 3 && slashes === 0) emit(line.slice(start, end), "flag", start, end)
    return
  }
  if (slashes > 0) {
    if (lastSlash === end - 1) {
      if (letters >= 3 && slashes > 1) emit(line.slice(start, end - 1), "path", start, end - 1)
      return
    }
    if (letters >= 2 && size >= 5) emit(line.slice(start, end), "path", start, end)
    if (lastSlash > start) readRun(line, lastSlash + 1, end, emit)
    else if (lastSlash === start) readRun(line, start + 1, end, emit)
    return
  }
  if (letters === 0) {
    if (digits >= 3 || (dots === 1 && end - lastDot > 2)) emit(line.slice(start, end), "number", start, end)
    return
  }
  const isFile = dots > 0 && lastDot > start && extensions.has(line.slice(lastDot + 1, end))
  if (isFile) return emit(line.slice(start, end), "file", start, end)
  if (digits > 0 && size >= 5) return emit(line.slice(start, end), "id", start, end)
  if ((isCompound || dots > 0) && size >= 5) {
    emit(line.slice(start, end), "identifier", start, end)
    if (dots > 0 && end - lastDot > 6) readRun(line, lastDot + 1, end, emit)
    return
  }
  if (size >= 4) emit(line.slice(start, end), "word", start, end)
}

/** `./a`, `../a`, `~/a`, `.hidden/a`: the joint is part of the path. */
const leadsPath = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at)
  if (code === 126) return line.charCodeAt(at + 1) === 47
  if (code !== 46) return code === 64
  const next = line.charCodeAt(at + 1)
  return next === 47 || (next === 46 && line.charCodeAt(at + 2) === 47) || isWordAt(line, at + 1)
}

const hasParts: ReadonlySet<TermKind> = new Set<TermKind>(["path", "address", "file", "identifier", "id"])

/** Calls `found` with the beginnings and ends of a term that are names of their own: `b/c` and `a/b` of `a/b/c`. */
export const eachNameInside = (text: string, kind: TermKind, found: (name: string) => void): void => {
  if (!hasParts.has(kind)) return
  for (let at = 1; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code !== 46 && code !== 47) continue
    found(text.slice(0, at))
    found(text.slice(at + 1))
  }
}

/**
 * Records in results: `{"order_id": "#W77", "items": ["81", "82"]}`. An agent that works with records uses their values
 * again and never their field names; an agent that works with code does the opposite. No parser: lines are cut, quoted
 * in either way and often no whole JSON.
 */
const codes = { quote: 34, apostrophe: 39, comma: 44, colon: 58, open: 91, close: 93, brace: 123, unbrace: 125 }

/** How far back the name of a value is looked for. */
const reach = 160

const isQuote = (code: number): boolean => code === codes.quote || code === codes.apostrophe

/** Most lines hold none, which is cheap to see. */
export const hasFields = (line: string): boolean => line.includes('":') || line.includes("':")

/** Whether the stretch of a line that ends here is the name of a field. */
export const isFieldName = (line: string, end: number): boolean => isQuote(line.charCodeAt(end)) && line.charCodeAt(end + 1) === codes.colon

/** Whether what starts here is the value of a field, or in a list that is. */
export const isFieldValue = (line: string, start: number): boolean => {
  let isBehindComma = false
  const end = Math.max(1, start - reach)
  for (let at = start - 1; at >= end; at--) {
    const code = line.charCodeAt(at)
    if (code === codes.brace || code === codes.unbrace || code === codes.close) return false
    if (code === codes.comma) isBehindComma = true
    else if (code === codes.open) isBehindComma = false
    else if (code === codes.colon && isQuote(line.charCodeAt(at - 1))) return !isBehindComma
  }
  return false
}
