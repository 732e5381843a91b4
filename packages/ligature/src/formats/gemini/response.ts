/**
 * The `response` object of a function response ↔ text. The API documents `output` and `error`; SDKs write `result`;
 * tools return whatever object they like. An object of any other shape is read as its JSON, and the part it came on
 * still holds the object, so it goes back as an object as long as nobody changed its text.
 */
import { isWire, type Wire } from "../../model/index.ts"

export interface ResponseReading {
  readonly text: string
  readonly error: boolean
  /** The one field that holds the text, where the object has only that. */
  readonly key?: "output" | "result" | "error"
}

const empty: ResponseReading = { text: "", error: false }

const onlyKey = (wire: Wire): string | undefined => {
  let only: string | undefined
  for (const key in wire) {
    if (only !== undefined) return undefined
    only = key
  }
  return only
}

export const readResponse = (response: unknown): ResponseReading => {
  if (response === undefined || response === null) return empty
  if (typeof response === "string") return { text: response, error: false }
  if (!isWire(response)) return { text: JSON.stringify(response) ?? "", error: false }
  const key = onlyKey(response)
  if (key === undefined) {
    const json = JSON.stringify(response) ?? ""
    return json === "{}" ? empty : { text: json, error: false }
  }
  const value = response[key]
  if (key === "output" || key === "result" || key === "error") {
    if (typeof value === "string") return { text: value, error: key === "error", key }
  }
  const error = key === "error" && value !== null && value !== undefined && value !== false
  return { text: JSON.stringify(response) ?? "", error }
}

/** `previous` is what the response it replaces said: its field is used on where it fits. */
export const writeResponse = (text: string, error: boolean, previous: ResponseReading | undefined): Wire => {
  if (error) return { error: text }
  return previous?.key === "result" ? { result: text } : { output: text }
}
