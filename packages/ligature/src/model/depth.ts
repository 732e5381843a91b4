/**
 * How deeply values may be nested. JSON.parse reads any depth, but JSON.stringify, and whatever else calls itself for each
 * level, ends with a RangeError after some thousand levels; servers give up much earlier. What comes from outside is
 * therefore limited once, where it comes in: a value at the limit becomes its JSON text, so that nothing of it is lost and
 * everything after the door may call itself for each level.
 */

/** Levels of lists and objects. Real histories have a dozen; the strictest servers take 64 to 128. */
export const deepestNesting = 512

export const isTree = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether a value has more than so many levels. */
export const isDeeper = (value: unknown, levels: number = deepestNesting): boolean => {
  if (!isTree(value)) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index]
      if (isTree(inner) && isDeeper(inner, levels - 1)) return true
    }
    return false
  }
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (isTree(inner) && isDeeper(inner, levels - 1)) return true
  }
  return false
}

/** Far from the limit: what writers put around such a value does not bring it there. */
const usualNesting = deepestNesting / 2

const isUsualTo = (value: object, levels: number): boolean => {
  if (levels === 0) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index]
      if (typeof inner === "string" ? !inner.isWellFormed() : isTree(inner) && !isUsualTo(inner, levels - 1)) return false
    }
    return true
  }
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof inner === "string" ? !inner.isWellFormed() : isTree(inner) && !isUsualTo(inner, levels - 1)) return false
    if (!key.isWellFormed()) return false
  }
  return true
}

/** Whether a value is far from the limit and has no half of a surrogate pair: nearly all are, and need no second look. */
export const isUsual = (value: unknown): boolean =>
  typeof value === "string" ? value.isWellFormed() : !isTree(value) || isUsualTo(value, usualNesting)

/** A piece of text between values that are still to be written. */
class Mark {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What has to be written for a list or an object, first to last. */
const piecesOf = (value: object): readonly unknown[] => {
  const isList = Array.isArray(value)
  const fields = Object.entries(value).filter(([, each]) => isList || each !== undefined)
  const inner = fields.flatMap(([key, each], index) => [
    new Mark(`${index === 0 ? "" : ","}${isList ? "" : `${JSON.stringify(key)}:`}`),
    each,
  ])
  return [new Mark(isList ? "[" : "{"), ...inner, new Mark(isList ? "]" : "}")]
}

const writeDeep = (root: unknown): string => {
  const written: string[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const next = open.pop()
    if (next instanceof Mark) written.push(next.text)
    else if (!isTree(next)) written.push(JSON.stringify(next) ?? "null")
    else {
      const pieces = piecesOf(next)
      for (let index = pieces.length - 1; index >= 0; index--) open.push(pieces[index])
    }
  }
  return written.join("")
}

/** JSON text of a value of any depth. */
export const jsonText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "null"
  } catch (error) {
    // A value that contains itself is no data; only the depth is.
    if (error instanceof RangeError) return writeDeep(value)
    throw error
  }
}

const limited = (value: object, levels: number): unknown => {
  if (levels === 0) return jsonText(value)
  let isSame = true
  const fields = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const next = isTree(inner) ? limited(inner, levels - 1) : inner
    if (next !== inner) isSame = false
    return [key, next] as const
  })
  if (isSame) return value
  return Array.isArray(value) ? fields.map(([, next]) => next) : Object.fromEntries(fields)
}

/** The value with at most so many levels, what is below them as JSON text. The same value where it has no more. */
export const limitDepth = <Value>(value: Value, levels: number = deepestNesting): Value =>
  isTree(value) && isDeeper(value, levels) ? (limited(value, levels) as Value) : value
