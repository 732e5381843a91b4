/**
 * Opens a file: bytes in, the conversations it holds out, each as the value its format's decoder takes, and the way
 * back: `rebuild` writes the file with some conversations replaced and everything else as it was.
 * Data never makes it throw; what is wrong with the file is in `problems`.
 *
 *     const document = openDocument(bytes)
 *     for (const part of document.parts) decoders[part.format](part.value)
 *     const text = document.rebuild(new Map([[document.parts[0], newWireValue]]))
 */

import type { Document, DocumentPart, OpenOptions } from "./document.ts"
import { partsOfSplit, type LocatedPart, type PartsOfSplit } from "./document-parts.ts"
import { canBeReadAs, isWireFormat, listKeyOf } from "./formats.ts"
import { assertOptions, phrase, translated } from "../model/index.ts"
import { isMostlyUnread } from "../formats/engine/session.ts"
import { hasSignOfDepth } from "../json/depth.ts"
import { at, isDeeperThan, isList, member } from "../json/json-value.ts"
import { problem, type Problem } from "../json/problem.ts"
import { readText, type ReadText } from "./read-text.ts"
import { rebuildText } from "./rebuild-text.ts"
import { recogniseSession, sessionParts, type RecognisedSession } from "./session-parts.ts"
import { unreadSessions } from "./shapes.ts"
import { allSessions, findSession } from "../registry/registry.ts"
import { splitLineBytes } from "../json/split-line-bytes.ts"
import { splitValues, type Split, type Unit } from "../json/split-values.ts"

/** Walking values for their depth would cost a tenth of parsing: it is done only where the text has signs of it. */
const maximumDepth = 1000
const unitsLookedAt = 8

export function openDocument(input: Uint8Array | string, options: OpenOptions = {}): Document {
  assertOptions(options, { from: true, name: true })
  const lines = typeof input === "string" ? undefined : splitLineBytes(input)
  if (lines !== undefined) return documentOf(readLater(input), lines, lines.mayBeDeep, options)
  const read = readText(input)
  if (!read.readable) {
    return { syntax: "json", parts: [], problems: read.problems, rebuild: () => unreadable(read, input) }
  }
  return documentOf(read, splitText(read.text) ?? splitValues(read.text), hasSignOfDepth(read.text), options)
}

/** Sessions in a text that is no JSON: no reader of another format could make anything of it. */
function splitText(text: string): Split | undefined {
  if (/^\s*(?:[[{"]|$)/.test(text)) return undefined
  for (const { session } of allSessions()) {
    const units = session.fromText?.(text)
    if (units !== undefined) return { syntax: "concatenated", units, torn: [], problems: [] }
  }
  return undefined
}

/** The conversations of records that a reader has split by itself; there is no text to rebuild. */
export function openRecords(split: Split, options: OpenOptions = {}): Document {
  return documentOf({ original: "", text: "", problems: [], readable: true }, split, false, options)
}

/** The text of lines that were read without it: only `rebuild` needs it. */
function readLater(input: Uint8Array | string): ReadText {
  let read: ReadText | undefined
  const whole = (): ReadText => (read ??= readText(input))
  return {
    get original() {
      return whole().original
    },
    get text() {
      return whole().text
    },
    problems: [],
    readable: true,
  }
}

function documentOf(read: ReadText, split: Split, mayBeDeep: boolean, options: OpenOptions): Document {
  const session = sessionOf(split, options)
  const unread = session === undefined ? unreadSession(split.units) : undefined
  const found =
    session === undefined ? (unread === undefined ? partsOfSplit(split) : nothing) : { ...nothing, located: sessionParts(split, session) }
  const problems: Problem[] = [...read.problems, ...split.problems.map((one) => withSalvage(one, found.located))]
  let located = found.located
  if (mayBeDeep) {
    located = located.filter(({ part }) => !isDeeperThan(part.value, maximumDepth))
    for (const { part } of found.located) if (!located.some((one) => one.part === part)) problems.push(tooDeep(part))
  }
  if (options.from !== undefined) located = located.map((one) => readAs(one, options, problems))
  for (const { part } of located) if (isElsewhere(part)) problems.push(otherList(part))
  if (unread !== undefined) problems.push(sessionFile(unread, options))
  else if (session !== undefined && found.located.length === 0) problems.push(emptySession(session, options))
  else if (session !== undefined && isNotUnderstood(session, found.located)) problems.push(notUnderstood(session, options))
  else if (located.length === 0) {
    if (!problems.some(({ severity }) => severity === "error")) problems.push(nothingFound(found, options))
  } else if (split.syntax !== "json" && found.others.length > 0) problems.push(otherLines(found.others))
  return {
    syntax: split.syntax,
    ...(session === undefined ? {} : { format: session.codec.format }),
    parts: located.map(({ part }) => part),
    problems,
    rebuild: (replacements) => rebuildText({ original: read.original, text: read.text, split, located }, replacements),
  }
}

const wasNamed = "the format was named"

const nothing: PartsOfSplit = { located: [], others: [], emptyLists: 0 }

/**
 * A named wire format is looked for as such, wherever it is, unless the file is certainly a session with records of its own; a
 * named session format is taken by its word.
 */
function sessionOf(split: Split, { from }: OpenOptions): RecognisedSession | undefined {
  const recognised = recogniseSession(split)
  if (from !== undefined && isWireFormat(from))
    return recognised?.certainty === "certain" && !hasCallsInText(recognised, from) ? recognised : undefined
  const named = from === undefined ? undefined : findSession(from)
  if (named === undefined || recognised?.codec === named || recognised?.certainty === "certain") return recognised
  if (isCertainlyWire(split, named)) return undefined
  const { layout, orLines } = named.session
  const syntax = layout === "lines" || (orLines === true && split.units.length > 1) ? "lines" : "value"
  return { codec: named, syntax, certainty: "guess", why: wasNamed }
}

/** A session whose calls may be text is a list that the reader of such calls takes as well. */
function hasCallsInText({ codec }: RecognisedSession, named: string): boolean {
  return named === "xml-text" && codec.session.migrate !== undefined
}

function isNotUnderstood({ codec, certainty }: RecognisedSession, located: readonly LocatedPart[]): boolean {
  if (certainty === "certain") return false
  return located.every(({ part }) => {
    const { messages } = codec.decode(part.value)
    return messages.every(({ blocks }) => blocks.length === 0) && isMostlyUnread(codec, part.value)
  })
}

function notUnderstood({ codec, why }: RecognisedSession, options: OpenOptions): Problem {
  const what = phrase`${called(options)} looks like a session of ${codec.session.agent} (${translated(why)}), but no message in it was understood.`
  return problem("unknown-format", what, phrase`No reader for its records exists yet.`)
}

/** Whether the whole file is messages of an API, which no reader of this session format takes for its own. Some sessions are such a list. */
function isCertainlyWire(split: Split, { format, wraps, session }: NonNullable<ReturnType<typeof findSession>>): boolean {
  const part = partsOfSplit(split).located[0]?.part
  if (part?.certainty !== "certain" || part.path !== "") return false
  return !canBeReadAs(part.format, format) && !(session.layout === "list" && wraps === part.format)
}

/** Only a caller that ignores `problems` gets here; handing out "" for a database would have it overwritten. */
function unreadable(read: ReadText, input: Uint8Array | string): string {
  if (read.original.length > 0 || input.length === 0) return read.original
  throw new Error("Expected a readable document, got one without text: see its problems.")
}

function readAs(one: LocatedPart, { from }: OpenOptions, problems: Problem[]): LocatedPart {
  const { part } = one
  if (from === undefined || from === part.format) return one
  if (part.certainty === "certain" && !canBeReadAs(part.format, from)) {
    const what = phrase`This is called ${from}, but it looks like ${part.format}: ${translated(part.why)}.`
    const wayOut = phrase`Leave the format out, or say ${part.format}.`
    const line = part.line === undefined ? {} : { line: part.line }
    problems.push(problem("wrong-format", what, wayOut, { path: part.path, ...line }))
    if (part.container === "session") return one
  }
  const asked = { ...part, format: from, why: wasNamed }
  const key = listKeyOf(part.format)
  if (part.container !== "request" || key === listKeyOf(from)) return { ...one, part: asked }
  const list = member(part.value, key)
  return { ...one, part: isList(list) ? { ...asked, value: list, container: "list" } : asked }
}

function messageCount(part: DocumentPart): number {
  const list = part.container === "request" ? at(part.value, [listKeyOf(part.format)]) : part.value
  return isList(list) ? list.length : 0
}

function withSalvage(one: Problem, located: readonly LocatedPart[]): Problem {
  if (one.kind !== "truncated-json" && one.kind !== "invalid-json") return one
  const parts = located.map(({ part }) => part)
  if (parts.length === 0) return { ...one, severity: "error" }
  const count = parts.reduce((sum, part) => sum + messageCount(part), 0)
  const read =
    parts.length > 1
      ? phrase`${count} complete messages in ${parts.length} conversations are read; the rest is left out.`
      : count === 1
        ? phrase`One complete message is read; the rest is left out.`
        : phrase`${count} complete messages are read; the rest is left out.`
  return { ...one, what: `${one.what} ${read}` }
}

/** At the top of a request body the name of the list says which API it is for. */
const requestLists: ReadonlySet<string> = new Set(["/messages", "/input", "/contents"])

/** Messages of one API under the name that another has for its list. */
function isElsewhere(part: DocumentPart): boolean {
  if (part.container !== "list" || !requestLists.has(part.path)) return false
  return isWireFormat(part.format) && part.path !== `/${listKeyOf(part.format)}`
}

function otherList(part: DocumentPart): Problem {
  const what = phrase`The list is called ${part.path.slice(1)}, but its messages are of ${part.format}: ${translated(part.why)}.`
  const wayOut = phrase`No server accepts them there. They are repaired as they are; convert --to makes a request of them.`
  const line = part.line === undefined ? {} : { line: part.line }
  return problem("other-list", what, wayOut, { path: part.path, ...line })
}

function tooDeep(part: DocumentPart): Problem {
  const what = phrase`A conversation is nested deeper than ${maximumDepth} levels.`
  const line = part.line === undefined ? {} : { line: part.line }
  const wayOut = phrase`No message is nested like that: look at what wrote the file.`
  return problem("too-deep", what, wayOut, { path: part.path, ...line })
}

function unreadSession(units: readonly Unit[]): string | undefined {
  for (const { value } of units.slice(0, unitsLookedAt)) {
    const match = unreadSessions.find(({ has }) =>
      has.every(([path, expected]) => {
        const found = at(value, path)
        return expected === undefined ? found !== undefined : found === expected
      }),
    )
    if (match !== undefined) return match.name
  }
  return undefined
}

function called({ name }: OpenOptions): string {
  return name === undefined ? phrase`The file` : name
}

function sessionFile(session: string, options: OpenOptions): Problem {
  const what = phrase`${called(options)} is a session file of ${session}, not a request or a message list.`
  return problem("session-file", what, phrase`No reader for that agent's sessions exists yet.`)
}

function emptySession({ codec, why }: RecognisedSession, options: OpenOptions): Problem {
  if (why === wasNamed) {
    const what = phrase`${called(options)} is called ${codec.format}, but nothing in it is a session of ${codec.session.agent}.`
    return problem("wrong-format", what, phrase`Leave the format out: it is found by content.`)
  }
  const what = phrase`${called(options)} is a file of ${codec.session.agent} without a session.`
  return problem("no-conversation", what, phrase`Nothing to do.`)
}

function nothingFound(found: PartsOfSplit, options: OpenOptions): Problem {
  if (found.emptyLists > 0) {
    const what = phrase`${called(options)} has no messages: every list for them is empty.`
    return problem("no-conversation", what, phrase`Nothing to do.`)
  }
  const what = phrase`${called(options)} is JSON, but has no list of messages of any known format.`
  const wayOut = phrase`Give a request body, a list of messages, or JSON lines of either.`
  return problem("unknown-format", what, wayOut)
}

function otherLines(others: readonly Unit[]): Problem {
  const first = others[0]?.line ?? 1
  const what =
    others.length === 1
      ? phrase`Line ${first} belongs to no conversation.`
      : phrase`${others.length} lines, the first of them ${first}, belong to no conversation.`
  return problem("other-lines", what, phrase`Nothing to do: they stay where and as they are.`, { line: first })
}
