/**
 * The name of the format, and its records: a line of metadata, then one message per line. The newer home of sessions, a
 * database, holds the same messages as rows; a row is read as the line it would have been.
 */
import { isWire, type Native, type Wire } from "../../model/index.ts"
import { nativeIn } from "../engine/fields.ts"

export const format = "goose"

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => nativeIn(value, format)

const parse = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const isRow = (record: unknown): record is Wire => isWire(record) && "content_json" in record && "role" in record

/** The line that stands for a row of the table `messages`. */
const lineOfRow = (row: Wire): Wire => {
  const { message_id: id, role, created_timestamp: created, content_json, metadata_json } = row
  return {
    ...(typeof id === "string" && { id }),
    role,
    created,
    content: parse(content_json),
    ...(metadata_json !== undefined && metadata_json !== null && { metadata: parse(metadata_json) }),
  }
}

export const recordsOf = (value: unknown): readonly unknown[] => {
  const list = isWire(value) ? (value["records"] ?? [value]) : value
  if (!Array.isArray(list)) return []
  return list.some(isRow) ? list.map((record: unknown) => (isRow(record) ? lineOfRow(record) : record)) : list
}

/** The metadata of a session: what stands in front of its messages. */
export const isHeader = (record: unknown): record is Wire => isWire(record) && !("role" in record)

const metadataOf = (record: Wire): Wire => (isWire(record["metadata"]) ? record["metadata"] : {})

export const isHidden = (record: Wire): boolean => metadataOf(record)["agentVisible"] === false

/** Written for the model and not shown to the user: summaries and the words around them. */
export const isAgentOnly = (record: Wire): boolean => !isHidden(record) && metadataOf(record)["userVisible"] === false
