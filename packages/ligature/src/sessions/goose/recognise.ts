/** How the files are told apart: by the metadata line, or by content only this agent writes. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"

const isMetadata = (record: Wire): boolean =>
  typeof record["working_dir"] === "string" &&
  !("role" in record) &&
  ("message_count" in record || "description" in record)

const ownTypes: ReadonlySet<unknown> = new Set([
  "toolRequest",
  "toolResponse",
  "toolConfirmationRequest",
  "systemNotification",
])

/** A message as this agent writes it: seconds in `created`, content as a list. */
const isMessage = (record: Wire): boolean => {
  const { role, created, content } = record
  return (role === "user" || role === "assistant") && typeof created === "number" && Array.isArray(content)
}

const isRow = (record: Wire): boolean => typeof record["content_json"] === "string" && "created_timestamp" in record

const hasOwnContent = ({ content }: Wire): boolean =>
  Array.isArray(content) && content.some((wire: unknown) => isWire(wire) && ownTypes.has(wire["type"]))

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  if (syntax !== "lines" && records.length > 1) return undefined
  let metadata = false
  let messages = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (isRow(record)) return { certainty: "certain", why: "a record is a row of its table of messages" }
    if (isMetadata(record)) metadata = true
    if (!isMessage(record)) continue
    if (hasOwnContent(record)) return { certainty: "certain", why: "a message holds a toolRequest or a toolResponse" }
    messages++
  }
  if (!metadata) {
    if (syntax !== "lines" || messages < 2) return undefined
    return { certainty: "likely", why: "its messages bear the seconds of their making and lists as content" }
  }
  if (messages > 0) return { certainty: "certain", why: "a line of metadata with its folder stands before messages" }
  return syntax === "lines" ? { certainty: "guess", why: "a line names a folder and counts messages" } : undefined
}
