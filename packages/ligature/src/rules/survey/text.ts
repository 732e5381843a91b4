/** What L8 asks of text: not blank, and no half of a surrogate pair. Both answers are instant for ordinary strings. */
import { type Block, type CallBlock, limitDepth } from "../../model/index.ts"

/** Empty or whitespace only. Looks at one character for all but the rarest texts. */
export const isBlank = (value: string): boolean => {
  const first = value.charCodeAt(0)
  if (first > 32 && first !== 0xa0 && first < 0x1680) return false
  return value.trim() === ""
}

/** A block that would still be there after blank text is left out. */
export const says = (block: Block): boolean => block.type !== "text" || !isBlank(block.text)

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null

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
const hasSurrogateEscape = (raw: string): boolean =>
  raw.includes("\\u") && (raw.includes("\\ud") || raw.includes("\\uD"))

export const isWellFormedCall = ({ id, name, raw, arguments: args }: CallBlock): boolean => {
  if (!id.isWellFormed() || !name.isWellFormed()) return false
  if (raw === undefined) return isWellFormedJson(args)
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
export const wellFormedJson = <Value>(value: Value): Value =>
  isWellFormedJson(value) ? value : (repaired(limitDepth(value)) as Value)
