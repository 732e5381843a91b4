/** Tells an old rollout by its header or its state marks: bare items alone are any Responses history. */
import { isWire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { isHeader, isState } from "./records.ts"

const isItem = (record: unknown): boolean =>
  isWire(record) && typeof record["type"] === "string" && record["payload"] === undefined

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  let header = false
  let states = 0
  let items = 0
  let strange = 0
  for (const record of records) {
    if (isHeader(record)) header = true
    else if (isState(record)) states++
    else if (isItem(record)) items++
    else if (isWire(record)) strange++
  }
  if (strange > states + items) return undefined
  if (header) return { certainty: "certain", why: "its header has an id, a time and instructions, and no type" }
  return states > 0 && items > 0 ? { certainty: "certain", why: "it has state marks among bare items" } : undefined
}
