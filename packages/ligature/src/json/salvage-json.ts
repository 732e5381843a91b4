/**
 * JSON text that breaks off (or turns into something that is no JSON) still holds everything before the break. This
 * reads up to there, closes what is open, and says which places were still being written, from the outside in, so that
 * the caller can drop the half-written message and keep the ones before it.
 */

import { parseDeepJson } from "../model/index.ts"
import { skipString } from "./scan-json.ts"
import type { Path } from "./json-value.ts"

export interface Salvaged {
  readonly value: unknown
  /** Path to the innermost value that was open when the text broke; every value along it is incomplete. */
  readonly open: Path
  /** Where the text stops being JSON: the start of the token that is cut off or cannot be there. */
  readonly offset: number
  readonly truncated: boolean
}

interface OpenValue {
  readonly isObject: boolean
  /** Index of the element, or key of the member, that is being read. */
  key: string | number
}

type Expects = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end"

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}])/y
const maximumDepth = 1000

/** `undefined` when nothing at all can be saved. */
export function salvageJson(text: string, from = 0, to = text.length): Salvaged | "too-deep" | undefined {
  const stack: OpenValue[] = []
  let expects: Expects = "value"
  // After the last whole value or opening bracket. No bracket is after it, so `stack` is what is open there.
  let safeEnd = -1
  let index = from

  const result = (truncated: boolean): Salvaged | undefined => {
    if (safeEnd === -1) return undefined
    const closers = stack
      .toReversed()
      .map((open) => (open.isObject ? "}" : "]"))
      .join("")
    const value = parseDeepJson(text.slice(from, safeEnd) + closers)
    if (value === undefined) return undefined
    return { value, open: stack.slice(0, -1).map((open) => open.key), offset: index, truncated }
  }

  while (index < to) {
    const code = text.charCodeAt(index)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      index += 1
      continue
    }
    const mark = text[index] ?? ""
    const top = stack.at(-1)
    if (expects === "comma-or-end") {
      if (mark === "," && top !== undefined) {
        if (typeof top.key === "number") top.key += 1
        expects = top.isObject ? "key" : "value"
      } else if (top !== undefined && mark === (top.isObject ? "}" : "]")) {
        stack.pop()
        index += 1
        safeEnd = index
        if (stack.length === 0) return result(false)
        continue
      } else return result(false)
      index += 1
      continue
    }
    if (expects === "colon") {
      if (mark !== ":") return result(false)
      expects = "value"
      index += 1
      continue
    }
    if (expects === "key" || expects === "key-or-end") {
      if (mark === "}" && expects === "key-or-end") {
        expects = "comma-or-end"
        continue
      }
      if (mark !== '"' || top === undefined) return result(false)
      const end = skipString(text, index, to)
      if (end === -1) return result(true)
      const key = parseDeepJson(text.slice(index, end))
      if (typeof key !== "string") return result(false)
      top.key = key
      index = end
      expects = "colon"
      continue
    }
    if (mark === "]" && expects === "value-or-end") {
      expects = "comma-or-end"
      continue
    }
    if (mark === "{" || mark === "[") {
      stack.push({ isObject: mark === "{", key: mark === "{" ? "" : 0 })
      if (stack.length > maximumDepth) return "too-deep"
      expects = mark === "{" ? "key-or-end" : "value-or-end"
      index += 1
      safeEnd = index
      continue
    }
    if (mark === '"') {
      const end = skipString(text, index, to)
      if (end === -1) return result(true)
      if (typeof parseDeepJson(text.slice(index, end)) !== "string") return result(false)
      index = end
    } else {
      scalar.lastIndex = index
      if (!scalar.test(text) || scalar.lastIndex > to) return result(to - index < 6 && to === text.length)
      index = scalar.lastIndex
    }
    expects = "comma-or-end"
    if (stack.length > 0) safeEnd = index
  }
  return result(true)
}
