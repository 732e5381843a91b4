/** What one record does, for readers that see the file in windows. */
import { isWire } from "../../model/index.ts"
import type { RecordPulse } from "../../formats/engine/session.ts"
import { idsIn, isNotice, isSummary, kindOf, kinds } from "./tree/record.ts"

const nothing: RecordPulse = {}

export const pulse = (record: unknown): RecordPulse => {
  const kind = kindOf(record)
  if (!isWire(record)) return nothing
  if (kind === kinds.fragment) {
    const calls = idsIn(record, "tool_use")
    return calls.length > 0 ? { calls } : nothing
  }
  if (kind === kinds.results) return { results: idsIn(record, "tool_result") }
  const typed = kind === kinds.words && record["type"] === "user" && record["isSidechain"] !== true
  return typed && (isSummary(record) || !isNotice(record)) ? { starts: true } : nothing
}
