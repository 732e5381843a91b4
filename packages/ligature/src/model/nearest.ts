/** The known word a mistyped one most likely meant. */
import { phrase } from "./phrase.ts"

/** Number of single-character changes between two words; two letters that changed places are one change. */
const distance = (left: string, right: string): number => {
  let before: readonly number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const swapped = row > 1 && column > 1 && isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      const steps = [(previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + change]
      current.push(Math.min(swapped, ...steps))
    }
    before = previous
    previous = current
  }
  return previous[right.length] ?? 0
}

const longestWord = 80

/** Undefined when nothing is near enough to be worth saying. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > longestWord) return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const changes = candidate.startsWith(word) && word.length > 2 ? 1 : distance(word, candidate)
    if (changes < least) {
      best = candidate
      least = changes
    }
  }
  return best
}

/** `Did you mean x?`, or nothing. */
export const suggestion = (word: string, known: readonly string[]): string | undefined => {
  const near = nearest(word, known)
  return near === undefined ? undefined : phrase`Did you mean ${near}?`
}
