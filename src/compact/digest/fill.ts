/**
 * Room that lines do not fill. A line is chosen for what it shows first, so a history that says the same things again and
 * again has few lines worth choosing, and most of a large budget would stay empty. What is left goes to the newest
 * exchanges, verbatim: their lines leave the digest, which makes more room, so it takes a few rounds. Where the next
 * exchange is too large, it goes to lines whose terms are shown already.
 */
import { fitsIn, type Size } from "../size.ts"
import type { Frame } from "./frame.ts"
import type { Digest } from "./write-digest.ts"

export interface Framed extends Digest {
  readonly frame: Frame
}

/** Less than this share of the budget is not worth another round. */
const littleLeft = 0.03
const mostRounds = 6

export interface Filling {
  readonly limit: Size
  readonly budget: number
  /** What stays with so many tokens of newest exchanges, where they fit. */
  readonly frameWith: (tailTokens: number) => Frame
  /** The digest inside of it; with `takesAll`, also of lines whose terms are shown already. */
  readonly within: (frame: Frame, takesAll?: boolean) => Framed
}

export const filled = (first: Framed, { limit, budget, frameWith, within }: Filling): Framed => {
  const leftOf = ({ size }: Framed): number => budget - size.tokens
  const isWorth = (each: Framed): boolean => leftOf(each) > littleLeft * budget
  let best = first
  for (let round = 0; round < mostRounds && isWorth(best); round++) {
    const frame = frameWith(best.frame.tail + leftOf(best))
    if (frame.tail <= best.frame.tail) break
    const next = within(frame)
    if (!next.isComplete || !fitsIn(next.size, limit)) break
    best = next
  }
  if (!isWorth(best)) return best
  const fuller = within(best.frame, true)
  return fuller.isComplete && fitsIn(fuller.size, limit) && leftOf(fuller) < leftOf(best) ? fuller : best
}
