/** Reads stored operations of the current version back into entries, alike for every store. */
import { isWire, type Wire } from "../model/index.ts"
import { type Entry, onPath, type Operation } from "./entry.ts"
import { readEntryBody } from "./entry-shape.ts"

const nullableText = (value: unknown): value is string | null => value === null || typeof value === "string"

/** The operation of a line of the current version; undefined when it is none. */
export const readOperation = (line: Wire): Operation | undefined => {
  const { operation, at, parent, entries } = line
  if (typeof operation !== "string" || typeof at !== "number" || !Array.isArray(entries)) return undefined
  const read: Entry[] = []
  // No id is empty: an entry whose parent was damaged has one that is missing, not none.
  let expected = nullableText(parent) ? parent : ""
  for (const value of entries) {
    if (!isWire(value) || typeof value["id"] !== "string") return undefined
    const { id } = value
    const own = nullableText(value["parent"]) ? value["parent"] : expected
    const body = readEntryBody(value)
    // The value was parsed for us alone: completing it is several times cheaper than copying it.
    read.push(Object.assign(body, { id, parent: own, operation, at }))
    if (body.kind === "tip") expected = body.to
    else expected = onPath[body.kind] ? id : own
  }
  return { operation, at, entries: read }
}
