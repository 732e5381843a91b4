/**
 * The meters there are: the estimate (the default), one with a tokenizer of the user, and either of them calibrated to
 * what a provider reported.
 */
import { LigatureError } from "../../model/index.ts"
import { scanText } from "./estimate-tokens.ts"
import { createMeter, type Meter } from "./meter.ts"
import type { Size } from "./size.ts"

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
 * A meter that counts exactly. Tokenizers in JavaScript take quadratic time on long unbroken text, and some crash on it,
 * so they are fed in chunks. A chunk ends before whitespace, where tokenizers begin a piece anyway; only a run without
 * whitespace that is longer than a chunk is cut inside, which can add a token per cut and never takes one away.
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

/** Measured beside o200k on recorded sessions: at the 95th percentile a message counts for this much more than it has. */
const tolerance = 0.09

/** The default meter: no tokenizer, no vocabulary, a little on the high side for every provider. */
export const estimateMeter: Meter = createMeter(scanText, tolerance)

/** One request: our estimate of it and the input tokens its provider reported, cached ones included. */
export interface UsageSample {
  readonly estimated: number
  readonly reported: number
}

const least = 0.6
const most = 1.8

/**
 * Learns from what a provider reported: the same conversation, estimated by us and counted by it. Vocabularies differ
 * by a factor that is steady within a conversation, so one factor per conversation is enough. A report that is wildly off
 * counts something else: one that is far too low leaves out what was cached, and is not believed; one that is far too high
 * counts tools we do not know of, and is believed up to a bound, because counting too much is safe.
 *
 * Reported over estimated, weighed by size; 1 without a sample that can be believed.
 */
export const calibrationFactor = (samples: readonly UsageSample[]): number => {
  let estimated = 0
  let reported = 0
  for (const sample of samples) {
    if (!(sample.estimated > 0 && Number.isFinite(sample.estimated + sample.reported))) continue
    if (sample.reported < least * sample.estimated) continue
    estimated += sample.estimated
    reported += sample.reported
  }
  return estimated === 0 ? 1 : Math.min(most, reported / estimated)
}

/** The same meter with its tokens scaled to what the provider reports; the very meter when they agree. */
export const calibrate = (meter: Meter, samples: readonly UsageSample[]): Meter =>
  scaledMeter(meter, calibrationFactor(samples))

export const scaledMeter = (meter: Meter, factor: number): Meter => {
  if (factor === 1) return meter
  const sizeOfText = (text: string): Size => {
    const { tokens, bytes } = meter.sizeOfText(text)
    return { tokens: Math.ceil(tokens * factor), bytes }
  }
  return createMeter(sizeOfText, meter.tolerance, factor)
}
