/** Records that name a record which is gone name the nearest one above it instead. */
import { isWire } from "../../model/index.ts"
import { heirOf } from "../engine/heir-of.ts"

/** Fields that name another record. */
const links = ["parentUuid", "logicalParentUuid", "leafUuid", "sourceToolAssistantUUID"] as const

/** The same record, hanging on `parent` where one is given, and on nothing that is gone. */
export const relink = (record: unknown, parent: string | undefined, gone: Map<string, string | null>): unknown => {
  if (!isWire(record)) return record
  let changed: Record<string, unknown> | undefined
  if (parent !== undefined && record["parentUuid"] !== parent) changed = { ...record, parentUuid: parent }
  if (gone.size === 0) return changed ?? record
  for (const link of links) {
    const named = (changed ?? record)[link]
    if (typeof named !== "string" || !gone.has(named)) continue
    changed ??= { ...record }
    changed[link] = heirOf(named, gone)
  }
  return changed ?? record
}
