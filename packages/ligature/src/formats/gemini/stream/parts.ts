/** What a part of a stream is, at a glance, before the decoder reads it. */
import { isWire, type Wire } from "../../../model/index.ts"
import type { SlotKind } from "../../engine/recorder/draft.ts"
import { partKinds, partMarks, signatureOf } from "../fields.ts"

export const callOf = (part: Wire): Wire | undefined => {
  const held = part["functionCall"] ?? part["function_call"]
  return isWire(held) ? held : undefined
}

const heldKey = (part: Wire): string | undefined =>
  Object.keys(part).find((key) => !partMarks.has(key) && part[key] !== null && part[key] !== undefined)

const isSigned = (part: Wire): boolean => signatureOf(part) !== ""

export const kindOfPart = (part: Wire): SlotKind => {
  if (callOf(part)) return "call"
  const key = heldKey(part)
  if (key === undefined) return isSigned(part) ? "thinking" : "text"
  if (key === "text" && typeof part["text"] === "string") {
    return part["thought"] === true || (isSigned(part) && part["text"].trim() === "") ? "thinking" : "text"
  }
  const kind = partKinds.get(key)
  return kind === "inline" || kind === "file" ? "media" : "opaque"
}

/** Text that may be joined with text of the same kind next to it: nothing about it is signed or marked. */
export const isPlain = (part: Wire): boolean => {
  for (const key in part) if (key !== "text" && !(key === "thought" && part[key] === true)) return false
  return typeof part["text"] === "string"
}
