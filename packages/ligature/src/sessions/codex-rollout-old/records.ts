/**
 * Rollouts as Codex wrote them until September 2025: a header `{ id, timestamp, instructions, git }`, then bare items
 * of the Responses API and `{ "record_type": "state" }` marks. Nothing is wrapped, nothing is said twice.
 */
import { isWire, type Wire } from "../../model/index.ts"

export const format = "codex-rollout-old"

export const isHeader = (record: unknown): record is Wire =>
  isWire(record) &&
  typeof record["id"] === "string" &&
  typeof record["timestamp"] === "string" &&
  ("instructions" in record || "git" in record) &&
  record["type"] === undefined &&
  record["role"] === undefined

export const isState = (record: unknown): boolean => isWire(record) && typeof record["record_type"] === "string"
