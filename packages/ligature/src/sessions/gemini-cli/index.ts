/**
 * Sessions of the Gemini CLI: until April 2026 one JSON object per file, since then JSON lines of the same records; a session
 * goes back into the shape of file it came in. The default view is what the agent would send next, checkpoints applied.
 * Rewound messages are on paths of their own in either view.
 */
import { type Block, type Diagnostic, isWire, phrase, shellWord, type Wire } from "../../model/index.ts"
import { gemini } from "../../formats/gemini/index.ts"
import { newReading, type Reading } from "../../formats/gemini/read-blocks.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { CallIds } from "../engine/call-id.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textOf } from "../engine/fields.ts"
import { isFileName } from "../engine/place-names.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"
import {
  findHistory,
  flatten,
  homesOf,
  isMetadata,
  isSpoken,
  metadataIn,
  metadataOf,
  partsOf,
  unflatten,
  withMetadata,
  withOwnIds,
} from "./history.ts"
import { copiesIn, countIds, format, readMessage } from "./read-message.ts"
import { projectHash, projectName } from "./project.ts"
import { write } from "./write-message.ts"

/** A bare `/command` is for the agent: no model has ever seen it. */
const commandShape = /^\s*(?:\/[a-z][a-z-]*|\?)\s*$/

const isCommand = (wire: Wire): boolean => {
  const parts = partsOf(wire["content"])
  const [first] = parts
  const text = typeof first === "string" ? first : isWire(first) ? first["text"] : undefined
  if (wire["type"] !== "user" || parts.length !== 1 || typeof text !== "string") return false
  return text.length < 40 && commandShape.test(text)
}

/** Reads records one after the other. */
const recordReader = (uses: CallIds["uses"], summaries: ReadonlySet<number>): ((record: Wire, index: number) => RecordReading) => {
  const reading: Reading = newReading()
  const ids: CallIds = { uses, calls: 0 }
  let answered: ReadonlySet<string> = new Set()
  /** A checkpoint repeats as user messages the results that the calls before it already have: those are not read twice. */
  const isRepeated = (block: Block): boolean => block.type === "result" && answered.has(block.callId)
  return (record, index) => {
    if (!isSpoken(record) || isCommand(record)) return {}
    const { type, model } = record
    const known = reading.diagnostics.length
    const { blocks, results } = readMessage(record, reading, ids)
    const id = textOf(record["id"])
    const shared = id !== undefined && { id }
    const messages: RecordMessage[] = []
    if (type === "user") {
      const said = blocks.filter((block) => !isRepeated(block))
      if (said.length > 0) messages.push({ role: "user", blocks: said, ...(summaries.has(index) && { summary: true as const }), ...shared })
    } else {
      const origin = { provider: "gemini", ...(textOf(model) !== undefined && { model: stringOf(model) }) }
      if (blocks.length > 0) messages.push({ role: "assistant", blocks, origin, ...shared })
      if (results.length > 0) messages.push({ role: "tool", blocks: results, ...shared })
      answered = new Set(results.map((result) => result.callId))
    }
    // What cannot be read at all is reported by the engine.
    const [shown] = partsOf(record["displayContent"])
    const title = textOf(isWire(shown) ? shown["text"] : shown)
    const copies = type === "gemini" ? copiesIn(record["toolCalls"]).size : 0
    return {
      messages,
      ...(title !== undefined && { title }),
      diagnostics: [
        ...reading.diagnostics.slice(known).filter(({ repair }) => repair?.kind === "safe"),
        ...(copies > 0
          ? [anomaly("repeated-results", {}, `${copies} results of other calls are in the results of these calls as well`)]
          : []),
      ],
    }
  }
}

/** Ids that several calls have: reported once for each id. */
const sharedCallIds = (uses: CallIds["uses"]): readonly Diagnostic[] =>
  [...uses].flatMap(([id, count]) => (count > 1 ? [anomaly("collapsed-id", {}, `${count} calls have the id ${id}`, [id])] : []))

const isLines = (value: unknown): boolean => Array.isArray(value) || (isWire(value) && Array.isArray(value["records"]))

const valueOf = (value: unknown, records: readonly unknown[]): Wire => {
  if (isLines(value)) return { records }
  return isWire(records[0]) ? records[0] : { records }
}

/** The system prompt is in the metadata, and in every update that repeats it. */
const withSystem = (record: unknown, text: string, before: string): unknown => {
  const fields = metadataIn(record)
  return isWire(record) && fields?.["systemInstruction"] === before ? withMetadata(record, { ...fields, systemInstruction: text }) : record
}

const firstTimeIn = (records: readonly unknown[]): unknown =>
  flatten(records).find((record): record is Wire => isWire(record) && typeof record["timestamp"] === "string")?.["timestamp"]

const isMessage = (record: Wire): boolean =>
  typeof record["id"] === "string" && typeof record["timestamp"] === "string" && "content" in record

/** The metadata may be torn off: then messages of type gemini, rewinds and updates give it away. */
const hasOwnRecords = (records: readonly unknown[]): boolean => {
  let marks = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (record["type"] === "gemini" && isMessage(record)) marks += 2
    else if (typeof record["$rewindTo"] === "string" || isWire(record["$set"])) marks++
  }
  return marks > 1
}

export const geminiCli = defineSession({
  format,
  title: "Gemini CLI session",
  agent: "Gemini CLI",
  sources:
    "google-gemini/gemini-cli packages/core/src/services/chatRecordingService.ts; sessions of version 0.61.0, which was run. " +
    "That it sends results twice when it resumes a session, and that the API refuses that, is its issue 29365",
  // What the API can express, with calls, results and thoughts in fields of their own: calls come after all text.
  capabilities: {
    homes: {
      ...gemini.capabilities.homes,
      "result-error": "native",
      thinking: "native",
      "block-order": "none",
      "call-id": "native",
      "system-in-the-middle": "none",
      "compaction-marks": "convention",
    },
  },
  layout: "value",
  orLines: true,
  view: "effective",
  profile: "gemini",
  prepare: (value) => {
    const records = recordsOf(value)
    const own = withOwnIds(records)
    return {
      value:
        own.records === records
          ? value
          : isWire(value) && isLines(value)
            ? { ...value, records: own.records }
            : isLines(value)
              ? own.records
              : own.records[0],
      diagnostics: own.diagnostics,
    }
  },
  records: (value) => flatten(recordsOf(value)),
  homes: (value) => homesOf(recordsOf(value)),
  wrap: (value, records, change) => {
    if (value === undefined) return { records }
    return valueOf(value, change ? unflatten(recordsOf(value), records, change, !isLines(value)) : recordsOf(value))
  },
  system: {
    read: (value) => textOf(metadataOf(recordsOf(value))["systemInstruction"]),
    write: (value, text, before) =>
      valueOf(
        value,
        recordsOf(value).map((record) => withSystem(record, text, before)),
      ),
  },
  find: (_, records, options) => {
    const { summaries, ...found } = findHistory(records, options)
    const uses = countIds(found.path.map((index) => records[index]))
    return { ...found, diagnostics: [...found.diagnostics, ...sharedCallIds(uses)], read: recordReader(uses, summaries) }
  },
  read: (record) => (typeof record["id"] === "string" ? recordReader(countIds([record]), new Set())(record, 0) : {}),
  write,
  results: "with-call",
  // Without startTime and lastUpdated: the agent takes the date of the file then, and at its next start deletes no session as
  // outdated that was moved into it today.
  header: ({ session, system }) => [
    {
      sessionId: session.id,
      projectHash: projectHash(session.folder ?? session.id),
      kind: "main",
      ...(session.title !== undefined && { summary: session.title }),
      ...(session.folder !== undefined && { directories: [session.folder] }),
      ...(system !== "" && { systemInstruction: system }),
    },
  ],
  facts: ({ type, model }) => (type === "gemini" ? { model: textOf(model) } : {}),
  about: (value) => {
    const records = recordsOf(value)
    const { sessionId, summary, directories, startTime = firstTimeIn(records), kind } = metadataOf(records)
    return {
      id: textOf(sessionId),
      title: textOf(summary),
      folder: textOf(listOf(directories)[0]),
      startedAt: textOf(startTime),
      ...(kind === "subagent" && { subagent: {} }),
    }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it has a sessionId and a projectHash around its messages",
      isOn: (value, syntax) =>
        syntax === "value" &&
        isWire(value) &&
        isMetadata(value) &&
        (Array.isArray(value["messages"]) || typeof value["startTime"] === "string"),
    },
    {
      certainty: "certain",
      evidence: "a record has a sessionId and a projectHash",
      isOn: (value, syntax) =>
        syntax === "lines" && listOf(value).some((record) => isWire(record) && isMetadata(record) && !("parentUuid" in record)),
    },
    {
      certainty: "likely",
      evidence: "messages of type gemini, updates or rewinds",
      isOn: (value, syntax) => syntax === "lines" && hasOwnRecords(listOf(value)),
    },
  ],
  place: ({ startedAt = "", folder }, value) => {
    const minute = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(startedAt)?.[0] ?? "1970-01-01T00:00"
    const hash = stringOf(metadataOf(recordsOf(value))["projectHash"])
    const project = folder !== undefined ? projectName(folder) : isFileName(hash) ? hash : "<project>"
    const ending = Array.isArray(value) ? "jsonl" : "json"
    return {
      otherwise: "",
      path: (name) => `~/.gemini/tmp/${project}/chats/session-${minute.replaceAll(":", "-")}-${name.slice(0, 8)}.${ending}`,
      resume: (name) => `gemini --resume ${name === "" ? "latest" : name}`,
      note:
        (folder === undefined
          ? phrase`The folder under tmp is the one the agent made for the project: start it there once to see which.`
          : phrase`Run it in ${shellWord(folder)}.`) +
        phrase` If ~/.gemini/projects.json has another name for the project, that is the folder under tmp. gemini --list-sessions shows what it found; inside, /resume lists sessions too.`,
    }
  },
})
