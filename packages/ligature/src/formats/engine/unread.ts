/**
 * What a reader did not take over from a value it understood only in part: texts of the value that nothing read from it
 * contains. Asked only where a decoder met a shape that is not of its format, so that healthy histories pay nothing.
 */
import { isTree, isWire, type Wire } from "../../model/index.ts"

/** Fields that say what a value is, not what it contains: whoever understood the value has understood them. */
const structural: ReadonlySet<string> = new Set("type role status state kind id".split(" "))

const endings: ReadonlySet<string> = new Set(["finish_reason", "finishReason", "stop_reason"])

/** Why an answer ended, as APIs say it. */
const reasons: ReadonlySet<string> = new Set(
  "stop length tool_calls content_filter function_call end_turn max_tokens stop_sequence tool_use pause_turn refusal".split(" "),
)

/** What the OpenAI APIs call their answers. */
const objects: ReadonlySet<string> = new Set("chat.completion chat.completion.chunk text_completion response message".split(" "))

export const isStructural = (field: string, value: string): boolean =>
  // Tags are single words: with white space it is a sentence of somebody, whatever its field.
  (structural.has(field) && !/\s/.test(value)) ||
  (endings.has(field) && reasons.has(value.toLowerCase())) ||
  (field === "object" && objects.has(value))

/** Shorter texts are marks and abbreviations. */
const shortest = 3

/** After so many texts that were found nowhere, the others are not searched for: each search reads everything again. */
const mostSearches = 64

interface Leaf {
  readonly path: string
  readonly value: string
}

const step = (path: string, key: string | number): string => {
  if (typeof key === "number") return `${path}[${key}]`
  return path === "" ? key : `${path}.${key}`
}

/** Every text of a value with its path, in order. Without recursion: values may be nested as deep as memory allows. */
const leavesOf = (root: unknown): readonly Leaf[] => {
  const leaves: Leaf[] = []
  const open: { readonly path: string; readonly value: unknown }[] = [{ path: "", value: root }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { path, value } = next
    if (typeof value === "string") leaves.push({ path, value })
    else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) open.push({ path: step(path, index), value: value[index] })
    } else if (isWire(value)) {
      for (const key of Object.keys(value).reverse()) {
        const inner = value[key]
        if (typeof inner === "string" && isStructural(key, inner)) continue
        open.push({ path: step(path, key), value: inner })
      }
    }
  }
  return leaves
}

/** Every text in a value, names of fields aside. */
export const textsIn = (root: unknown): readonly string[] => {
  const texts: string[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === "string") texts.push(value)
    else if (isTree(value)) for (const inner of Object.values(value)) open.push(inner)
  }
  return texts
}

/** The texts of `wire` that are nowhere in `said`, by their path; undefined where nothing is missing. */
export const unreadOf = (wire: unknown, said: unknown): Wire | undefined => {
  const leaves = leavesOf(wire).filter(({ value }) => value.trim().length >= shortest)
  if (leaves.length === 0) return undefined
  const texts = textsIn(said)
  const known = new Set(texts)
  let searches = 0
  const isSaid = (value: string): boolean => {
    // The bytes of a data URL are kept without what announces them.
    if (known.has(value) || (value.startsWith("data:") && known.has(value.slice(value.indexOf(",") + 1)))) return true
    if (searches >= mostSearches) return false
    // Inside a longer text, as it is or as JSON spells it.
    const spelt = JSON.stringify(value).slice(1, -1)
    const found = texts.some((text) => text.includes(value) || text.includes(spelt))
    if (!found) searches++
    return found
  }
  const unread = leaves.filter(({ value }) => !isSaid(value))
  return unread.length === 0 ? undefined : Object.fromEntries(unread.map(({ path, value }) => [path, value]))
}

/** Under this name a block keeps what was not read of the foreign value it comes from. No format writes it back. */
export const leftover = "unread"
