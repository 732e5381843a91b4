/** The name of the format, and how its events are looked at: `{type, data, id, parentId, timestamp}`, one per line. */
import { isWire, type Native, type Wire } from "../../model/index.ts"
import { nativeIn, textOf } from "../engine/fields.ts"

export const format = "copilot-cli"

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => nativeIn(value, format)

const noData: Wire = {}

export const dataOf = (record: Wire): Wire => (isWire(record["data"]) ? record["data"] : noData)

/** The call whose agent this event belongs to, or that agent's own id; undefined for the main conversation. */
export const agentOf = (record: Wire): string | undefined =>
  textOf(dataOf(record)["parentToolCallId"]) ?? textOf(record["agentId"])
