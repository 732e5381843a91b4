/**
 * TypeScript source with everything blanked out that is not code: comments, the contents of strings and templates, and
 * regular expressions. Lines keep their numbers. Good enough for token checks in tests, which is all it is for: it
 * has no grammar, only where a slash or a quote begins something that is not code. The slashes of tags begin none.
 */

export interface CodeOnly {
  /** Same length and same lines as the source. */
  readonly code: string
  /** String literals with their line numbers, quotes removed; templates without interpolation included. */
  readonly literals: readonly { readonly text: string; readonly line: number }[]
}

/** After one of these, or at the start, a slash begins a regular expression and not a division. */
const beforeRegExp = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete))\s*$/

const blank = (text: string): string => text.replace(/[^\n]/g, " ")

/** Index after the closing delimiter; backslashes escape, and a slash inside `[…]` does not close a RegExp. */
const endOf = (source: string, start: number, delimiter: string): number => {
  let inClass = false
  for (let index = start + 1; index < source.length; index++) {
    const character = source[index]
    if (character === "\\") index++
    else if (character === "\n" && delimiter !== "`") return index
    else if (delimiter === "/" && character === "[") inClass = true
    else if (delimiter === "/" && character === "]") inClass = false
    else if (character === delimiter && !inClass) return index + 1
  }
  return source.length
}

export const codeOnly = (source: string): CodeOnly => {
  const literals: { text: string; line: number }[] = []
  /** Depth of braces for each template we are inside of: at zero a closing brace returns to its text. */
  const templates: number[] = []
  let code = ""
  let index = 0
  let line = 1
  const skip = (end: number, keepEnds = false): void => {
    const part = source.slice(index, end)
    line += part.split("\n").length - 1
    code += keepEnds && part.length > 1 ? `"${blank(part.slice(1, -1))}"` : blank(part)
    index = end
  }
  /** Text of a template up to its end or its next `${`. */
  const template = (start: number): void => {
    let end = start
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
      end += source[end] === "\\" ? 2 : 1
    }
    const isOpen = source.startsWith("${", end)
    if (isOpen) templates.push(0)
    skip(Math.min(source.length, end + (isOpen ? 2 : 1)))
  }
  while (index < source.length) {
    const character = source[index] as string
    const pair = source.slice(index, index + 2)
    if (pair === "//") skip(endOfLine(source, index))
    else if (pair === "/*") skip(closing(source, index))
    else if (character === '"' || character === "'") {
      const end = endOf(source, index, character)
      literals.push({ text: source.slice(index + 1, end - 1), line })
      skip(end, true)
    } else if (character === "`") template(index + 1)
    else if (character === "/" && pair !== "/>" && source[index - 1] !== "<" && beforeRegExp.test(code.slice(-80)))
      skip(endOf(source, index, "/"), true)
    else if (character === "}" && templates.at(-1) === 0) {
      templates.pop()
      template(index + 1)
    } else {
      const depth = templates.length - 1
      if (depth >= 0 && character === "{") templates[depth] = (templates[depth] as number) + 1
      if (depth >= 0 && character === "}") templates[depth] = (templates[depth] as number) - 1
      if (character === "\n") line++
      code += character
      index++
    }
  }
  return { code, literals }
}

const endOfLine = (source: string, from: number): number => {
  const end = source.indexOf("\n", from)
  return end < 0 ? source.length : end
}

const closing = (source: string, from: number): number => {
  const end = source.indexOf("*/", from + 2)
  return end < 0 ? source.length : end + 2
}
