/**
 * Version 0 had one entry per line, without sums or operations:
 *
 *   {"ligature":0,"conversation":"…","time":1763251200000}
 *   {"id":"1","parent":null,"time":1763251200001,"type":"message","message":{…}}
 *   {"id":"3","parent":"2","time":1763251200003,"type":"head","head":"1"}
 *
 * Version 1 has one operation per line. An old entry becomes an operation of its own, named after the entry.
 */
import type { Wire } from "../../model/index.ts"

export const entryPerLine = (line: Wire): Wire => {
  if ("ligature" in line) {
    const { conversation, time, ligature: _, ...rest } = line
    return { ...rest, ligature: 1, id: conversation, created: time }
  }
  const { id, parent, time, type, head, ...rest } = line
  if (typeof id !== "string" || typeof type !== "string") return line
  const body = type === "head" ? { kind: "tip", to: head ?? null } : { kind: type, ...rest }
  return { operation: `v0:${id}`, at: time, parent: parent ?? null, entries: [{ id, ...body }] }
}
