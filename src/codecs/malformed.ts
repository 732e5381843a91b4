/** What every decoder does with a value that is not of its format: keep it verbatim, show it as text, report it. */
import type { Diagnostic, OpaqueBlock, Place } from "../model/index.ts"

const previewLength = 2000

/** The value as text a model can read; long ones are cut, the native value is whole. */
export const previewOf = (value: unknown): string => {
  const json = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return json.length <= previewLength ? json : `${json.slice(0, previewLength)}…`
}

export const malformedBlock = (format: string, value: unknown): OpaqueBlock => ({
  type: "opaque",
  kind: "malformed",
  text: previewOf(value),
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
