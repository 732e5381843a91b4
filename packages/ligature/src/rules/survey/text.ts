/** What L8 asks of text: not blank, and no half of a surrogate pair. Both answers are instant for ordinary strings. */
import { type Block, type CallBlock, isTree, limitDepth, type Native } from "../../model/index.ts"

/** Empty or whitespace only. Looks at one character for all but the rarest texts. */
export const isBlank = (value: string): boolean => {
  const first = value.charCodeAt(0)
  if (first > 32 && first !== 0xa0 && first < 0x1680) return false
  return value.trim() === ""
}

/** A block that would still be there after blank text is left out. */
export const says = (block: Block): boolean => block.type !== "text" || !isBlank(block.text)

/** Shorter texts are looked at faster than found again. */
const longText = 256

/**
 * Whether a value is a field of the wire value it was read from: a decoder that looked at all of its source has looked at it. To
 * look at a long text once more costs as much as the rest of a survey.
 */
const isFieldOf = (value: unknown, native: Native | undefined): boolean => {
  for (const format in native) {
    const wire = native[format]
    if (!isTree(wire)) continue
    for (const key in wire) if ((wire as Readonly<Record<string, unknown>>)[key] === value) return true
  }
  return false
}

/** Whether a text has no half of a surrogate pair. `seen`: the wire value it may be a field of, if that was looked at. */
export const isWellFormedText = (text: string, seen: Native | undefined): boolean =>
  (seen !== undefined && text.length > longText && isFieldOf(text, seen)) || text.isWellFormed()

/** Whether no text and no key of a value, of any depth, holds half of a surrogate pair. */
export const isWellFormedJson = (root: unknown): boolean => {
  if (typeof root === "string") return root.isWellFormed()
  if (!isTree(root)) return true
  const open: object[] = [root]
  for (let tree = open.pop(); tree; tree = open.pop()) {
    if (Array.isArray(tree)) {
      for (let index = 0; index < tree.length; index++) {
        const inner: unknown = tree[index]
        if (typeof inner === "string" && !inner.isWellFormed()) return false
        if (isTree(inner)) open.push(inner)
      }
      continue
    }
    for (const key in tree) {
      const inner = (tree as Readonly<Record<string, unknown>>)[key]
      if (!key.isWellFormed() || (typeof inner === "string" && !inner.isWellFormed())) return false
      if (isTree(inner)) open.push(inner)
    }
  }
  return true
}

/** JSON text can hide a lone surrogate in an escape; only with one in it are the parsed arguments worth a walk. */
const hasSurrogateEscape = (raw: string): boolean => raw.includes("\\u") && (raw.includes("\\ud") || raw.includes("\\uD"))

export const isWellFormedCall = ({ id, name, raw, arguments: args }: CallBlock, seen: Native | undefined): boolean => {
  if (!id.isWellFormed() || !name.isWellFormed()) return false
  if (raw === undefined) return isFieldOf(args, seen) || isWellFormedJson(args)
  return raw.isWellFormed() && (!hasSurrogateEscape(raw) || isWellFormedJson(args))
}

/** Two keys that differ in a half only would become one, and the value of one of them be lost. */
const freeKey = (wanted: string, key: string, value: object, taken: ReadonlyMap<string, unknown>): string => {
  if (wanted === key) return key
  let free = wanted
  for (let count = 2; taken.has(free) || Object.hasOwn(value, free); count++) free = `${wanted}_${count}`
  return free
}

const repaired = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (!isTree(value)) return value
  if (Array.isArray(value)) return value.map(repaired)
  const fields = new Map<string, unknown>()
  for (const [key, inner] of Object.entries(value)) fields.set(freeKey(key.toWellFormed(), key, value, fields), repaired(inner))
  return Object.fromEntries(fields)
}

/** The value with U+FFFD for each half of a surrogate pair; the same value where it has none. */
export const wellFormedJson = <Value>(value: Value): Value => (isWellFormedJson(value) ? value : (repaired(limitDepth(value)) as Value))
