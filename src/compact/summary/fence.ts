/**
 * A fence around text that others wrote: a pair of lines that cannot occur inside, so that nothing in there can pretend
 * to stand outside. Derived from the content, because the same input must give the same bytes.
 */
import { hexHash } from "../../model/index.ts"

/** A name that occurs nowhere in the text. */
export const fenceFor = (content: string): string => {
  for (let round = 0; ; round++) {
    const name = `history-${hexHash(`${round}:${content}`, 12)}`
    if (!content.includes(name)) return name
  }
}

export const fenced = (content: string, name: string): string => `<${name}>\n${content}\n</${name}>`
