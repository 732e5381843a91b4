/** The stream has no parents: file order, and a lane of its own for each call that runs a subagent. */
import type { Dialect } from "../claude-code/tree/dialect.ts"
import { textIn } from "../claude-code/tree/record.ts"

export const format = "claude-stream-json"

export const streamDialect: Dialect = {
  format,
  separate: false,
  linked: false,
  laneOf: (record) => textIn(record, "parent_tool_use_id") ?? "",
  parentOf: () => undefined,
}
