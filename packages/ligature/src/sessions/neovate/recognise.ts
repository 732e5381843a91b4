/**
 * Lines of messages that name their parents, without a wrapper around the message; or at least the line of settings.
 */
import { isWire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { isMessage } from "./records.ts"

const isSettings = (record: unknown): boolean => {
  if (!isWire(record) || record["type"] !== "config") return false
  return isWire(record["config"]) && "approvalTools" in record["config"]
}

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  if (syntax !== "lines") return undefined
  const linked = (record: unknown): boolean =>
    isMessage(record) && "parentUuid" in record && typeof record["uuid"] === "string" && !("message" in record)
  if (records.some(linked)) return { certainty: "certain", why: "lines of type message have uuid, parentUuid and role" }
  return records.some(isSettings) ? { certainty: "likely", why: "a line holds the settings of a session" } : undefined
}
