/**
 * A body with its long texts shortened: whether a history is valid does not depend on the middle of what a tool printed, and
 * that is most of its bytes. What is found valid in the outline is valid; any finding leads to a look at the whole body.
 *
 * Texts are shortened that are text and nothing else to a provider: not ids and names, which have limits, not arguments, which
 * are JSON, not data of media. A body with surrogates that are written as escapes is not shortened, because half of one
 * may be anywhere. Cuts are made before blanks, which are never a part of an escape or of a longer character.
 */
import { skipBlanks, skipText } from "../conversation/slices.ts"

const plainTexts: ReadonlySet<string> = new Set(["text", "content", "output", "thinking", "description", "system", "instructions"])

const quote = 34
const blank = 32
const colon = 58

/** Texts from this size on are shortened to what is at both of their ends. */
const longBytes = 768
const keptBytes = 256

/** Undefined: not worth it, or not possible. */
export const outlineOf = (bytes: Buffer): Buffer | undefined => {
  const { length } = bytes
  if (bytes.includes("\\ud") || bytes.includes("\\uD")) return undefined
  const parts: Buffer[] = []
  let from = 0
  let [keyStart, keyEnd] = [0, 0]
  let kept = 0
  for (let at = 0; at < length;) {
    if (bytes[at] !== quote) {
      at++
      continue
    }
    const end = skipText(bytes, at)
    if (end > length) return undefined
    if (end - at >= longBytes && plainTexts.has(bytes.toString("latin1", keyStart + 1, keyEnd - 1))) {
      const head = bytes.subarray(at, at + keptBytes).lastIndexOf(blank)
      const tail = bytes.subarray(end - keptBytes, end).indexOf(blank)
      if (head > 0 && tail >= 0) {
        parts.push(bytes.subarray(from, at + head))
        kept += at + head - from
        from = end - keptBytes + tail
      }
    } else if (end - at < 64) {
      const next = bytes[end] === colon ? end : skipBlanks(bytes, end)
      if (bytes[next] === colon) [keyStart, keyEnd] = [at, end]
    }
    at = end
  }
  kept += length - from
  if (kept > length * 0.75) return undefined
  parts.push(bytes.subarray(from))
  return Buffer.concat(parts, kept)
}
