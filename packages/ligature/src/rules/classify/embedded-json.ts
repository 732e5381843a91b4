// Finds objects inside a text: `400 {"type":"error",…}`, `Error code: 400 - {'error': {…}}`, several log lines. JSON
// and the way Python prints its dictionaries are both read. Brackets are counted once from the left, so that the
// search is linear whatever the text holds; trying every brace with the parser would be quadratic.
import { parsePythonLiteral } from "./python-literal.ts"

const mostObjects = 64

/** The values of the complete objects in the text, in order. Objects inside objects are not repeated. */
export function embeddedJson(text: string): readonly unknown[] {
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
