/**
 * Puts written parts back into the message they came from, among the parts that are for the screen alone. Every written
 * part knows the wire part it came from; one without stays behind the one it was written after.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { sameElements } from "../codec.ts"
import { isScreenPart, partsOf } from "./format.ts"
import type { WrittenPart } from "./write-part.ts"

/** After a trip through JSON a part is no longer the same object as the one in its message: then equal text must do. */
const finder = (parts: readonly unknown[]): ((from: unknown) => unknown) => {
  const known = new Set(parts)
  let copies: Map<string, unknown[]> | undefined
  return (from) => {
    if (known.has(from)) return from
    if (!copies) {
      copies = new Map()
      for (const part of parts) {
        const key = JSON.stringify(part)
        const list = copies.get(key)
        if (list) list.push(part)
        else copies.set(key, [part])
      }
      for (const list of copies.values()) list.reverse()
    }
    return copies.get(JSON.stringify(from))?.pop()
  }
}

const isAttachment = (from: unknown): boolean => isWire(from) && from["type"] === undefined

const textParts = (parts: readonly unknown[]): string =>
  parts.flatMap((part) => (isWire(part) && part["type"] === "text" ? [part["text"]] : [])).join("\n")

/** Every part that is not for the screen alone was written again as it is, in order. */
const isUntouched = (parts: readonly unknown[], written: readonly WrittenPart[]): boolean => {
  let next = 0
  for (const part of parts) if (!isScreenPart(part) && written[next++]?.part !== part) return false
  return next === written.length
}

/** The message with these parts: the very same where they say the same. */
export const restore = (wire: Wire, written: readonly WrittenPart[]): Wire => {
  const parts = partsOf(wire)
  if (isUntouched(parts, written)) return wire
  const find = finder(parts)
  const leading: unknown[] = []
  const places = new Map<unknown, unknown[]>()
  let place = leading
  for (const { part, from } of written) {
    if (isAttachment(from)) continue
    const found = from === undefined ? undefined : find(from)
    if (found === undefined) {
      place.push(part)
      continue
    }
    place = places.get(found) ?? []
    place.push(part === from ? found : part)
    places.set(found, place)
  }
  const restored = [...leading, ...parts.flatMap((part) => (isScreenPart(part) ? [part] : (places.get(part) ?? [])))]
  if (sameElements(restored, parts)) return wire
  const { toolInvocations: _, ...named } = wire
  const { content, ...silent } = named
  const kept = Array.isArray(content) ? silent : named
  // Version 4 says the text twice; both must say the same.
  const text = typeof wire["content"] === "string" && { content: textParts(restored) }
  return { ...kept, ...text, parts: restored }
}
