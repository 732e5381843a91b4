/**
 * What `claude -p --output-format stream-json` prints: the same messages as in the session file, as a flat list in the order
 * in which they came, with a lane of its own for each call that runs a subagent. Streams are read and repaired, never made from
 * other conversations: no agent opens them.
 */
import { isWire } from "../../model/index.ts"
import { claude } from "../claude-code/index.ts"
import { readAlone } from "../claude-code/find.ts"
import { defineSession } from "../engine/define-session.ts"

const messageTypes: ReadonlySet<unknown> = new Set(["user", "assistant"])

export const claudeStreamJson = defineSession({
  ...claude({
    separate: false,
    linked: false,
    laneOf: ({ parent_tool_use_id: call }) => (typeof call === "string" ? call : ""),
    parentOf: () => undefined,
  }),
  format: "claude-stream-json",
  title: "Claude Code stream (stream-json)",
  sources: "Anthropic's documentation of --output-format stream-json; the output of version 2.1.326, which was run",
  aliases: ["stream-json"],
  read: (record) => (typeof record["parent_tool_use_id"] === "string" ? {} : readAlone(record)),
  marks: [
    {
      certainty: "certain",
      evidence: "it has a system record of subtype init that lists tools",
      // Streams of other agents begin with such a record, too, and have their calls elsewhere.
      isOn: ({ session_id: session, type, subtype, tools }) =>
        typeof session === "string" && type === "system" && subtype === "init" && Array.isArray(tools),
      suffices: true,
    },
    {
      certainty: "likely",
      evidence: "its messages name a session_id and a parent_tool_use_id",
      isOn: ({ session_id: session, type, message, ...rest }) =>
        typeof session === "string" && messageTypes.has(type) && isWire(message) && Object.hasOwn(rest, "parent_tool_use_id"),
    },
  ],
})
