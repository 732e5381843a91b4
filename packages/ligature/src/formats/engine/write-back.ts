/** Writing what was read: unchanged wire values go back as they came, and failures are marked where a format has no flag. */
import { type ContentBlock, errorMark, type ResultBlock, type Wire } from "../../model/index.ts"

/** The wire value with this text. */
export const withText = (wire: Wire, text: string): Wire => (wire["text"] === text ? wire : { ...wire, text })

const sameBlock = (left: ContentBlock, right: ContentBlock | undefined, format: string): boolean => {
  if (!right || left.type !== right.type || left.native?.[format] !== right.native?.[format]) return false
  return left.type !== "text" || left.text === (right as typeof left).text
}

/** `before`: the wire result read again, because only its reader knows what it said. */
export const sameResult = (before: ResultBlock, result: ResultBlock, format: string): boolean =>
  before.error === result.error &&
  before.synthetic === result.synthetic &&
  before.content.length === result.content.length &&
  result.content.every((block, index) => sameBlock(block, before.content[index], format))

/** Goes before the text of a failed result where nothing else says so. A placeholder result says it by its own text. */
export const errorMarkOf = (result: ResultBlock): string => (result.error === true && result.synthetic === undefined ? errorMark : "")
