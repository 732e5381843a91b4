/** LangGraph: threads in a checkpoint database, which is read and never written. */
import { isWire, LigatureError } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { Recognised, SessionCodec, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { textAt } from "../engine/fields.ts"
import { singlePath } from "../engine/single-path.ts"
import { decode } from "./decode.ts"
import { format, unwrap, valueOf } from "./value.ts"

/** Its files are databases; the value that is read from one can still be stored as JSON. */
const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const [root] = records
  if (!isWire(root) || typeof root["thread"] !== "string" || typeof root["checkpoint"] !== "string") return undefined
  if (!Array.isArray(root["messages"])) return undefined
  return { certainty: "certain", why: "it holds the messages of a thread at a checkpoint" }
}

const firstWords = (messages: readonly unknown[]): string | undefined => {
  for (const record of messages.slice(0, 20)) {
    const message = unwrap(record)
    const content = message?.kind === "human" || message?.kind === "user" ? message.fields["content"] : undefined
    if (typeof content === "string" && content.trim() !== "") return content.trim().slice(0, 80)
  }
  return undefined
}

const outline = (value: unknown): SessionOutline => {
  const { envelope, messages, pending } = valueOf(value)
  const id = textAt(envelope, "thread")
  const namespace = textAt(envelope, "namespace")
  const title = firstWords(messages)
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    paths: [{
      id: textAt(envelope, "checkpoint") ?? id ?? "thread",
      kind: namespace ? "subagent" : "active",
      messages: messages.length + pending.length,
      first: 0,
    }],
    ...(namespace && { subagent: { ...(id !== undefined && { session: id }) } }),
    compactions: [],
  }
}

export const langgraph: SessionCodec = withDepthLimit({
  format,
  title: "LangGraph thread",
  capabilities: { homes: { ...openaiChat.capabilities.homes, "result-error": "native", "result-tool-name": "native" } },
  decode: singlePath(decode, outline),
  encode: () => {
    throw new LigatureError(
      "not-expressible",
      "Threads of LangGraph live in a database that Ligature only reads. Convert the thread to another format.",
    )
  },
  session: {
    agent: "LangGraph",
    layout: "value",
    writes: "none",
    view: "whole",
    aliases: ["langchain"],
    recognise,
    outline,
  },
})
