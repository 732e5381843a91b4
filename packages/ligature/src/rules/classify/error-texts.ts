// Reads an error of any shape into the texts that may hold a provider's words.
//
// Every provider and every SDK wraps a refusal differently, and gateways nest one wrapper in another, so no shape is
// assumed: all strings of the value are taken, strings that hold JSON are opened, and only what cannot be the
// provider's answer (the request that was sent, headers, stack) is left aside.

// Finds objects inside a text: `400 {"type":"error",…}`, `Error code: 400 - {'error': {…}}`, several log lines. JSON
// and the way Python prints its dictionaries are both read. Brackets are counted once from the left, so that the
// search is linear whatever the text holds; trying every brace with the parser would be quadratic.

// Reads a dictionary as Python prints it, because the Python SDKs put the error body into their message that way:
// `Error code: 400 - {'error': {'message': "…", 'param': None}}`. It is rewritten as JSON in one pass and then parsed.

const words: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false" }
const plain = /[^'"()A-Za-z]+|[A-Za-z]+|[()]/y
const longEscape = /x([0-9a-f]{2})|u([0-9a-f]{4})/iy
const shortEscapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The value of a Python literal made of dictionaries, lists, tuples and scalars; undefined when it is none. */
function parsePythonLiteral(text: string): unknown {
  const json: string[] = []
  let position = 0
  while (position < text.length) {
    const character = text[position]
    if (character === "'" || character === '"') {
      const end = endOfString(text, position + 1, character)
      json.push(JSON.stringify(stringContent(text.slice(position + 1, end))))
      position = end + 1
    } else {
      plain.lastIndex = position
      const token = plain.exec(text)?.[0] ?? ""
      json.push(token === "(" ? "[" : token === ")" ? "]" : (words[token] ?? token))
      position += token.length
    }
  }
  try {
    // A tuple of one element ends in a comma.
    return JSON.parse(json.join("").replaceAll(",]", "]"))
  } catch {
    return undefined
  }
}

function endOfString(text: string, from: number, quote: string): number {
  for (let position = from; position < text.length; position++) {
    if (text[position] === "\\") position++
    else if (text[position] === quote) return position
  }
  return text.length
}

function stringContent(escaped: string): string {
  if (!escaped.includes("\\")) return escaped
  const content: string[] = []
  for (let position = 0; position < escaped.length; position++) {
    const character = escaped[position] ?? ""
    if (character !== "\\") {
      content.push(character)
      continue
    }
    longEscape.lastIndex = ++position
    const code = longEscape.exec(escaped)
    const next = escaped[position] ?? ""
    if (code === null) content.push(shortEscapes[next] ?? next)
    else {
      content.push(String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "", 16)))
      position = longEscape.lastIndex - 1
    }
  }
  return content.join("")
}

const mostObjects = 64

/** The values of the complete objects in the text, in order. Objects inside objects are not repeated. */
function embeddedJson(text: string): readonly unknown[] {
  const trimmed = text.trim()
  if (/^["[{]/.test(trimmed)) {
    const whole = parse(trimmed)
    if (whole !== undefined) return typeof whole === "string" ? embeddedJson(whole) : [whole]
  }
  const found: unknown[] = []
  let position = 0
  while (found.length < mostObjects) {
    const start = text.indexOf("{", position)
    if (start < 0) break
    const python = text[start + 1] === "'"
    const end = closingBrace(text, start, python)
    if (end === undefined) break
    const object = text.slice(start, end)
    const value = python ? parsePythonLiteral(object) : parse(object)
    if (value !== undefined) found.push(value)
    position = end
  }
  return found
}

function closingBrace(text: string, start: number, python: boolean): number | undefined {
  let depth = 0
  let quote: string | undefined
  for (let position = start; position < text.length; position++) {
    const character = text[position]
    if (quote !== undefined) {
      if (character === "\\") position++
      else if (character === quote) quote = undefined
    } else if (character === '"' || (python && character === "'")) quote = character
    else if (character === "{") depth++
    else if (character === "}" && --depth === 0) return position + 1
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Undoes the escapes that wrappers put around a provider's words. An error may pass a JSON body, an SDK message, a
// Python repr and a log line on its way here, each adding a layer of backslashes, and a terminal may have wrapped it.
// One reading that ignores how many layers there were is enough to recognise a text, and costs one pass.

// The run of backslashes is bounded so that a text full of them cannot make the search quadratic.
const escaped = /\\{1,16}(?:u([0-9a-fA-F]{4})|(["'`/])|[nrt])/g

/** The text without escapes, with every run of whitespace as one space. */
function unescape(text: string): string {
  const plain = text.includes("\\") ? text.replace(escaped, unescapeOne) : text
  return plain.replace(/\s+/g, " ").trim()
}

function unescapeOne(_all: string, code: string | undefined, quote: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  return quote ?? " "
}

export type ErrorText = {
  readonly text: string
  /** The request field the provider names beside its message, e.g. `messages[2].tool_calls[0].id`. */
  readonly param?: string
}

export type ErrorTexts = {
  /** Single messages, free of their wrappers. */
  readonly messages: readonly ErrorText[]
  /** The same content with its wrappers, for text that only looks like JSON: Python reprs, cut bodies. */
  readonly wrapped: readonly ErrorText[]
}

const notTheAnswer: ReadonlySet<string> = new Set([
  "config",
  "contents",
  "ctx",
  "headers",
  "input",
  "messages",
  "param",
  "prompt",
  "request",
  "requestBody",
  "requestBodyValues",
  "request_body",
  "request_id",
  "responseHeaders",
  "stack",
  "tools",
  "url",
])
const deepest = 24
const mostValues = 20_000

/** All texts of an error: a string, a JSON body, an Error, or `{ status, body }`. */
export function errorTexts(error: unknown): ErrorTexts {
  const messages: ErrorText[] = []
  const wrapped: ErrorText[] = []
  const seen = new Set<object>()
  let values = 0

  function read(value: unknown, depth: number, param: string | undefined): void {
    if (depth > deepest || ++values > mostValues) return
    if (typeof value === "string") readText(value, depth, param)
    else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value)
      if (Array.isArray(value)) for (const element of value) read(element, depth + 1, param)
      else readObject(value, depth)
    }
  }

  function readText(value: string, depth: number, param: string | undefined): void {
    const text: ErrorText = { text: unescape(value), ...(param === undefined ? {} : { param }) }
    const inside = embeddedJson(value).filter((found) => typeof found === "object")
    if (inside.length === 0) messages.push(text)
    else {
      for (const found of inside) read(found, depth + 1, undefined)
      wrapped.push(text)
    }
  }

  function readObject(value: object, depth: number): void {
    const fields = value as Readonly<Record<string, unknown>>
    const field = fieldMessage(fields)
    if (field !== undefined) messages.push({ text: unescape(field) })
    const param = typeof fields["param"] === "string" ? fields["param"] : undefined
    // Some servers put the sentence itself where others name a field.
    if (param?.includes(" ")) messages.push({ text: unescape(param) })
    // An Error keeps its message and cause where enumeration does not see them.
    for (const key of new Set(["message", "cause", ...Object.keys(fields)])) {
      if (!notTheAnswer.has(key)) read(fields[key], depth + 1, param)
    }
  }

  read(error, 0, undefined)
  return { messages, wrapped }
}

/** One entry of a validator's field list, `{ loc: ["body", "messages", 2, …], msg }`, as `path: message`. */
function fieldMessage(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { loc, msg } = fields
  return Array.isArray(loc) && typeof msg === "string" ? `${loc.join(".")}: ${msg}` : undefined
}
