/**
 * `conversation.jsonl` of gptme: a role, a text and a local time on each line. Tools are code blocks in the text of the
 * assistant, and what they print is a message of the system, or of a tool, without an id: there is no call it could answer, so
 * it is read as text. Facts are from its sources (gptme/message.py and gptme/logmanager, July 2026) and a file.
 */
import { type Block, isWire, type MediaKind, type Role, text, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { kindOfMediaType } from "../../formats/engine/media.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import { readContent } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "gptme"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "user"],
] as const)

const mediaTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
}

/** Files beside a message are named, not held. */
const readFile = (file: unknown): readonly Block[] => {
  const path = stringOf(file)
  const mediaType = mediaTypes[path.slice(path.lastIndexOf(".") + 1).toLowerCase()]
  if (path === "") return []
  const kind: MediaKind = mediaType === undefined ? "file" : kindOfMediaType(mediaType)
  return kind === "image"
    ? [{ type: "media", kind, ...(mediaType !== undefined && { mediaType }), source: { type: "url", url: path } }]
    : [text(`[file: ${path}]`)]
}

const read = (record: Wire): RecordReading => {
  const role = roles.get(record["role"])
  if (role === undefined)
    return { findings: [{ kind: "malformed-record", what: "Expected a message of the system, the user or the assistant" }] }
  const model = textAt(record["metadata"], "model")
  const blocks = [...readContent(format, record["content"]), ...listOf(record["files"]).flatMap(readFile)]
  return { messages: [{ role, blocks, ...(role === "assistant" && model !== undefined && { origin: { model } }) }] }
}

/** Local time with microseconds and without a zone, as Python writes it; newer versions add the zone. */
const isTime = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[+-]\d{2}:\d{2})?$/.test(value)

const isMessage = (record: Wire): boolean =>
  roles.has(record["role"]) && typeof record["content"] === "string" && isTime(record["timestamp"])

export const gptme = defineSession({
  format,
  title: "gptme conversation",
  agent: "gptme",
  sources: "gptme/gptme gptme/message.py and gptme/logmanager (July 2026); a file in kenn-io/agentsview",
  capabilities: declareHomes({ native: ["system-in-the-middle"] }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  facts: ({ timestamp, metadata }) => ({ startedAt: textOf(timestamp), model: textAt(metadata, "model") }),
  marks: [
    {
      certainty: "certain",
      evidence: "a message with its local time has a mark of this agent (pinned, hide, or its name in the prompt)",
      isOn: (record) =>
        isMessage(record) &&
        ("pinned" in record || "hide" in record || (record["role"] === "system" && /\bgptme\b/.test(stringOf(record["content"])))),
    },
    {
      certainty: "guess",
      evidence: "its messages have a role, a text and a local time",
      isOn: (record, index) => index < 4 && isWire(record) && isMessage(record),
    },
  ],
})
