/**
 * The name of the format, and the two values every file of this folder looks at: the records, and what came from where.
 */
import { isWire, type Native, type Wire } from "../../../model/index.ts"

export const format = "pi"

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => {
  const native = value.native?.[format]
  return isWire(native) ? native : undefined
}

export const recordsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (!isWire(value)) return []
  return Array.isArray(value["records"]) ? value["records"] : [value]
}

/** The message inside of an entry, for entries that hold one. */
export const messageOf = (record: unknown): Wire | undefined =>
  isWire(record) && record["type"] === "message" && isWire(record["message"]) ? record["message"] : undefined

/** Where the system prompt of another agent goes: this one keeps none in its sessions. */
export const systemType = "system"
