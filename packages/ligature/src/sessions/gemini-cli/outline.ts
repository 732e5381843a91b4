/** What a session says of itself, where it lies, and how its files are known. */
import { isWire, type Wire } from "../../model/index.ts"
import type {
  Recognised,
  RecordPulse,
  SessionOutline,
  SessionPath,
  SessionPlace,
  SessionSample,
} from "../../formats/engine/session.ts"
import { listOf, recordsOf, stringOf } from "../engine/fields.ts"
import { isMetadata, isSpoken, partsOf } from "./fields.ts"
import { activeId, type Entry, readHistory } from "./history.ts"
import { isFileName, namedPlace } from "../engine/place-names.ts"

const titleLength = 80

const wordsOf = (entry: Entry | undefined): string => {
  for (const part of partsOf(entry?.wire["displayContent"] ?? entry?.wire["content"])) {
    const text = typeof part === "string" ? part : isWire(part) ? stringOf(part["text"]) : ""
    if (text.trim() !== "") return text.trim().slice(0, titleLength)
  }
  return ""
}

const spokenIn = (entries: readonly Entry[]): number => {
  let count = 0
  for (const entry of entries) if (isSpoken(entry.wire)) count++
  return count
}

const pathOf = (id: string, kind: SessionPath["kind"], own: readonly Entry[], fork: Entry | undefined): SessionPath => {
  const title = wordsOf(own.find((entry) => entry.wire["type"] === "user"))
  const leaves = fork?.homes[0]?.record
  return {
    id,
    kind,
    ...(title !== "" && { title }),
    messages: spokenIn(own),
    first: own[0]?.homes[0]?.record ?? 0,
    ...(leaves !== undefined && { leaves }),
  }
}

const field = (name: string, value: unknown): Wire =>
  (typeof value === "string" && value !== "" ? { [name]: value } : {})

export const outline = (value: unknown): SessionOutline => {
  const history = readHistory(recordsOf(value))
  const { metadata } = history
  const active =
    pathOf(activeId(history), metadata["kind"] === "subagent" ? "subagent" : "active", history.effective, undefined)
  let model = ""
  for (const entry of history.effective) model = stringOf(entry.wire["model"]) || model
  return {
    ...field("id", metadata["sessionId"]),
    ...field("title", stringOf(metadata["summary"]) || (active.title ?? "")),
    ...field("folder", listOf(metadata["directories"])[0]),
    ...field("model", model),
    ...field("startedAt", metadata["startTime"]),
    ...(active.kind === "subagent" && { subagent: {} }),
    paths: [active, ...history.abandoned.map(({ leaf, removed, fork }) => pathOf(leaf.id, "abandoned", removed, fork))],
    compactions: history.checkpoints.map(({ record, summary }) => ({
      record,
      kind: summary === undefined ? ("truncation" as const) : ("summary" as const),
      ...(summary !== undefined && { summary }),
    })),
  }
}

/** Which calls a record makes and answers; a message of the user's is a good place to cut. */
export const pulse = (record: unknown): RecordPulse => {
  if (!isWire(record) || typeof record["id"] !== "string") return {}
  if (record["type"] === "user") return { starts: true }
  const list = record["type"] === "gemini" ? listOf(record["toolCalls"]) : []
  if (list.length === 0) return {}
  const calls: string[] = []
  const results: string[] = []
  for (const call of list) {
    const id = isWire(call) ? stringOf(call["id"]) : ""
    if (!isWire(call) || id === "") continue
    calls.push(id)
    if (call["result"] !== undefined && call["result"] !== null) results.push(id)
  }
  return { calls, results }
}

export const place = (value: unknown): SessionPlace => {
  const { metadata } = readHistory(recordsOf(value))
  const minute = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(stringOf(metadata["startTime"]))?.[0] ?? "1970-01-01T00:00"
  const hash = stringOf(metadata["projectHash"])
  const project = isFileName(hash) ? hash : "<project>"
  const ending = Array.isArray(value) ? "jsonl" : "json"
  return namedPlace({
    id: stringOf(metadata["sessionId"]),
    otherwise: "",
    path: (name) => `~/.gemini/tmp/${project}/chats/session-${minute.replaceAll(":", "-")}-${name.slice(0, 8)}.${ending}`,
    resume: (name) => `gemini --resume ${name === "" ? "latest" : name}`,
    note:
      "The folder under tmp is the one the agent made for the project: start it there once to see which. " +
      "`gemini --list-sessions` shows what it found; inside, `/resume` lists sessions too.",
  })
}

const isMessage = (record: Wire): boolean =>
  typeof record["id"] === "string" && typeof record["timestamp"] === "string" && "content" in record

/** A whole session in one value. */
const recogniseValue = ({ records }: SessionSample): Recognised | undefined => {
  const [value] = records
  if (!isWire(value) || !isMetadata(value)) return undefined
  if (!Array.isArray(value["messages"]) && typeof value["startTime"] !== "string") return undefined
  return { certainty: "certain", why: "it has a sessionId and a projectHash around its messages" }
}

/** The metadata may be torn off: then messages of type gemini, rewinds and updates give it away. */
const recogniseLines = ({ records }: SessionSample): Recognised | undefined => {
  let marks = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (isMetadata(record) && !("parentUuid" in record)) {
      return { certainty: "certain", why: "a record holds a sessionId and a projectHash" }
    }
    if (record["type"] === "gemini" && isMessage(record)) marks += 2
    else if (typeof record["$rewindTo"] === "string" || isWire(record["$set"])) marks++
  }
  return marks > 1 ? { certainty: "likely", why: "messages of type gemini, updates or rewinds" } : undefined
}

export const recognise = (sample: SessionSample): Recognised | undefined =>
  sample.syntax === "lines" ? recogniseLines(sample) : recogniseValue(sample)
