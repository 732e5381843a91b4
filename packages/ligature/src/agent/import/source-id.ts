/**
 * Which conversation of a store an import belongs to: an id that follows from the source, so that importing it again finds
 * what is there, on every machine and in every store, and two imports at once cannot make two conversations of one session.
 *
 *   a session        its agent and its id; a sub-agent without an id of its own: also its task
 *   anything else    how it begins: the first words of the user, and what was answered to them
 *
 * An id is only a place to look. What lies there must also begin alike, else the next place is looked at (`placesOf`): names
 * are given twice, and two conversations may well begin with the same words.
 */
import { createHash } from "node:crypto"
import { isSessionCodec, resolveCodec, type SessionOutline } from "../../convert/index.ts"
import { canonicalJson } from "../../model/index.ts"
import type { NewEntry } from "../../store/index.ts"
import { keptIn } from "../resume/exported.ts"
import { type ContentKey, contentKeys } from "./find-conversation.ts"

/** The same letters as those of ids that a store gives. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const idLength = 20

const idFrom = (parts: readonly string[]): string => {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest()
  return Array.from(bytes.subarray(0, idLength), (byte) => alphabet[byte % 32]).join("")
}

/** The places where a source may be found, in the order in which they are looked at. */
export interface SourceName {
  readonly parts: readonly string[]
  /** The source has the id of a session: where its history differs, it is a branch of that session and not another one. */
  readonly isSession: boolean
  /** It was compacted since, so that it may begin in another way than before. */
  readonly isCompacted?: boolean
  /** Its content, where that tells it from others of the same name. */
  readonly keys?: readonly ContentKey[]
}

const idOfSource = ({ parts }: SourceName): string => idFrom(parts)

/** A place to look: an id, and how much of the content it was made of. */
interface SourcePlace {
  readonly id: string
  readonly length: number
}

/** The id of a source that begins with so much of this content. */
export const placeOfPrefix = ({ parts, keys = [] }: SourceName, length: number): SourcePlace => ({
  id: idFrom([...parts, "prefix", ...keys.slice(0, length)]),
  length,
})

/** Names are given twice, but nobody gives one so often. */
const mostTurns = 1_000

/**
 * The places of a source, one after the other: its name, then ever longer parts of its content, so that a thousand sources
 * that begin alike part after a few looks; at last numbers. A source that grows keeps its places and gets more of them.
 */
export function* placesOf(name: SourceName): Generator<SourcePlace> {
  const { parts, keys = [] } = name
  yield { id: idFrom(parts), length: 0 }
  let length = 1
  for (; length < keys.length; length *= 2) yield placeOfPrefix(name, length)
  if (keys.length > 0) yield placeOfPrefix(name, keys.length)
  for (let turn = 1; turn < mostTurns; turn++) yield { id: idFrom([...parts, ...keys, String(turn)]), length: keys.length }
}

const isRole = (entry: NewEntry, role: "user" | "assistant"): boolean => entry.kind === "message" && entry.message.role === role

const keysAt = (entries: readonly NewEntry[], index: number): readonly ContentKey[] => {
  const entry = entries[index]
  return entry ? contentKeys(entry) : []
}

/** What the user said first; without a user, whatever was said first. */
export const beginningOf = (entries: readonly NewEntry[]): ContentKey | undefined => {
  const asked = entries.findIndex((entry) => isRole(entry, "user"))
  return (asked < 0 ? entries.flatMap(contentKeys) : keysAt(entries, asked))[0]
}

/**
 * By how it begins. The second name is for a source that was imported before anything was answered: it is looked for
 * under the first words alone.
 */
const namesByBeginning = (entries: readonly NewEntry[]): readonly SourceName[] => {
  const asked = entries.findIndex((entry) => isRole(entry, "user"))
  const answered = entries.findIndex((entry, index) => index > asked && isRole(entry, "assistant"))
  const beginning = beginningOf(entries)
  // Without messages, the settings around them tell it from others.
  if (beginning === undefined) {
    const { source: _, ...around } = keptIn(entries[0]) ?? {}
    return [{ parts: ["empty", canonicalJson(around)], isSession: false }]
  }
  const alone: SourceName = { parts: ["beginning", beginning], isSession: false, keys: entries.flatMap(contentKeys) }
  return answered < 0 ? [alone] : [{ ...alone, parts: [...alone.parts, ...keysAt(entries, answered)] }, alone]
}

export interface SourceFacts {
  readonly format: string
  readonly outline: SessionOutline | undefined
  /** Of a compacted session, what was read, where that is not what its format reads by default. */
  readonly view?: string
}

const sessionName = (agent: string, id: string, isCompacted = false): SourceName => ({
  parts: ["session", agent, id],
  isSession: true,
  isCompacted,
})

/** A sub-agent without an id that lasts: by its session and its task. Two of them may have the same task. */
export const nameOfSubagent = (session: SourceName, entries: readonly NewEntry[]): SourceName => ({
  parts: [...session.parts, "subagent", beginningOf(entries) ?? ""],
  isSession: false,
  isCompacted: false,
  keys: entries.flatMap(contentKeys),
})

/** Under which names a source may be found, the likeliest first. */
export const namesOfSource = ({ format, outline, view }: SourceFacts, entries: readonly NewEntry[]): readonly SourceName[] => {
  const codec = resolveCodec(format)
  const { id, subagent } = outline ?? {}
  if (!isSessionCodec(codec) || codec.session.idsRepeat === true || id === undefined || id === "") return namesByBeginning(entries)
  const session = sessionName(codec.session.agent, id, (outline?.compactions.length ?? 0) > 0)
  const name = subagent?.session === id ? nameOfSubagent(session, entries) : session
  return [view === undefined ? name : { ...name, parts: [...name.parts, "view", view] }]
}

/** The id that the session which started a sub-agent has in a store; undefined where the source does not name it. */
export const parentOfSource = ({ format, outline }: SourceFacts): string | undefined => {
  const codec = resolveCodec(format)
  const session = outline?.subagent?.session
  return isSessionCodec(codec) && session !== undefined ? idOfSource(sessionName(codec.session.agent, session)) : undefined
}
