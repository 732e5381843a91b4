/**
 * Room that lines do not fill. A line is chosen for what it shows first, so a history that repeats the same things again and
 * again has few lines worth choosing, and most of a large budget would stay empty. What is left goes to the newest
 * exchanges, verbatim: their lines leave the digest, which makes more room, so it takes a few rounds. Where the next
 * exchange is too large, it goes to lines whose terms are shown already.
 */
import { fitsIn } from "../../meter/size.ts"
import type { Space } from "./fit-message.ts"
import type { Verbatim } from "./verbatim.ts"
import type { Digest, DigestWriter } from "./write-digest.ts"

/** Less than this share of the budget is not worth another round. */
const littleLeft = 0.03
const mostRounds = 6

interface Filling {
  readonly space: Space
  /** What stays with this many tokens of newest exchanges, where they fit. */
  readonly verbatimWith: (tailTokens: number) => Verbatim
  readonly writer: DigestWriter
}

const leftOf = ({ size }: Digest, { budget }: Space): number => budget - size.tokens

const hasRoom = (digest: Digest, space: Space): boolean =>
  leftOf(digest, space) > littleLeft * space.budget && digest.size.bytes <= (1 - littleLeft) * space.limit.bytes

const isGood = ({ isComplete, size }: Digest, { limit }: Space): boolean => isComplete && fitsIn(size, limit)

export const withLongerTail = (first: Digest, { space, verbatimWith, writer }: Filling): Digest => {
  let best = first
  const longer = (more: number): Digest | undefined => {
    const verbatim = verbatimWith(best.verbatim.tail + more)
    const next = verbatim.tail > best.verbatim.tail ? writer.write(verbatim, space, { before: best }) : undefined
    return next && isGood(next, space) && next.showsBefore ? next : undefined
  }
  for (let round = 0; round < mostRounds && hasRoom(best, space); round++) {
    const left = leftOf(best, space)
    const next = longer(left + writer.tokensOfNext(best)) ?? longer(left)
    if (!next) break
    best = next
  }
  return best
}

export const withMoreLines = (digest: Digest, { space, writer }: Pick<Filling, "space" | "writer">): Digest => {
  if (!hasRoom(digest, space)) return digest
  const fuller = writer.write(digest.verbatim, space, { before: digest, takesAll: true })
  return isGood(fuller, space) && leftOf(fuller, space) < leftOf(digest, space) ? fuller : digest
}
