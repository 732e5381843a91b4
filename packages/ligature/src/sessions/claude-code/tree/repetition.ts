/**
 * Records that share a uuid. A retry or a second writer leaves a record in the file twice; a redactor gives one uuid to
 * all of them, and damage changes one of two copies. Only the first is a repetition: it says nothing of its own.
 */
import { isWire, type Wire } from "../../../model/index.ts"
import { kindOf, kinds, textIn } from "./record.ts"
import { sameContent } from "./same-content.ts"

/** A record that stands in the file again, and where it stood first. */
export interface Repetition {
  readonly record: number
  readonly of: number
}

/** The uuids under which records say different things. */
export const collapsedUuids = (records: readonly unknown[]): ReadonlySet<string> => {
  const collapsed = new Set<string>()
  const earlier = new Map<string, Wire>()
  for (const record of records) {
    const uuid = textIn(record, "uuid")
    if (uuid === undefined || !isWire(record) || kindOf(record) === kinds.outside) continue
    const before = earlier.get(uuid)
    if (before === undefined) earlier.set(uuid, record)
    else if (!collapsed.has(uuid) && !sameContent(before, record)) collapsed.add(uuid)
  }
  return collapsed
}
