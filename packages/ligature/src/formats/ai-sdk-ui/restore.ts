/**
 * Puts written parts back into the message they came from, among the parts that are for the screen alone. Every written
 * part knows the wire part it came from; one without stays behind the one it was written after.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { sameElements } from "../engine/codec.ts"
import { isScreenPart, partsOf } from "./format.ts"
import type { WrittenPart } from "./write-part.ts"

/**
 * Where in the message a part stands. After a trip through JSON a part is no longer the same object as the one in its
 * message: then equal text must do. Of equal texts and nulls, which are no objects, each is found once.
 */
const finder = (parts: readonly unknown[]): ((from: unknown) => number | undefined) => {
  const known = new Map<unknown, number[]>()
  const note = (map: Map<unknown, number[]>, key: unknown, index: number): void => {
    const list = map.get(key)
    if (list) list.push(index)
    else map.set(key, [index])
  }
  parts.forEach((part, index) => note(known, part, index))
  let copies: Map<unknown, number[]> | undefined
  return (from) => {
    const own = known.get(from)
    if (own) return own.length > 1 ? own.shift() : own[0]
    if (!copies) {
      copies = new Map()
      for (const [index, part] of parts.entries()) note(copies, JSON.stringify(part), index)
    }
    return copies.get(JSON.stringify(from))?.shift()
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
  const places = new Map<number, unknown[]>()
  let place = leading
  for (const { part, from } of written) {
    const found = from === undefined ? undefined : find(from)
    if (found === undefined) {
      if (!isAttachment(from)) place.push(part)
      continue
    }
    place = places.get(found) ?? []
    place.push(part === from ? parts[found] : part)
    places.set(found, place)
  }
  const restored = [...leading, ...parts.flatMap((part, index) => (isScreenPart(part) ? [part] : (places.get(index) ?? [])))]
  if (sameElements(restored, parts)) return wire
  const { toolInvocations: _, ...named } = wire
  const { content, ...silent } = named
  const kept = Array.isArray(content) ? silent : named
  // Version 4 says the text twice; both must say the same.
  const text = typeof wire["content"] === "string" && { content: textParts(restored) }
  return { ...kept, ...text, parts: restored }
}
