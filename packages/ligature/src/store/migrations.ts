/**
 * Stepwise migrations of stored lines: step n turns a line of version n into one of version n + 1. A log is never
 * rewritten; its old lines go through the steps each time they are read, and the rest of the code knows one shape.
 */
import type { Wire } from "../model/index.ts"
import { formatVersion } from "./entry.ts"

// Version 0 had one entry per line, without sums or operations:
//
//   {"ligature":0,"conversation":"…","time":1763251200000}
//   {"id":"1","parent":null,"time":1763251200001,"type":"message","message":{…}}
//   {"id":"3","parent":"2","time":1763251200003,"type":"head","head":"1"}
//
// Version 1 has one operation per line. An old entry becomes an operation of its own, named after the entry.

const entryPerLine = (line: Wire): Wire => {
  if ("ligature" in line) {
    const { conversation, time, ligature: _, ...rest } = line
    return { ...rest, ligature: 1, id: conversation, created: time }
  }
  const { id, parent, time, type, head, ...rest } = line
  if (typeof id !== "string" || typeof type !== "string") return line
  const body = type === "head" ? { kind: "tip", to: head ?? null } : { kind: type, ...rest }
  return { operation: `v0:${id}`, at: time, parent: parent ?? null, entries: [{ id, ...body }] }
}

/** One step, for a header or any other line. Lines it does not understand come back as they are. */
type Migration = (line: Wire) => Wire

export const migrations: readonly Migration[] = [entryPerLine]

/** Brings a line of an older version to the current one. */
export const migrateLine = (line: Wire, version: number): Wire =>
  version >= formatVersion ? line : migrations.slice(version).reduce((value, step) => step(value), line)
