/**
 * The records of a Neovate session: a line of settings, then one message per line, each naming its parent. Results
 * stand in messages of the role `tool`; sessions of early versions have them in user messages, with other names for
 * their fields.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { listIn } from "../engine/fields.ts"

export const format = "neovate"

/** The records of a file, and of what `encode` returns. */
export const recordsOf = (value: unknown): readonly unknown[] => listIn(value)

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "tool"])

export const isMessage = (record: unknown): record is Wire =>
  isWire(record) && record["type"] === "message" && roles.has(record["role"])

/** Records that are no messages and are meant to be none. */
const bookkeeping: ReadonlySet<unknown> = new Set(["config", "file-history-snapshot", "system", "result"])

export const isBookkeeping = (record: unknown): boolean => isWire(record) && bookkeeping.has(record["type"])

export const uuidOf = (record: Wire): string | undefined =>
  typeof record["uuid"] === "string" && record["uuid"] !== "" ? record["uuid"] : undefined

/** Null: the record is a root. Undefined: it does not say. */
export const parentOf = (record: Wire): string | null | undefined => {
  const parent = record["parentUuid"]
  return parent === null || typeof parent === "string" ? parent : undefined
}

export const partsOf = (record: Wire): readonly unknown[] => (Array.isArray(record["content"]) ? record["content"] : [])

export const isResultPart = (part: unknown): part is Wire =>
  isWire(part) && (part["type"] === "tool-result" || part["type"] === "tool_result")

export const callIdOf = (part: Wire): string => {
  const id = part["type"] === "tool-result" ? part["toolCallId"] : (part["id"] ?? part["tool_use_id"])
  return typeof id === "string" ? id : ""
}

export const holdsResults = (record: Wire): boolean => partsOf(record).some(isResultPart)

/**
 * A compaction writes its summary as the user's, on a new root: what was said before is on no path any more. Only the
 * words shown to the user tell it from a session that was started anew.
 */
export const isSummary = (record: Wire): boolean => {
  const shown = record["uiContent"]
  return record["role"] === "user" && typeof shown === "string" && shown.startsWith("Chat history compacted")
}
