/**
 * A meter with the user's tokenizer. Tokenizers in JavaScript take quadratic time on long unbroken text, and some
 * crash on it, so they are fed in chunks. A chunk ends in front of whitespace, where tokenizers begin a piece anyway;
 * only a run without whitespace that is longer than a chunk is cut inside, which can add a token per cut and never
 * takes one away.
 */
import { LigatureError } from "../../model/index.ts"
import { createMeter } from "./create-meter.ts"
import { scanText } from "./estimate-tokens.ts"
import type { Meter } from "./meter.ts"

export interface TokenCounter {
  /** Exact number of tokens of a text. */
  readonly count: (text: string) => number
  /** Most characters it is fed at once; default 4096. */
  readonly chunk?: number
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Where the chunk that begins at `from` ends. Never between the halves of a character. */
const endOfChunk = (text: string, from: number, most: number): number => {
  const limit = from + most
  if (limit >= text.length) return text.length
  for (let end = limit; end > from; end--) {
    if (isBlank(text.charCodeAt(end)) && !isBlank(text.charCodeAt(end - 1))) return end
  }
  const next = text.charCodeAt(limit)
  return next >= 0xdc00 && next < 0xe000 && most > 1 ? limit - 1 : limit
}

/**
 * A meter that counts exactly.
 *
 * @example
 * const count = (text) => text.split(/\b/).length // or that of a tokenizer: gpt-tokenizer, tiktoken, …
 * const meter = meterOf({ count })
 */
export const meterOf = ({ count, chunk = 4096 }: TokenCounter): Meter => {
  if (!(chunk >= 2)) throw new LigatureError("bad-option", `Expected a chunk of 2 or more characters, got ${chunk}`)
  const most = Math.trunc(chunk)
  const counted = (text: string): number => {
    const tokens = count(text)
    if (typeof tokens === "number" && tokens >= 0) return tokens
    throw new LigatureError("bad-option", `Expected a number of tokens from count, got ${JSON.stringify(tokens)?.slice(0, 40)}`)
  }
  return createMeter((text) => {
    let tokens = 0
    for (let from = 0; from < text.length; ) {
      const end = endOfChunk(text, from, most)
      tokens += counted(text.slice(from, end))
      from = end
    }
    return { tokens, bytes: scanText(text).bytes }
  })
}
