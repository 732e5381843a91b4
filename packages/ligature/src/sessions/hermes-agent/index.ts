/**
 * Session files of Hermes: messages of Chat Completions in a file that names the session, its model and platform, with the
 * system prompt beside the list.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineListSession } from "../engine/define-list-session.ts"
import { textOf, wireOf } from "../engine/fields.ts"

const isSession = (value: unknown): value is Wire =>
  isWire(value) && typeof value["session_id"] === "string" && typeof value["session_start"] === "string" && Array.isArray(value["messages"])

export const hermesAgent = defineListSession({
  format: "hermes-agent",
  title: "Hermes session",
  agent: "Hermes",
  sources: "no public source was looked at; the description of its files (2026)",
  aliases: ["hermes"],
  api: openaiChat,
  fileOf: (value) => (Array.isArray(value) ? { messages: value } : wireOf(value)),
  keyOf: () => "messages",
  path: "messages",
  facts: (file) => ({ id: textOf(file["session_id"]), model: textOf(file["model"]), startedAt: textOf(file["session_start"]) }),
  recognise: ({ syntax, records: [root] }) =>
    syntax === "value" && isSession(root)
      ? { certainty: "certain", why: "it holds messages beside a session_id and a session_start" }
      : undefined,
  sessionsIn: (root) => (isSession(root) ? [{ path: [], value: root }] : []),
})
