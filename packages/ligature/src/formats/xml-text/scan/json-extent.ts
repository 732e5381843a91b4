/**
 * Finds where a JSON object that starts at a known place ends, without knowing what follows it.
 *
 * A closing tag cannot be searched for, because a JSON string may contain it. The walk checks order of tokens
 * strictly and stops at the first character JSON does not allow there; that early stop is what keeps many false
 * starts linear in total.
 */

type Expectation = "value" | "key-or-end" | "key" | "colon" | "comma-or-end" | "value-or-end"

const scalar = /(?:-?[0-9][0-9.eE+-]*|true|false|null)/y

const stringEnd = (text: string, start: number): number => {
  for (let position = start + 1; position < text.length; position++) {
    const character = text.charAt(position)
    if (character === '"') return position + 1
    if (character === "\n" || character === "\r") return -1
    if (character === "\\") position++
  }
  return -1
}

/** The position behind the object, or -1 when what stands there is no complete JSON object. */
export const jsonObjectEnd = (text: string, start: number): number => {
  if (text.charAt(start) !== "{") return -1
  const closers: string[] = []
  let expectation: Expectation = "value"
  let position = start
  while (position < text.length) {
    const character = text.charAt(position)
    if (character === " " || character === "\n" || character === "\r" || character === "\t") {
      position++
      continue
    }
    const wantsValue: boolean = expectation === "value" || expectation === "value-or-end"
    const mayEnd: boolean = expectation === "key-or-end" || expectation === "value-or-end"
      || expectation === "comma-or-end"
    if ((character === "{" || character === "[") && wantsValue) {
      closers.push(character === "{" ? "}" : "]")
      expectation = character === "{" ? "key-or-end" : "value-or-end"
      position++
    } else if ((character === "}" || character === "]") && mayEnd) {
      if (closers.pop() !== character) return -1
      position++
      if (closers.length === 0) return position
      expectation = "comma-or-end"
    } else if (character === '"' && (wantsValue || expectation === "key" || expectation === "key-or-end")) {
      position = stringEnd(text, position)
      if (position < 0) return -1
      expectation = wantsValue ? "comma-or-end" : "colon"
    } else if (character === ":" && expectation === "colon") {
      expectation = "value"
      position++
    } else if (character === "," && expectation === "comma-or-end") {
      expectation = closers.at(-1) === "}" ? "key" : "value"
      position++
    } else if (wantsValue) {
      scalar.lastIndex = position
      if (!scalar.test(text)) return -1
      position = scalar.lastIndex
      expectation = "comma-or-end"
    } else {
      return -1
    }
  }
  return -1
}
