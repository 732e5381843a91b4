/**
 * How the files are told apart: by the header, or, where the first lines are gone, by entries nobody else writes. Other
 * agents also write `{type: "message", message: {…}}`; only these messages name the interface they were made through.
 */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { messageOf } from "./format.ts"

const isHeader = (record: Wire): boolean =>
  record["type"] === "session" &&
  typeof record["id"] === "string" &&
  (typeof record["cwd"] === "string" || typeof record["version"] === "number")

const ownRoles: ReadonlySet<unknown> = new Set(["toolResult", "bashExecution"])

const isOwnEntry = (record: Wire): boolean => {
  const message = messageOf(record)
  if (!message) return record["type"] === "thinking_level_change" && typeof record["thinkingLevel"] === "string"
  if (ownRoles.has(message["role"])) return true
  const { role, api, provider } = message
  return role === "assistant" && typeof api === "string" && typeof provider === "string"
}

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  if (syntax !== "lines" && records.length > 1) return undefined
  let header = false
  let entries = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (isHeader(record)) header = true
    else if (isOwnEntry(record)) entries++
  }
  if (header) return { certainty: "certain", why: "a record is the header of a session with its folder" }
  if (entries === 0) return undefined
  return { certainty: "likely", why: "its messages name the interface they were made through" }
}
