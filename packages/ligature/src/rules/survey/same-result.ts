/** Whether two results say the same: a copy, not a second opinion. */
import { canonicalJson, type ResultBlock, resultText } from "../../model/index.ts"

export const sameResult = (left: ResultBlock, right: ResultBlock): boolean =>
  left.error === right.error &&
  left.content.length === right.content.length &&
  resultText(left) === resultText(right) &&
  left.content.every((block, index) => {
    const other = right.content[index]
    if (block.type !== other?.type) return false
    if (block.type !== "media" || other.type !== "media") return true
    return canonicalJson(block.source) === canonicalJson(other.source)
  })
