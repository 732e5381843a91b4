/**
 * Walks from one place of a text to the next by native search, which passes over what is in between many times as fast
 * as looking at every line does. Each stretch is searched once, however often it is asked about.
 */

/** The first place at or behind `from`; Infinity without one. `from` must not decrease from one question to the next. */
export type Seek = (from: number) => number

export const seek = (text: string, words: string): Seek => {
  let found = -Infinity
  return (from) => {
    if (found < from) {
      const place = text.indexOf(words, from)
      found = place < 0 ? Infinity : place
    }
    return found
  }
}

/** Where the next line starts that starts with these words. `from` is the start of a line. */
export const seekLine = (text: string, words: string): Seek => {
  const next = seek(text, `\n${words}`)
  return (from) => (from === 0 && text.startsWith(words) ? 0 : next(from - 1) + 1)
}
