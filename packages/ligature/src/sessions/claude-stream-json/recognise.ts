/** How a printed stream is known: it opens with an init record, and every record names its session in snake case. */
import { isWire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"

const messageTypes: ReadonlySet<unknown> = new Set(["user", "assistant"])

export const recognise = (sample: SessionSample): Recognised | undefined => {
  let likely: Recognised | undefined
  for (const record of sample.records) {
    if (!isWire(record) || typeof record["session_id"] !== "string") continue
    if (record["type"] === "system" && record["subtype"] === "init") {
      return { certainty: "certain", why: "it has a system record of subtype init" }
    }
    if (messageTypes.has(record["type"]) && isWire(record["message"]) && Object.hasOwn(record, "parent_tool_use_id")) {
      likely ??= { certainty: "likely", why: "its messages name a session_id and a parent_tool_use_id" }
    }
  }
  return likely
}
