/** The shapes of an export: `{ info, messages: [{ info, parts }] }`, and what is read off them everywhere. */
import { isWire, type Wire } from "../../model/index.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"

export const format = "opencode-export"

/** Where the decoder keeps the choice of path and view, so that the encoder knows what it did not read. */
export const readingKey = "opencode-export.reading"

/** What a redactor writes in place of an id: it names nothing. */
export const redacted = "REDACTED"

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

/** An id that names something. */
export const idOf = (wire: Wire): string => {
  const id = stringOf(wire["id"])
  return id === redacted ? "" : id
}

export const infoOf = (message: Wire): Wire => wireOf(message["info"])

export const partsOf = (message: Wire): readonly unknown[] => listOf(message["parts"])

/** The session and its messages; a bare list is taken for the messages. */
export const sessionOf = (value: unknown): { readonly info: Wire; readonly messages: readonly unknown[] } => {
  if (Array.isArray(value)) return { info: {}, messages: value }
  const wire = wireOf(value)
  return { info: wireOf(wire["info"]), messages: listOf(wire["messages"]) }
}

export const hasPart = (message: Wire, type: string): boolean =>
  partsOf(message).some((part) => isWire(part) && part["type"] === type)

/** The text with which the agent asks for a summary. */
export const compactionRequest = "What did we do so far?"
/** What it says where a subagent was called by the user. */
export const subtaskNote = "The following tool was executed by the user"
/** What the model sees of a result that was cleared. */
export const clearedResult = "[Old tool result content cleared]"
