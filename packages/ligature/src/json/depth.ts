/**
 * Whether a text may be nested beyond any sensible depth: whether it holds a long run of closing brackets or a deep
 * margin. Walking every value for its depth would cost a tenth of parsing.
 */

const signLength = 200

const signs: readonly string[] = [
  ...["]", "}", "}]", "]\n", "}\n"].map((closing) => closing.repeat(signLength / closing.length)),
  ...[" ", "\t"].map((space) => `\n${space.repeat(signLength)}`),
]

const marks: ReadonlySet<number> = new Set([..."]}\n \t"].map((mark) => mark.charCodeAt(0)))

/**
 * Every second character of a run is the same, and of two places half a run apart one is after half a run or more:
 * so a look at every hundredth character finds all runs, in a hundredth of the time that searching for them takes.
 */
const step = signLength / 2

export function hasSignOfDepth(text: string): boolean {
  for (let index = step - 1; index < text.length; index += step) {
    const mark = text.charCodeAt(index)
    if (text.charCodeAt(index - 2) !== mark || !marks.has(mark)) continue
    let start = index - 4
    while (start > index - step + 2 && text.charCodeAt(start) === mark) start -= 2
    if (start <= index - step + 2) return signs.some((sign) => text.includes(sign))
  }
  return false
}
