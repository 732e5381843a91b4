/** Crush, and opencode when it was written in Go: sessions in a SQLite database, which is read and never written. */
import { isWire, LigatureError } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { Recognised, SessionCodec, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { textAt } from "../engine/fields.ts"
import { singlePath } from "../engine/single-path.ts"
import { decode } from "./decode.ts"
import { format, isSummary, valueOf } from "./value.ts"

/** Its files are databases; the value that is read from one can still be stored as JSON. */
const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const [root] = records
  if (!isWire(root) || !isWire(root["session"]) || !Array.isArray(root["messages"])) return undefined
  const [first] = root["messages"] as readonly unknown[]
  if (first !== undefined && !(isWire(first) && "parts" in first && "session_id" in first)) return undefined
  if (first === undefined && !("message_count" in root["session"])) return undefined
  return { certainty: "certain", why: "it holds the row of a session and the rows of its messages with their parts" }
}

const firstWords = (rows: readonly unknown[]): string | undefined => {
  const transcript = decode({ messages: rows.slice(0, 4) })
  const first = transcript.messages.find(({ role }) => role === "user")?.blocks[0]
  return first?.type === "text" ? first.text.trim().slice(0, 80) : undefined
}

const outline = (value: unknown): SessionOutline => {
  const { session, messages } = valueOf(value)
  const id = textAt(session, "id")
  const parent = textAt(session, "parent_session_id")
  const model = messages.map((row) => (isWire(row) ? textAt(row, "model") : undefined)).findLast((name) => name)
  const title = textAt(session, "title") || firstWords(messages)
  return {
    ...(id !== undefined && { id }),
    ...(title && { title }),
    ...(model && { model }),
    paths: [{ id: id ?? "session", kind: parent ? "subagent" : "active", messages: messages.length, first: 0 }],
    compactions: messages.flatMap((row, record) =>
      isWire(row) && isSummary(row, session) ? [{ record, kind: "summary" as const }] : [],
    ),
    ...(parent && { subagent: { session: parent } }),
    ...(parent && { needs: [`the session ${parent}, which started this one as its subagent`] }),
  }
}

export const crush: SessionCodec = withDepthLimit({
  format,
  title: "Crush session",
  capabilities: {
    homes: { ...openaiChat.capabilities.homes, "result-error": "native", "result-image": "native", thinking: "native", "thinking-signature": "native", "result-tool-name": "native" },
  },
  decode: singlePath(decode, outline),
  encode: () => {
    throw new LigatureError(
      "not-expressible",
      "Sessions of Crush live in a database that Ligature only reads. Convert the session to another agent's format.",
    )
  },
  session: {
    agent: "Crush",
    layout: "value",
    writes: "none",
    view: "whole",
    aliases: ["opencode-go"],
    recognise,
    outline,
  },
})
