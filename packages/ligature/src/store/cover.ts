/** Fingerprints of entries: how a summary or hide knows that what it covers still says the same. */
import { canonicalJson, hexHash } from "../model/index.ts"
import type { Cover, Entry, EntryBody } from "./entry.ts"

/** What an entry says, without where and when it stands. */
const saidBy = (entry: EntryBody): unknown => {
  switch (entry.kind) {
    case "message":
      return entry.message
    case "result":
      return [entry.result, entry.native ?? null]
    case "summary":
      return [entry.message, entry.covers]
    case "hide":
      return entry.covers
    case "rename":
      return entry.title
    case "tip":
      return entry.to
    case "note":
      return [entry.name, entry.value]
    default:
      return entry satisfies never
  }
}

/** The same for equal contents, on every machine; depends on no id, parent or time. */
export const fingerprintOf = (entry: EntryBody): string => hexHash(`${entry.kind}:${canonicalJson(saidBy(entry))}`, 16)

/** Names entries for `covers` of a summary or a hide. */
export const cover = (entries: readonly Entry[]): readonly Cover[] =>
  entries.map((entry) => ({ id: entry.id, fingerprint: fingerprintOf(entry) }))
