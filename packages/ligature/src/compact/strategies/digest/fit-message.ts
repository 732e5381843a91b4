/**
 * Fits a digest into what is left of the limit. Lines are counted one by one while they are chosen and the whole
 * message once it is written: the two differ a little, so what is left over is given back for another round, and what
 * is too much is taken away from the end of the choice, where the least is lost.
 */
import { text, type UserMessage } from "../../../model/index.ts"
import type { Meter } from "../../meter/meter.ts"
import { addSizes, fitsIn, type Size } from "../../meter/size.ts"
import type { Excerpt } from "./candidates.ts"
import type { Chooser } from "./choose-lines.ts"
import type { Passage } from "./relevance/lines.ts"
import { render } from "./render.ts"

export interface Page {
  readonly preface: string
  readonly passages: readonly Passage[]
  readonly headingOf: (group: number) => string
}

export interface Written {
  readonly message: UserMessage
  readonly lines: readonly Excerpt[]
  /** Of the view: the around and the message. */
  readonly size: Size
}

export const write = (page: Page, chosen: readonly Excerpt[], around: Size, meter: Meter): Written => {
  const message: UserMessage = {
    role: "user",
    blocks: [text(render(page.preface, chosen, page.passages, page.headingOf))],
    summary: true,
  }
  return { message, lines: [...chosen], size: addSizes(around, meter.sizeOfMessage(message)) }
}

export interface Space {
  readonly limit: Size
  /** What the limit comes down to in tokens. */
  readonly budget: number
}

interface Room {
  readonly limit: Size
  /** Tokens to come near to. */
  readonly aim: number
  /** The verbatim part around the digest. */
  readonly around: Size
  /** Tokens left for lines that are chosen. */
  readonly left: number
  /** Lines that show nothing first may fill it too. */
  readonly takesAll: boolean
}

const rounds = 4
const fullEnough = 0.985

interface Fitted extends Written {
  /** Lines had to be taken away that the chooser takes for shown. */
  readonly isCut: boolean
}

/** The fullest writing that fits; undefined when none does. Lines that must be there are the last to go. */
export const fitDigest = (
  page: Page,
  certain: readonly Excerpt[],
  chooser: Chooser,
  { limit, aim, around, left, takesAll }: Room,
  meter: Meter,
): Fitted | undefined => {
  const chosen = [...certain]
  let best: Written | undefined
  let allowance = left
  for (let round = 0; round < rounds; round++) {
    const first = chooser.pick(allowance)
    const more = first.length > 0 || !takesAll ? first : chooser.pickShown(allowance)
    if (round > 0 && more.length === 0) break
    for (const line of more) chosen.push(line)
    const written = write(page, chosen, around, meter)
    if (!fitsIn(written.size, limit)) {
      const shorter = shortened(page, chosen, written, limit, around, meter)
      const longer = best && best.lines.length > (shorter?.lines.length ?? 0) ? best : shorter
      return longer && { ...longer, isCut: true }
    }
    best = written
    allowance = aim - written.size.tokens
    if (written.size.tokens >= fullEnough * aim) break
  }
  return best && { ...best, isCut: false }
}

const shortened = (
  page: Page,
  chosen: Excerpt[],
  tooLong: Written,
  limit: Size,
  around: Size,
  meter: Meter,
): Written | undefined => {
  let written = tooLong
  while (chosen.length > 0) {
    const excess = Math.max(written.size.tokens / limit.tokens, written.size.bytes / limit.bytes) - 1
    // Half of them at most: one line may be what is too large.
    chosen.length -= Math.max(1, Math.floor(chosen.length * Math.min(0.5, excess * 0.5)))
    written = write(page, chosen, around, meter)
    if (fitsIn(written.size, limit)) return written
  }
  return undefined
}
