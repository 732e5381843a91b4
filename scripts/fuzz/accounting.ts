/**
 * An oracle for "nothing is lost silently" that shares no code with what it checks: every long word in a text of the input must
 * be in the output or in the report, as often as it was in the input. Words are runs of ASCII letters and digits, so that
 * escaping, half characters and moves from one field into another do not hide them. Keys, tags (`"role": "assistant"`) and
 * ids, which repairs give anew, are no content.
 */
import { isTree, jsonOf, spotsIn, valueAt } from "./json-tree.ts"
import { tagKeys } from "./mutate-json.ts"

const longWord = /[A-Za-z0-9]{9,}/g
const idKey = /(?:^|_)(?:id|ids|uuid)$|I[dD]s?$|Uuid$/

const countInto = (words: Map<string, number>, text: string): void => {
  for (const [word] of text.matchAll(longWord)) words.set(word, (words.get(word) ?? 0) + 1)
}

/** How the OpenAI APIs tag their answers; any other word there is content. */
const answerTag = /^(?:chat\.completion(?:\.chunk)?|text_completion)$/

interface Placed {
  times: number
  /** Where it is first, without numbers: `messages[].content[].text`. */
  readonly place: string
}

/** The last steps of a path, so that equal losses of different inputs have equal names. */
const shortPath = (path: readonly string[]): string => path.slice(-3).join(".")

const wordsOf = (root: unknown): ReadonlyMap<string, Placed> => {
  const words = new Map<string, Placed>()
  const paths = new Map<unknown, readonly string[]>([[root, []]])
  for (const spot of spotsIn({ root })) {
    const { parent, key } = spot
    const value = valueAt(spot)
    const step = typeof key === "number" ? "[]" : key
    const path = [...(paths.get(parent) ?? []).slice(-2), step]
    if (isTree(value)) paths.set(value, path)
    if (typeof value !== "string" || tagKeys.has(step) || idKey.test(step)) continue
    if (step === "object" && answerTag.test(value)) continue
    for (const [word] of value.matchAll(longWord)) {
      const before = words.get(word)
      if (before) before.times++
      else words.set(word, { times: 1, place: shortPath(path) })
    }
  }
  return words
}

export interface Missing {
  readonly word: string
  readonly place: string
}

/** Long words of `before` that are neither in `after` nor in `report` as often as they were. */
export const missingWords = (before: unknown, after: unknown, report: unknown): readonly Missing[] => {
  const kept = `${jsonOf(after)}\n${jsonOf(report)}`
  const found = new Map<string, number>()
  countInto(found, kept)
  return [...wordsOf(before)].flatMap(([word, { times, place }]) => {
    // A word may be part of a longer one now: next to the letter of an escape, or of its neighbour.
    const isThere = (found.get(word) ?? 0) >= times || kept.split(word).length - 1 >= times
    return isThere ? [] : [{ word, place }]
  })
}
