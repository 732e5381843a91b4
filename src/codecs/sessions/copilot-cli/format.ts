/** The name of the format, and how its events are looked at: `{type, data, id, parentId, timestamp}`, one per line. */
import { isWire, type Native, type Wire } from "../../../model/index.ts"

export const format = "copilot-cli"

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => {
  const native = value.native?.[format]
  return isWire(native) ? native : undefined
}

export const recordsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (!isWire(value)) return []
  return Array.isArray(value["records"]) ? value["records"] : [value]
}

const noData: Wire = {}

export const dataOf = (record: Wire): Wire => (isWire(record["data"]) ? record["data"] : noData)

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** The call whose agent this event belongs to, or that agent's own id; undefined for the main conversation. */
export const agentOf = (record: Wire): string | undefined =>
  textOf(dataOf(record)["parentToolCallId"]) ?? textOf(record["agentId"])
