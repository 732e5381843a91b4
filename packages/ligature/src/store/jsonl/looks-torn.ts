/**
 * Tells a line that was cut off while it was written from one that was damaged later. A torn line is the beginning of a
 * line: valid JSON up to its last byte, with something still open. It was never acknowledged, so nothing is missing; a
 * damaged line was, so the user should know. In doubt it counts as damaged.
 */

type Next = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end"

const words = ["true", "false", "null"] as const
const wholeScalar = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const begunScalar = /^-?\d*\.?\d*(?:[eE][+-]?\d*)?$/
const scalar = /[\w+\-.]+/y

/** The position behind the string that begins at `at`; -1 when it does not end. */
const endOfString = (text: string, at: number): number => {
  for (let index = at + 1; index < text.length; index++) {
    const letter = text.charCodeAt(index)
    if (letter === 0x5c) index++
    else if (letter === 0x22) return index + 1
  }
  return -1
}

const scalarAt = (text: string, at: number): string => {
  scalar.lastIndex = at
  return scalar.exec(text)?.[0] ?? ""
}

/** Whether a scalar is in order: whole, or begun where the text ends. */
const scalarFits = (value: string, ends: boolean): boolean =>
  wholeScalar.test(value) || (ends && (begunScalar.test(value) || words.some((word) => word.startsWith(value))))

export const looksTorn = (line: Buffer): boolean => {
  const text = line.toString("latin1")
  const open: ("{" | "[")[] = []
  let next = "value" as Next
  let at = 0
  while (at < text.length) {
    const letter = text.charAt(at)
    if (letter === " " || letter === "\t" || letter === "\r") {
      at++
      continue
    }
    if (letter === '"') {
      if (next === "colon" || next === "comma-or-end") return false
      const end = endOfString(text, at)
      // Open to the end: torn, unless the line ends as whole lines do and only a quote was lost.
      if (end === -1) return !text.endsWith("]}")
      at = end
      next = next === "key" || next === "key-or-end" ? "colon" : "comma-or-end"
      continue
    }
    const inObject: boolean = open.at(-1) === "{"
    if (letter === "{" || letter === "[") {
      if (next !== "value" && next !== "value-or-end") return false
      open.push(letter)
      next = letter === "{" ? "key-or-end" : "value-or-end"
    } else if (letter === "}" || letter === "]") {
      const mayEnd = next === "comma-or-end" || next === "key-or-end" || next === "value-or-end"
      if (!mayEnd || inObject !== (letter === "}")) return false
      open.pop()
      if (open.length === 0) return false
      next = "comma-or-end"
    } else if (letter === ",") {
      if (next !== "comma-or-end") return false
      next = inObject ? "key" : "value"
    } else if (letter === ":") {
      if (next !== "colon") return false
      next = "value"
    } else {
      const value = scalarAt(text, at)
      if (value === "" || (next !== "value" && next !== "value-or-end")) return false
      if (open.length === 0 || !scalarFits(value, at + value.length === text.length)) return false
      at += value.length
      next = "comma-or-end"
      continue
    }
    at++
  }
  return open.length > 0
}
