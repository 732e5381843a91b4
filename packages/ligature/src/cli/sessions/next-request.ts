/** What an agent would send next when it resumes a session, and whether that is more than models take. */
import { estimateMeter } from "../../compact/index.ts"
import { decode } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { Conversation, Transcript } from "../../model/index.ts"
import { settle } from "../../rules/index.ts"
import type { Source } from "../input/source.ts"
import { reportedUsage } from "./reported-usage.ts"

/** With its system prompt and tools, a session of this size does not fit into a window of 200,000 tokens. */
export const usualMost = 150_000

/** Without tool definitions. */
export const tokensOf = ({ items }: Conversation): number => items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)

export const nextOf = (source: Source, part: DocumentPart): Transcript =>
  decode(part.format, part.value, { ...source.decodeOptions(part), view: "effective" })

/** No session with less content has so many tokens. */
const leastCharacters = usualMost * 2

const charactersOf = ({ messages }: Transcript): number => {
  let sum = 0
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "text") sum += block.text.length
      else if (block.type === "result") for (const inner of block.content) sum += inner.type === "text" ? inner.text.length : 0
      else if (block.type === "call")
        for (const value of Object.values(block.arguments)) sum += typeof value === "string" ? value.length : 0
    }
  }
  return sum
}

/** A provider that took a request of this size takes a little more. */
const grown = 1.1

const isTooMuch = (tokens: number, accepted: number): boolean => tokens > usualMost && tokens > accepted * grown

const acceptedIn = (part: DocumentPart): number => reportedUsage(part.value)?.largest ?? 0

/**
 * The tokens of a session that may be too large to resume; undefined for any other. One whose provider took as much before has a model
 * with a larger window. `transcript`: all of it.
 */
export const excessOf = (source: Source, part: DocumentPart, transcript: Transcript): number | undefined => {
  if (charactersOf(transcript) < leastCharacters) return undefined
  const tokens = tokensOf(settle(nextOf(source, part), { tip: "open" }).conversation)
  return isTooMuch(tokens, acceptedIn(part)) ? tokens : undefined
}

/** What one stretch of a long file adds to the request. Its long texts were read without their middle, so it is at least that. */
export interface StretchSize {
  readonly characters: number
  readonly accepted: number
}

export const stretchSizeOf = (part: DocumentPart, transcript: Transcript): StretchSize => ({
  characters: charactersOf(transcript),
  accepted: acceptedIn(part),
})

/** The same of all stretches since the last compaction, in tokens: four characters each. */
export const excessOfStretches = (stretches: readonly StretchSize[]): number | undefined => {
  const tokens = Math.round(stretches.reduce((sum, { characters }) => sum + characters, 0) / 4)
  return isTooMuch(tokens, Math.max(0, ...stretches.map(({ accepted }) => accepted))) ? tokens : undefined
}
