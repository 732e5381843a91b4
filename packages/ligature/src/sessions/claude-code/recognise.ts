/** How a session file is known: by its records, not by its first line, which may be torn or anything. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { textIn } from "./tree/record.ts"

const treeTypes: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "progress", "attachment"])

/** Records that only this agent writes, and the field that proves it. */
const proofs: Readonly<Record<string, string>> = {
  summary: "leafUuid",
  "file-history-snapshot": "messageId",
  "queue-operation": "operation",
  "last-prompt": "leafUuid",
  mode: "mode",
  "permission-mode": "permissionMode",
  "ai-title": "aiTitle",
  "custom-title": "customTitle",
}

const isTreeRecord = (record: Wire): boolean =>
  treeTypes.has(record["type"]) && typeof record["uuid"] === "string" && !Object.hasOwn(record, "session_id")

const isWhole = (record: Wire): boolean =>
  Object.hasOwn(record, "parentUuid") && typeof record["sessionId"] === "string"

export const recognise = (sample: SessionSample): Recognised | undefined => {
  let likely: Recognised | undefined
  for (const record of sample.records) {
    if (!isWire(record)) continue
    if (isTreeRecord(record)) {
      if (isWhole(record)) return { certainty: "certain", why: "its records have uuid, parentUuid and sessionId" }
      const { message } = record
      if (isWire(message) && message["role"] === record["type"]) {
        likely ??= { certainty: "likely", why: "its records are messages with type and uuid" }
      }
      continue
    }
    const type = textIn(record, "type")
    const proof = type !== undefined && Object.hasOwn(proofs, type) ? proofs[type] : undefined
    if (proof === undefined || !Object.hasOwn(record, proof)) continue
    const own = Object.hasOwn(record, "sessionId") || type === "summary" || type === "file-history-snapshot"
    if (own) likely ??= { certainty: "likely", why: `it has a record of type ${type}` }
  }
  return likely
}
