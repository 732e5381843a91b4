/** What every decoder does with a value that is not of its format: keep it verbatim, show it as text, report it. */
import type { Diagnostic, OpaqueBlock, Place } from "../../model/index.ts"

const previewLength = 2000

/** The value as text a model can read, cut when long: for server-side spans, whose native value is whole. */
export const previewOf = (value: unknown): string => {
  const json = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  // The cut may go through a character.
  return (json.length <= previewLength ? json : `${json.slice(0, previewLength)}…`).toWellFormed()
}

/** The whole value as text: other formats have no other copy of it. JSON says blanks and half characters validly. */
const textOf = (value: unknown): string =>
  typeof value === "string" && value.trim() !== "" && value.isWellFormed() ? value : (JSON.stringify(value) ?? "null")

export const malformedBlock = (format: string, value: unknown): OpaqueBlock => ({
  type: "opaque",
  kind: "malformed",
  text: textOf(value),
  native: { [format]: value },
})

export const malformedMessage = (place: Place, what: string): Diagnostic => ({
  rule: "malformed-message",
  severity: "error",
  place,
  what,
  why: "A provider rejects a message whose shape it does not know.",
  help: "Nothing is lost: the value is kept verbatim and other formats see its text.",
  ids: [],
  repair: { kind: "demote", what: "shown as text" },
})

/** Readable without doubt, but not as this format writes it. */
export const ofAnotherApi = (place: Place, what: string): Diagnostic => ({
  ...malformedMessage(place, what),
  help: "Nothing is lost: its meaning is plain, and it is written as this format has it.",
  repair: { kind: "safe", what: "written in the shape of this format" },
})
