/**
 * One path through a session as a list of entries.
 *
 * The effective view is what the agent would send next. The whole view is all that was said, in order: where a
 * compaction put a history in place of the old one, only the part of it that was not said before is shown (the summary,
 * surroundings said anew), so that no word stands there twice.
 */
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { asWord, canonicalJson } from "../../model/index.ts"
import type { Entry, Finding, Reading } from "./entry.ts"
import { callIdOf, textOf, typeOf } from "./items.ts"
import { readSession, type Session } from "./read-session.ts"
import { type Link, linksTo, type Point } from "./walk.ts"

/** Two items with one key say the same; ids and bookkeeping of the item aside. */
const keyOf = ({ source: item, words: own }: Entry): string => {
  if (own) return `${own.role}\u0000${own.text}`
  const type = typeOf(item)
  if (type === "message") {
    const words = textOf(item)
    return `${asWord(item["role"])}\u0000${words === "" ? canonicalJson(item["content"]) : words}`
  }
  const id = callIdOf(item) ?? item["encrypted_content"] ?? item["id"]
  return `${asWord(type)}\u0000${typeof id === "string" ? id : canonicalJson(item)}`
}

const wholeEntries = (links: readonly Link[]): readonly Entry[] => {
  const compacted = links.some((link) => link.replacement)
  const entries: Entry[] = []
  const said = new Set<string>()
  for (const { entry, replacement } of links) {
    if (entry) entries.push(entry)
    if (entry && compacted) said.add(keyOf(entry))
    const anew = replacement?.entries.filter((other) => !said.has(keyOf(other))) ?? []
    for (const other of anew) {
      entries.push(other)
      said.add(keyOf(other))
    }
  }
  return entries
}

const effectiveEntries = (links: readonly Link[]): readonly Entry[] =>
  links.flatMap((link) => (link.entry ? [link.entry] : []))

/** The name of an abandoned path: records have no ids of their own. */
export const abandonedId = (ordinal: number): string => `rolled-back-${ordinal + 1}`

export const activeId = "active"

const pointOf = (session: Session, branch: string | undefined): Point | undefined => {
  if (branch === undefined || branch === activeId) return session.walk.tip
  return session.walk.abandoned.find((_, ordinal) => abandonedId(ordinal) === branch)?.tip
}

export type PathOptions = Pick<DecodeOptions, "branch" | "view">

export const readPath = (records: readonly unknown[], { branch, view }: PathOptions): Reading => {
  const session = readSession(records)
  const { repeated, walk } = session
  const point = pointOf(session, branch)
  const { whole, effective } = point ?? walk.tip
  const entries = view === "whole" ? wholeEntries(linksTo(whole)) : effectiveEntries(linksTo(effective))
  const unknown: Finding = {
    kind: "unknown-record",
    record: 0,
    what: `There is no path ${String(branch)} in this session`,
    why: "Only paths that the outline names can be read.",
    help: "The active path is read instead.",
  }
  return { entries, repeated, findings: point ? session.findings : [unknown, ...session.findings] }
}
