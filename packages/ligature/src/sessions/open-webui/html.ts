/** The little HTML that cards are made of: attributes of one tag, escaped as Python does it. */

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
}

const entity = /&(?:quot|apos|lt|gt|amp|#34|#39|#x22|#x27);/g

export const unescapeHtml = (value: string): string =>
  value.includes("&") ? value.replaceAll(entity, (found) => entities[found] ?? found) : value

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
}

export const escapeHtml = (value: string): string =>
  value.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

export interface Tag {
  readonly attributes: Readonly<Record<string, string>>
  /** Index behind the closing bracket. */
  readonly end: number
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Letters, digits, hyphen, underscore, colon. */
const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 58) || code === 45 || code === 95

/** Reads the attributes of a tag from behind its name; undefined when it is none, or breaks off. */
export const readTag = (source: string, from: number): Tag | undefined => {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>
  let at = from
  for (;;) {
    const start = at
    while (isSpace(source.charCodeAt(at))) at++
    if (source[at] === ">") return { attributes, end: at + 1 }
    const nameStart = at
    while (isNameCharacter(source.charCodeAt(at))) at++
    if (at === nameStart || nameStart === start) return undefined
    const name = source.slice(nameStart, at)
    if (source[at] !== "=") {
      attributes[name] = ""
      continue
    }
    const quote = source[at + 1]
    if (quote !== '"' && quote !== "'") return undefined
    const close = source.indexOf(quote, at + 2)
    if (close < 0) return undefined
    attributes[name] = unescapeHtml(source.slice(at + 2, close))
    at = close + 1
  }
}
