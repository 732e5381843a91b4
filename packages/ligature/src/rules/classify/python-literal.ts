// Reads a dictionary as Python prints it, because the Python SDKs put the error body into their message that way:
// `Error code: 400 - {'error': {'message': "…", 'param': None}}`. It is rewritten as JSON in one pass and then parsed.

const words: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false" }
const plain = /[^'"()A-Za-z]+|[A-Za-z]+|[()]/y
const longEscape = /x([0-9a-f]{2})|u([0-9a-f]{4})/iy
const shortEscapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The value of a Python literal made of dictionaries, lists, tuples and scalars; undefined when it is none. */
export function parsePythonLiteral(text: string): unknown {
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
