/**
 * Room that lines do not fill. A line is chosen for what it shows first, so a history that says the same things again and
 * again has few lines worth choosing, and most of a large budget would stay empty. What is left goes to the newest
 * exchanges, verbatim: their lines leave the digest, which makes more room, so it takes a few rounds. Where the next
 * exchange is too large, it goes to lines whose terms are shown already.
 */
import { fitsIn } from "../../meter/size.ts"
import type { Space } from "./fit-message.ts"
import type { Frame } from "./verbatim.ts"
import type { Digest, DigestWriter } from "./write-digest.ts"

/** Less than this share of the budget is not worth another round. */
const littleLeft = 0.03
const mostRounds = 6

export interface Filling {
  readonly space: Space
  /** What stays with so many tokens of newest exchanges, where they fit. */
  readonly frameWith: (tailTokens: number) => Frame
  readonly writer: DigestWriter
}

const leftOf = ({ size }: Digest, { budget }: Space): number => budget - size.tokens

const hasRoom = (digest: Digest, space: Space): boolean =>
  leftOf(digest, space) > littleLeft * space.budget && digest.size.bytes <= (1 - littleLeft) * space.limit.bytes

const isGood = ({ isComplete, size }: Digest, { limit }: Space): boolean => isComplete && fitsIn(size, limit)

export const withLongerTail = (first: Digest, { space, frameWith, writer }: Filling): Digest => {
  let best = first
  const longer = (more: number): Digest | undefined => {
    const frame = frameWith(best.frame.tail + more)
    const next = frame.tail > best.frame.tail ? writer.write(frame, space, { before: best }) : undefined
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
  const fuller = writer.write(digest.frame, space, { before: digest, takesAll: true })
  return isGood(fuller, space) && leftOf(fuller, space) < leftOf(digest, space) ? fuller : digest
}
