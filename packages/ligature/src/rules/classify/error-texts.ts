// Reads an error of any shape into the texts that may hold a provider's words.
//
// Every provider and every SDK wraps a refusal differently, and gateways nest one wrapper in another, so no shape is
// assumed: all strings of the value are taken, strings that hold JSON are opened, and only what cannot be the
// provider's answer (the request that was sent, headers, stack) is left aside.
import { embeddedJson } from "./embedded-json.ts"
import { unescape } from "./unescape.ts"

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
