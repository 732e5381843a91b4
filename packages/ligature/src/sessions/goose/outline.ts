/** What a session says of itself: its metadata line and its compactions; and what one message does, cheaply. */
import { asWord, isWire } from "../../model/index.ts"
import type { RecordPulse, SessionCompaction, SessionOutline, SessionPath, SessionPlace } from "../../formats/engine/session.ts"
import { textOf } from "../engine/fields.ts"
import { decode, headerOf } from "./decode.ts"
import { isAgentOnly, isHeader, isHidden, recordsOf } from "./format.ts"
import { namedPlace } from "../engine/place-names.ts"

const titleLength = 60

const wordsOf = (content: unknown): string | undefined => {
  if (!Array.isArray(content)) return textOf(content)
  const first = (content as readonly unknown[]).find((wire) => isWire(wire) && wire["type"] === "text")
  return isWire(first) ? textOf(first["text"]) : undefined
}

const compactionsOf = (records: readonly unknown[]): readonly SessionCompaction[] => {
  const compactions: SessionCompaction[] = []
  let behindHidden = false
  records.forEach((record, index) => {
    if (!isWire(record) || isHeader(record)) return
    if (behindHidden && isAgentOnly(record)) {
      const summary = wordsOf(record["content"])
      compactions.push({ record: index, kind: "summary", ...(summary !== undefined && { summary }) })
    }
    behindHidden = isHidden(record)
  })
  return compactions
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const header = headerOf(records)
  const { messages } = decode(records, { view: "whole" })
  const first = records.findIndex((record) => isWire(record) && !isHeader(record))
  const prompt = messages.find(({ role, blocks }) => role === "user" && blocks[0]?.type === "text")?.blocks[0]
  const said = prompt?.type === "text" ? prompt.text.slice(0, titleLength).replaceAll(/\s+/g, " ").trim() : undefined
  const id = textOf(header["id"])
  const title = textOf(header["description"]) ?? textOf(header["name"]) ?? said
  const folder = textOf(header["working_dir"])
  const startedAt = textOf(header["created_at"])
  const last = records.at(-1)
  const tip = isWire(last) ? textOf(last["id"]) : undefined
  const active: SessionPath = {
    id: tip ?? id ?? "main",
    kind: "active",
    ...(said !== undefined && { title: said }),
    messages: messages.length,
    first,
  }
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(folder !== undefined && { folder }),
    ...(startedAt !== undefined && { startedAt }),
    paths: messages.length === 0 ? [] : [active],
    compactions: compactionsOf(records),
  }
}

const idsOf = (content: unknown, ...types: readonly string[]): readonly string[] => {
  if (!Array.isArray(content)) return []
  return content.flatMap((wire: unknown) =>
    isWire(wire) && types.includes(asWord(wire["type"])) && typeof wire["id"] === "string" ? [wire["id"]] : [],
  )
}

export const pulse = (record: unknown): RecordPulse => {
  if (!isWire(record)) return {}
  const { role, content } = record
  const calls = idsOf(content, "toolRequest", "frontendToolRequest")
  const results = idsOf(content, "toolResponse")
  const starts = role === "user" && results.length === 0
  return {
    ...(starts && { starts: true as const }),
    ...(calls.length > 0 && { calls }),
    ...(results.length > 0 && { results }),
  }
}

export const place = (value: unknown): SessionPlace => {
  return namedPlace({
    id: outline(value).id,
    otherwise: "session",
    path: (name) => `~/.local/share/goose/sessions/${name}.jsonl`,
    resume: (name) => `goose session --resume --name ${name}`,
    note: "newer versions keep sessions in sessions.db and take such files over only when they first make it",
  })
}
