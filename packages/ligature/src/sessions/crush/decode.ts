/**
 * A session of Crush, or of opencode in its Go days → Transcript. The assistant's row is rewritten while the model
 * streams: a crash leaves it without its `finish` part, often with arguments that break off. Such a call is read as it
 * is (its arguments do not parse, so it is never executed) and the row is reported.
 *
 * Default view: `whole`. The row of a summary is told as a user message, as the agent sends it. `effective` starts at
 * the summary that the session names: nothing before it is sent any more.
 */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedBlock, malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { textAt } from "../engine/fields.ts"
import { readPart } from "./read-part.ts"
import { format, hasFinish, isPart, isSummary, payloadOf, valueOf } from "./value.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

/** Calls whose arguments had not all arrived. */
const unfinishedCalls = (parts: readonly unknown[]): readonly string[] =>
  parts.flatMap((part) => {
    if (!isPart(part) || part["type"] !== "tool_call") return []
    const payload = payloadOf(part)
    return payload["finished"] === false ? [textAt(payload, "id") ?? ""] : []
  })

const cutOff = (parts: readonly unknown[], row: Wire, message: number): Diagnostic | undefined => {
  const ids = unfinishedCalls(parts)
  const place = { message, path: `messages[${message}]` }
  const name = textAt(row, "id") ?? ""
  if (ids.length > 0) return anomaly("stream-cut", place, `Message ${name} has calls whose arguments broke off`, ids)
  return hasFinish(parts) ? undefined : anomaly("stream-cut", place, `Message ${name} was never finished`)
}

const readBlocks = (parts: unknown): Block[] => {
  if (!Array.isArray(parts)) return [malformedBlock(format, parts)]
  const blocks: Block[] = []
  for (const part of parts as readonly unknown[]) {
    const block = readPart(part)
    if (block) blocks.push(block)
  }
  return blocks
}

const readRow = (row: Wire, role: Role, session: Wire): Message => {
  const summary = isSummary(row, session)
  const id = textAt(row, "id")
  const model = textAt(row, "model")
  const provider = textAt(row, "provider")
  const blocks = readBlocks(row["parts"])
  return {
    role: summary ? "user" : role,
    // Of the assistant's row that made the summary, only its words are sent.
    blocks: summary ? blocks.filter(({ type }) => type === "text") : blocks,
    ...(id !== undefined && { id }),
    ...(role === "assistant" && !summary && (model || provider) && {
      origin: { ...(provider && { provider }), ...(model && { model }) },
    }),
    ...(summary && { summary: true as const }),
    native: { [format]: row },
  }
}

/** Rows that the agent would send. */
const visible = (rows: readonly unknown[], session: Wire): readonly unknown[] => {
  const id = session["summary_message_id"]
  if (typeof id !== "string" || id === "") return rows
  const from = rows.findLastIndex((row) => isWire(row) && row["id"] === id)
  return from < 0 ? rows : rows.slice(from)
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const { session, messages: rows } = valueOf(value)
  const messages: Message[] = []
  const diagnostics: Diagnostic[] = []
  for (const row of options.view === "effective" ? visible(rows, session) : rows) {
    const role = isWire(row) ? roles.get(row["role"]) : undefined
    if (!isWire(row) || role === undefined) {
      const place = { message: messages.length, path: `messages[${messages.length}]` }
      diagnostics.push(malformedMessage(place, "Expected a row with role user, assistant or tool"))
      messages.push({ role: "user", blocks: [malformedBlock(format, row)], native: { [format]: row } })
      continue
    }
    const parts = row["parts"]
    const cut = role === "assistant" && Array.isArray(parts) ? cutOff(parts, row, messages.length) : undefined
    if (cut) diagnostics.push(cut)
    messages.push(readRow(row, role, session))
  }
  return {
    format,
    messages,
    native: { [format]: value },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
