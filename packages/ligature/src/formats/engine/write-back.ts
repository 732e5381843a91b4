/** Whether what is to be written is still what was read: then the wire value goes back as it came. */
import type { ContentBlock, ResultBlock, Wire } from "../../model/index.ts"

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
