/**
 * Codex CLI: rollout files, `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.
 *
 * Default view: effective, what the agent would send next. A session is the history of requests, so its items are those
 * of the Responses API and keep that codec's wire values; the transcript keeps all records and how they were read.
 */
import { type Conversation, isWire, type Origin, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions, EncodeOptions } from "../../formats/engine/codec.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { Recognised, SessionCodec, SessionCompaction, SessionOutline, SessionPath, SessionPlace, SessionSample } from "../../formats/engine/session.ts"
import { epoch, isoOf, millisecondsOf } from "../engine/iso-time.ts"
import { namedPlace } from "../engine/place-names.ts"
import {
  capabilities,
  format,
  isPrompt,
  payloadOf,
  pulse,
  recordsOf,
  recordTypes,
  textField,
  textOf,
  titleFrom,
} from "./items.ts"
import { newSession } from "./new-session.ts"
import { abandonedId, activeId, neededBase, type PathOptions, readPath, readSession } from "./read-session.ts"
import { Rewriter } from "./rewrite.ts"
import { transcribe } from "./transcribe.ts"
import { type Entry, isMessage, type Link, linksTo } from "./walk.ts"
import { type Dialect, weave } from "./weave.ts"

/** Names that no other agent's files use for a record with a payload. */
const marks: ReadonlySet<unknown> = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"])

/** A known type around a payload. The first line may be torn or missing. */
const recognise = ({ records }: SessionSample): Recognised | undefined => {
  let found = 0
  let other = 0
  for (const record of records) {
    if (!isWire(record)) continue
    const { type, payload } = record
    if (!isWire(payload) || !recordTypes.has(type)) other++
    else if (type === "session_meta") return { certainty: "certain", why: "it has a session_meta record" }
    else if (marks.has(type)) found++
  }
  if (found === 0 || other > found) return undefined
  const why = "its records are response items and events with a payload"
  return { certainty: found > 1 ? "certain" : "likely", why }
}

const promptOf = ({ source, words }: Entry): string | undefined => {
  if (words) return words.role === "user" ? words.text : undefined
  return isPrompt(source) ? textOf(source) : undefined
}

const titleOf = (links: readonly Link[]): string | undefined => {
  for (const { entry } of links) {
    const prompt = entry && promptOf(entry)?.trim()
    if (prompt) return titleFrom(prompt)
  }
  return undefined
}

const recordOf = (link: Link | undefined): number | undefined => link?.entry?.record ?? link?.replacement?.record

const pathOf = (id: string, kind: SessionPath["kind"], links: readonly Link[], leaves?: number): SessionPath => {
  const title = titleOf(links)
  const [first] = links
  return {
    id,
    kind,
    ...(title !== undefined && { title }),
    messages: links.filter(({ entry }) => entry && isMessage(entry)).length,
    first: recordOf(first) ?? 0,
    ...(leaves !== undefined && { leaves }),
  }
}

const compactionOf = (record: Wire, index: number): SessionCompaction | undefined => {
  const payload = payloadOf(record, "compacted")
  if (!payload) return undefined
  const summary = textField(payload, "message")
  return { record: index, kind: "summary", ...(summary !== undefined && { summary }) }
}

const headerOf = (records: readonly unknown[]): Wire | undefined =>
  payloadOf(records.find((record) => payloadOf(record, "session_meta")), "session_meta")

/** The last value of a field that later headers and turns may say anew. */
const latest = (records: readonly unknown[], type: string, field: string): string | undefined => {
  for (let index = records.length - 1; index >= 0; index--) {
    const value = textField(payloadOf(records[index], type), field)
    if (value !== undefined) return value
  }
  return undefined
}

/** The thread that started this one, as older headers say it. */
const spawnedBy = (meta: Wire | undefined): string | undefined => {
  let source: unknown = meta?.["source"]
  for (const key of ["subagent", "thread_spawn"]) source = isWire(source) ? source[key] : undefined
  return isWire(source) ? textField(source, "parent_thread_id") : undefined
}

/** What a rollout says beside its messages: who and where, the paths through it, where it was compacted. */
const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const { walk, repeated } = readSession(records)
  const headers = records.flatMap((record): readonly Wire[] => {
    const header = payloadOf(record, "session_meta")
    return header ? [header] : []
  })
  // A fork copies the header of the session it came from behind its own.
  const [meta] = headers
  const first = records.find(isWire)
  const active = linksTo(walk.tip.whole)
  const paths = walk.abandoned.map(({ tip, fork }, ordinal) =>
    pathOf(abandonedId(ordinal), "abandoned", linksTo(tip.whole, fork.whole), recordOf(fork.whole)),
  )
  const compactions = records.flatMap((record, index) =>
    isWire(record) && !repeated.has(index) ? (compactionOf(record, index) ?? []) : [],
  )
  const parent = textField(meta, "parent_thread_id") ?? spawnedBy(meta)
  const needs = headers.flatMap((header) => neededBase(header) ?? [])
  const fields = {
    id: textField(meta, "id") ?? textField(meta, "session_id"),
    title: titleOf(active),
    folder: textField(meta, "cwd") ?? latest(records, "turn_context", "cwd"),
    model: latest(records, "turn_context", "model"),
    agentVersion: textField(meta, "cli_version"),
    startedAt: textField(meta, "timestamp") ?? textField(first, "timestamp"),
  }
  const known: Partial<SessionOutline> = Object.fromEntries(Object.entries(fields).filter(([, field]) => field))
  return {
    ...known,
    ...(parent !== undefined && { subagent: { session: parent } }),
    paths: [pathOf(activeId, "active", active), ...paths],
    compactions,
    ...(needs.length > 0 && { needs }),
  }
}

/** Where Codex looks for a session: by the day it began, the name made of that moment and the thread. */
const place = (value: unknown): SessionPlace => {
  const meta = headerOf(recordsOf(value))
  const startedAt = isoOf(millisecondsOf(textField(meta, "timestamp") ?? epoch) ?? 0)
  const [day = "", clock = ""] = startedAt.split("T")
  const moment = `${day}T${clock.slice(0, 8).replaceAll(":", "-")}`
  return namedPlace({
    id: textField(meta, "id"),
    otherwise: "unknown",
    path: (name) => `~/.codex/sessions/${day.replaceAll("-", "/")}/rollout-${moment}-${name}.jsonl`,
    resume: (name) => `codex resume ${name}`,
    note: "CODEX_HOME moves ~/.codex; the list of sessions shows those of the current folder, with --all every one",
  })
}

/** Who answered: the provider of the first header, the model of the last turn. */
const originOf = (records: readonly unknown[]): Origin => {
  const model = latest(records, "turn_context", "model")
  const provider = textField(headerOf(records), "model_provider") ?? "openai"
  return { provider, ...(model !== undefined && { model }) }
}

const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { branch, view, lines, source } = options
  const read = { ...(branch !== undefined && { branch }), ...(view !== undefined && { view }) }
  const { messages, diagnostics } = transcribe(readPath(records, read), format, lines)
  const envelope: Wire = isWire(value) && records === value["records"] ? value : {}
  return {
    format,
    messages,
    native: { [format]: { ...envelope, records, ...read } },
    origin: originOf(records),
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

const dialect: Dialect = {
  replace: (record, payload) => ({ ...record, payload }),
  replaceWords: (record, message) => ({ ...record, payload: { ...(record["payload"] as Wire), message } }),
  wrap: (payload, like) => {
    const timestamp = like?.["timestamp"]
    return { ...(typeof timestamp === "string" && { timestamp }), type: "response_item", payload }
  },
}

/** The records it came with, touched as little as can be, or a new session. */
const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) return { records: newSession(conversation, options) }
  const records = native["records"] as readonly unknown[]
  const { entries, repeated } = readPath(records, native as PathOptions)
  const written = new Rewriter(format, entries).conversation(conversation)
  return { records: weave(records, { entries, repeated }, written, dialect) }
}

export const codexRollout: SessionCodec = withDepthLimit({
  format,
  title: "Codex rollout",
  capabilities,
  wraps: "openai-responses",
  decode,
  encode,
  session: {
    agent: "Codex CLI",
    layout: "lines",
    writes: "any",
    view: "effective",
    profile: "openai-responses",
    aliases: ["codex"],
    recognise,
    outline,
    pulse,
    place,
  },
})
