/** What happens to session files on disk: damage to records, lines and bytes, each a pure function of its choices. */
import type { Choices } from "../../../src/testing/index.ts"
import { callIdsOf } from "./naive-reading.ts"
import { type Entry, invalidBytes, isObject, parsed, type SessionText } from "./session-text.ts"

type Damage = (session: SessionText, choices: Choices) => SessionText
type Json = Readonly<Record<string, unknown>>

const withEntries = (session: SessionText, entries: readonly Entry[]): SessionText => ({ ...session, entries })

const replaced = (session: SessionText, index: number, ...entries: readonly Entry[]): SessionText =>
  withEntries(session, session.entries.toSpliced(index, 1, ...entries))

const lineEnd = ({ kind }: SessionText): string => (kind === "lines" ? "\n" : "")

/** Some record other than the first, which holds what the file says of itself; none where there is no other. */
const drawn = ({ entries }: SessionText, choices: Choices): number =>
  entries.length < 2 ? entries.length : 1 + choices.number(entries.length - 1)

const torn = (entry: Entry, choices: Choices): Entry => ({
  ...entry,
  text: entry.text.slice(0, 1 + choices.number(Math.max(1, entry.text.length - 2))),
  whole: false,
})

/** In one JSON value nothing after a tear can be read. */
const tornFrom = (session: SessionText, index: number, choices: Choices): SessionText =>
  withEntries(
    session,
    session.entries.map((entry, place) => {
      if (place < index) return entry
      if (place === index) return torn(entry, choices)
      return session.kind === "value" ? { ...entry, whole: false } : entry
    }),
  )

const rewritten = (entry: Entry, rewrite: (record: Json) => unknown): Entry => {
  const record = parsed(entry.text)
  return entry.whole && isObject(record) ? { ...entry, text: JSON.stringify(rewrite(record)) } : entry
}

/** Every member with one of the names, at any depth, given a new value. */
const withMembers = (value: unknown, names: ReadonlySet<string>, change: (old: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((element: unknown) => withMembers(element, names, change))
  if (!isObject(value)) return value
  const changed = ([key, old]: readonly [string, unknown]): readonly [string, unknown] => [
    key,
    names.has(key) ? change(old) : withMembers(old, names, change),
  ]
  return Object.fromEntries(Object.entries(value).map(changed))
}

const rewriteAt = (session: SessionText, index: number, rewrite: (record: Json) => unknown): SessionText => {
  const entry = session.entries[index]
  return entry === undefined ? session : replaced(session, index, rewritten(entry, rewrite))
}

/** One record with new values for members of these names. */
const misfill =
  (names: readonly string[], value: unknown): Damage =>
  (session, choices) =>
    rewriteAt(session, drawn(session, choices), (record) => withMembers(record, new Set(names), () => value))

/** Inside the first long string of a record. */
const insideText =
  (inserted: string): Damage =>
  (session, choices) => {
    const index = drawn(session, choices)
    const entry = session.entries[index]
    if (entry === undefined) return session
    const place = entry.text.search(/[a-z]{3} [a-z]{3}/)
    const text = place === -1 ? entry.text : `${entry.text.slice(0, place + 3)}${inserted}${entry.text.slice(place + 3)}`
    return replaced(session, index, { ...entry, text })
  }

const between =
  (inserted: string): Damage =>
  (session, choices) => {
    const index = drawn(session, choices)
    const entry = session.entries[index]
    if (entry === undefined) return session
    const { lead, text } = entry
    const changed = session.kind === "lines" ? { text: inserted + text } : { lead: inserted + lead }
    return replaced(session, index, { ...entry, ...changed })
  }

const parentNames = new Set(["parentUuid", "parentId", "parentID", "logicalParentUuid"])

const identity = (entry: Entry | undefined): unknown => {
  const record = entry === undefined ? undefined : parsed(entry.text)
  if (!isObject(record)) return undefined
  const info = isObject(record["info"]) ? record["info"] : record
  return info["uuid"] ?? info["id"]
}

const recordIdNames = new Set(["uuid", "id", ...parentNames])

/** The ids of the record itself and of its parent, not those of anything in it. */
const withRecordIds = (record: Json, change: (old: unknown) => unknown): unknown => {
  const renamed = ([key, old]: readonly [string, unknown]): readonly [string, unknown] => [key, recordIdNames.has(key) ? change(old) : old]
  const changed = (value: Json): Json => Object.fromEntries(Object.entries(value).map(renamed))
  return isObject(record["info"]) ? { ...record, info: changed(record["info"]) } : changed(record)
}

const unknownRecords: readonly unknown[] = [
  { type: "telemetry_v9", uuid: "u-unknown", parentUuid: null, sessionId: "s", payload: { a: [1] } },
  { kind: "FutureEvent", id: "future-1", data: "x" },
  { role: "narrator", content: "Meanwhile, in another place." },
  {},
  ["a list"],
  42,
  null,
  "a string",
]

const redacted = (session: SessionText, ids: ReadonlySet<string>, only?: number): SessionText =>
  withEntries(
    session,
    session.entries.map((entry, index) => {
      if (only !== undefined && index !== only) return entry
      let { text } = entry
      for (const id of ids) text = text.replaceAll(JSON.stringify(id), '"REDACTED"')
      return { ...entry, text }
    }),
  )

export const damages: Readonly<Record<string, Damage>> = {
  "drop a record": (session, choices) => replaced(session, drawn(session, choices)),
  "repeat a record": (session, choices) => {
    const index = drawn(session, choices)
    const entry = session.entries[index]
    if (entry === undefined || entry.lead !== "") return session
    return withEntries(session, session.entries.toSpliced(index, 0, { ...entry, after: lineEnd(session) }))
  },
  "swap neighbours": (session, choices) => {
    const index = drawn(session, choices)
    const [left, right] = session.entries.slice(index, index + 2)
    if (left?.whole !== true || right?.whole !== true) return session
    const swapped = [
      { ...right, after: left.after },
      { ...left, after: right.after },
    ]
    return withEntries(session, session.entries.toSpliced(index, 2, ...swapped))
  },
  "tear a record": (session, choices) => tornFrom(session, drawn(session, choices), choices),
  "tear the last record": (session, choices) => {
    const { entries } = session
    const last = entries.at(-1)
    if (last === undefined || entries.length < 2) return session
    return { ...session, entries: [...entries.slice(0, -1), { ...torn(last, choices), after: "" }], tail: "" }
  },
  "glue two records": (session, choices) => {
    const index = drawn(session, choices)
    const entry = session.entries[index]
    return entry === undefined || session.kind === "value" ? session : replaced(session, index, { ...entry, after: "" })
  },
  "byte order mark": (session) => ({ ...session, head: `\uFEFF${session.head.replace("\uFEFF", "")}` }),
  "byte order mark in the middle": (session, choices) => (session.kind === "lines" ? between("\uFEFF")(session, choices) : session),
  "NUL run": between("\0".repeat(64)),
  "NUL run at the end": (session) => ({ ...session, tail: `${session.tail}${"\0".repeat(512)}` }),
  "NUL inside a text": insideText("\0"),
  "invalid UTF-8": insideText(invalidBytes),
  "carriage returns": (session) => ({
    ...session,
    entries: session.entries.map((entry) => ({ ...entry, after: entry.after.replaceAll("\n", "\r\n") })),
    head: session.head.replaceAll("\n", "\r\n"),
    tail: session.tail.replaceAll("\n", "\r\n"),
  }),
  "line separators": insideText("\u2028"),
  "blank lines": (session, choices) => between("\n\n  \n")(session, choices),
  "cut the head off": (session, choices) =>
    withEntries(session, session.entries.slice(choices.number(Math.max(1, session.entries.length - 2)))),
  "cut the tail off": (session, choices) => {
    const kept = session.entries.slice(0, 2 + choices.number(Math.max(1, session.entries.length - 1)))
    return { ...session, entries: kept }
  },
  "remove the first record": (session) => withEntries(session, session.entries.slice(session.entries.length > 1 ? 1 : 0)),
  "redact all call ids": (session) => redacted(session, callIdsOf(session.entries.map(({ text }) => parsed(text)))),
  "redact the ids of one record": (session, choices) => {
    const index = drawn(session, choices)
    const record = parsed(session.entries[index]?.text ?? "")
    const ids = callIdsOf(record)
    const own = identity(session.entries[index])
    if (typeof own === "string") ids.add(own)
    return redacted(session, ids, index)
  },
  "redact the ids of all records": (session) =>
    withEntries(
      session,
      session.entries.map((entry, index) => {
        if (index === 0) return entry
        const redact = (old: unknown): unknown => (typeof old === "string" ? "REDACTED" : old)
        return rewritten(entry, (record) => withRecordIds(record, redact))
      }),
    ),
  "unknown record": (session, choices) => {
    const record = unknownRecords[choices.number(unknownRecords.length)]
    const index = drawn(session, choices)
    if (session.entries[index]?.lead !== "" || session.entries[index]?.whole !== true) return session
    const entry: Entry = { lead: "", text: JSON.stringify(record), whole: true, after: lineEnd(session) }
    return withEntries(session, session.entries.toSpliced(index, 0, entry))
  },
  "null content": misfill(["content", "parts", "output", "result"], null),
  "number for text": misfill(["text"], 42),
  "number for content": misfill(["content", "output", "arguments", "input"], 7),
  "no role": misfill(["role"], null),
  "parent that is nowhere": misfill([...parentNames], "00000000-dead-4000-8000-000000000000"),
  "parents of each other": (session, choices) => {
    const first = drawn(session, choices)
    const second = drawn(session, choices)
    const pointed = (index: number, to: unknown, now: SessionText): SessionText =>
      to === undefined ? now : rewriteAt(now, index, (record) => withMembers(record, parentNames, () => to))
    const [left, right] = [identity(session.entries[first]), identity(session.entries[second])]
    return pointed(second, left, pointed(first, right, session))
  },
  "own parent": (session, choices) => {
    const index = drawn(session, choices)
    const own = identity(session.entries[index])
    return rewriteAt(session, index, (record) => withMembers(record, parentNames, () => own))
  },
  "number for an id": misfill(["uuid", "id"], 5),
}

export const damageKinds: readonly string[] = Object.keys(damages)

/** Damage after which ids say less than before. */
export const idDamage: ReadonlySet<string> = new Set([
  "redact all call ids",
  "redact the ids of all records",
  "redact the ids of one record",
  "number for an id",
])
