/**
 * Codex CLI: rollout files, `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.
 *
 * Default view: effective, what the agent would send next. A session is the history of requests, so its items are those
 * of the Responses API and keep that format's wire values. A system prompt becomes a developer message in a new session:
 * there the model sees it and a reader finds it again, while Codex keeps the instructions that its own tools need.
 */
import { isWire, phrase, type Wire } from "../../model/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { recordsOf } from "../engine/fields.ts"
import { epoch, isoOf, isoTimes, millisecondsOf } from "../engine/iso-time.ts"
import type { RecordReading, SessionFacts } from "../engine/session-format.ts"
import { findHistory, flatten, homesOf, neededBase, unflatten } from "./history.ts"
import { capabilities, format, payloadOf, recordTypes, textField, textOf, typeOf } from "./items.ts"
import { itemReader } from "./read-item.ts"
import { isAlone, itemWriter, withOrdinals, wrapped } from "./write-item.ts"

/** The version whose records new sessions are like. */
const cliVersion = "0.142.3"

const turnStarts: ReadonlySet<unknown> = new Set(["task_started", "turn_started"])

/**
 * A record by itself. A turn begins with its own event where the version writes one, and with the prompt in any case. The event
 * that repeats the prompt is no beginning: read without the item before it, it would be taken for a second prompt.
 */
const read = (record: Wire): RecordReading => {
  const item = payloadOf(record, "response_item")
  if (item) return itemReader(format)(item)
  return turnStarts.has(payloadOf(record, "event_msg")?.["type"]) ? { starts: true } : {}
}

const headersIn = (records: readonly unknown[]): readonly Wire[] =>
  records.map((record) => payloadOf(record, "session_meta")).filter((header) => header !== undefined)

/** The last value of a field that later headers and turns may have anew. */
const latest = (records: readonly unknown[], type: string, field: string): string | undefined => {
  for (let index = records.length - 1; index >= 0; index--) {
    const value = textField(payloadOf(records[index], type), field)
    if (value !== undefined) return value
  }
  return undefined
}

/** The thread that started this one, as older headers have it. */
const spawnedBy = (meta: Wire | undefined): string | undefined => {
  let source: unknown = meta?.["source"]
  for (const key of ["subagent", "thread_spawn"]) source = isWire(source) ? source[key] : undefined
  return isWire(source) ? textField(source, "parent_thread_id") : undefined
}

const about = (value: unknown): SessionFacts => {
  const records = recordsOf(value)
  // A fork copies the header of the session it came from after its own.
  const headers = headersIn(records)
  const [meta] = headers
  const parent = textField(meta, "parent_thread_id") ?? spawnedBy(meta)
  const needs = headers.flatMap((header) => neededBase(header) ?? []).join("; ")
  return {
    id: textField(meta, "id") ?? textField(meta, "session_id"),
    folder: textField(meta, "cwd") ?? latest(records, "turn_context", "cwd"),
    model: latest(records, "turn_context", "model"),
    agentVersion: textField(meta, "cli_version"),
    startedAt: textField(meta, "timestamp") ?? textField(records.find(isWire), "timestamp"),
    ...(parent !== undefined && { subagent: { session: parent } }),
    ...(needs !== "" && { needs }),
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const threadId = (id: string): string => (uuid.test(id) ? id.toLowerCase() : deriveUuid("codex", id))

const event = (payload: Wire): Wire => ({ type: "event_msg", payload })

const imagesIn = ({ content }: Wire): readonly unknown[] =>
  (Array.isArray(content) ? (content as readonly unknown[]) : []).flatMap((part) =>
    isWire(part) && part["type"] === "input_image" ? [part["image_url"]] : [],
  )

/** What user and agent wrote once more as events: Codex lists and shows a session by them. */
const withMirrors = (record: Wire): readonly Wire[] => {
  const item = payloadOf(record, "response_item")
  const message = item && typeOf(item) === "message" ? textOf(item) : ""
  if (item?.["role"] === "assistant") return [event({ type: "agent_message", message }), record]
  if (item?.["role"] !== "user") return [record]
  return [record, event({ type: "user_message", message, images: imagesIn(item), local_images: [], text_elements: [] })]
}

/** A history that begins with a summary goes on with the instructions that were there before it. */
const newFile = (records: readonly unknown[]): readonly Wire[] => {
  const time = isoTimes(textField(isWire(records[0]) ? records[0] : {}, "timestamp"))
  const instructions: Wire[] = []
  return records
    .filter(isWire)
    .flatMap((record) => {
      const item = payloadOf(record, "response_item")
      if (item?.["role"] === "developer") instructions.push(item)
      const compaction = payloadOf(record, "compacted")
      const history = compaction?.["replacement_history"] as readonly Wire[] | undefined
      const whole = history ? { ...record, payload: { ...compaction, replacement_history: [...instructions, ...history] } } : record
      return withMirrors(whole)
    })
    .map((record): Wire => {
      const { timestamp: _, ...rest } = record
      return { timestamp: time(), ...rest }
    })
}

/** Names that no other agent's files use for a record with a payload. */
const ownTypes: ReadonlySet<unknown> = new Set(["response_item", "event_msg", "turn_context", "compacted"])

export const codexRollout = defineSession({
  format,
  title: "Codex rollout",
  agent: "Codex CLI",
  sources:
    "openai/codex codex-rs/protocol and codex-rs/rollout (2026); sessions of versions 0.140 to 0.147 in EntityProcess/agentv, es617/claude-replay and shleder/codex-rescue; sessions of version 0.169.0, which was run",
  aliases: ["codex"],
  capabilities,
  wraps: "openai-responses",
  layout: "lines",
  view: "effective",
  profile: "openai-responses",
  // It answers open calls itself and leaves out outputs without a call, as long as a line is read. Arguments are text for its provider,
  // whatever a model wrote there.
  heals: ["empty-text", "empty-message", "unanswered-call", "orphan-result", "torn-line", "invalid-arguments"],
  records: (value) => flatten(recordsOf(value)),
  homes: (value) => homesOf(recordsOf(value)),
  wrap: (value, flat, change) => {
    if (value === undefined) return { records: newFile(flat) }
    const before = recordsOf(value)
    const kept = new Set(change?.places.map((now) => flat[now]))
    const records = change ? unflatten(before, flat, change) : before
    return { records: withOrdinals(records, (record) => change !== undefined && !kept.has(record) && record["type"] !== "compacted") }
  },
  find: (value, _, options) => findHistory(recordsOf(value), options),
  read,
  origin: (value) => {
    const records = recordsOf(value)
    const model = latest(records, "turn_context", "model")
    return { provider: textField(headersIn(records)[0], "model_provider") ?? "openai", ...(model !== undefined && { model }) }
  },
  write: itemWriter(wrapped),
  alone: isAlone,
  sessionId: (seed) => deriveUuid("codex", seed),
  // Without a `model_provider`: Codex refuses to resume a session under another provider than the one it names.
  header: ({ session, time }) => [
    {
      timestamp: time,
      type: "session_meta",
      payload: {
        id: threadId(session.id),
        timestamp: time,
        cwd: session.folder ?? "/",
        originator: "ligature",
        cli_version: cliVersion,
        source: "cli",
      },
    },
  ],
  about,
  counts: (record) => {
    const item = payloadOf(record, "response_item")
    return record["type"] === "event_msg" || (item !== undefined && typeOf(item) === "message")
  },
  marks: [
    {
      certainty: "certain",
      evidence: "it has a session_meta record",
      isOn: ({ type, payload }) => type === "session_meta" && isWire(payload),
      suffices: true,
    },
  ],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its records are response items and events with a payload",
      isOn: (value) => ownRecords(recordsOf(value)) > 1,
    },
    {
      certainty: "likely",
      evidence: "it has a response item or an event with a payload",
      isOn: (value) => ownRecords(recordsOf(value)) === 1,
    },
  ],
  place: ({ startedAt }) => {
    const started = isoOf(millisecondsOf(startedAt ?? epoch) ?? 0)
    const [day = "", clock = ""] = started.split("T")
    const moment = `${day}T${clock.slice(0, 8).replaceAll(":", "-")}`
    return {
      otherwise: "unknown",
      path: (name) => `~/.codex/sessions/${day.replaceAll("-", "/")}/rollout-${moment}-${name}.jsonl`,
      resume: (name) => `codex resume ${name}`,
      note: phrase`resume it by its id: the picker of codex resume lists only what is in the agent's database, and a file that was copied there is not; CODEX_HOME moves ~/.codex`,
    }
  },
})

/** How many records are Codex's; none where most are not. The first line may be torn or missing. */
const ownRecords = (records: readonly unknown[]): number => {
  let own = 0
  let other = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (!isWire(record["payload"]) || !recordTypes.has(record["type"])) other++
    else if (ownTypes.has(record["type"])) own++
  }
  return other > own ? 0 : own
}
