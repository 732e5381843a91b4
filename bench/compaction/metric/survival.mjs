/**
 * Whether an item is still there, and still in its context.
 *
 *   survives             found with non-word characters around it; a path also when a prefix and the rest of it are
 *                        both found, so that it can be composed
 *   survives in context  some occurrence has at least 60 % of the words of the ±5-word window, on its line, of some
 *                        original occurrence; an item that stood alone has at most 3 neighbours
 */
const isWord = (code) => (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)

/** Where `item` is in `text` with no word character before or after it. */
export function* occurrences(text, item) {
  for (let at = text.indexOf(item); at !== -1; at = text.indexOf(item, at + 1)) {
    const end = at + item.length
    if (at > 0 && isWord(text.charCodeAt(at - 1))) continue
    if (end < text.length && isWord(text.charCodeAt(end))) continue
    yield at
  }
}

export const isIn = (text, item) => !occurrences(text, item).next().done

/** Ways to write a path in two pieces. */
function* splitsOf(path) {
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1)) {
    if (at + 1 < path.length) yield [path.slice(0, at), path.slice(at + 1)]
  }
}

export const isComposable = (text, path) => {
  for (const [prefix, rest] of splitsOf(path)) if (isIn(text, prefix) && isIn(text, rest)) return true
  return false
}

const reach = 5
const enough = 0.6
const loneNeighbours = 3
const farthest = 400

const wordsIn = (text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []

/** The words around an occurrence, on its line. */
export const windowAt = (text, at, length) => {
  const lineStart = Math.max(text.lastIndexOf("\n", at - 1) + 1, at - farthest)
  const newline = text.indexOf("\n", at + length)
  const lineEnd = Math.min(newline === -1 ? text.length : newline, at + length + farthest)
  const before = at === 0 ? [] : wordsIn(text.slice(lineStart, at)).slice(-reach)
  return [...before, ...wordsIn(text.slice(at + length, lineEnd)).slice(0, reach)]
}

const windowLimit = 400

/** Distinct windows of the original occurrences: what `isInContext` compares with. */
export const windowsOf = (text, item) => {
  const windows = new Map()
  for (const at of occurrences(text, item)) {
    const words = [...new Set(windowAt(text, at, item.length))]
    windows.set(words.join(" "), words)
    if (windows.size >= windowLimit) break
  }
  return [...windows.values()]
}

const matches = (original, now) => {
  if (original.length === 0) return now.length <= loneNeighbours
  const present = new Set(now)
  let kept = 0
  for (const word of original) if (present.has(word)) kept++
  return kept >= enough * original.length
}

export const isInContext = (text, item, windows) => {
  for (const at of occurrences(text, item)) {
    const now = windowAt(text, at, item.length)
    if (windows.some((original) => matches(original, now))) return true
  }
  return false
}
