/**
 * Chats in Cursor's database (`state.vscdb`): a composer with its bubbles, read from the table `cursorDiskKV` as
 * `{ composer, bubbles }`. The composer lists its bubbles in order, by the key of the row or by the id inside of the bubble; a
 * value may be missing. A bubble of a tool has the call and its result. Nobody publishes the sources: facts are from a fixture
 * of S2thend/cursor-history (2026) and programs that read the database. Only read.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { idText } from "../../formats/engine/wire.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "cursor-vscdb"

const isChat = (value: unknown): value is Wire => isWire(value) && isWire(value["composer"]) && Array.isArray(value["bubbles"])

const idOf = (bubble: unknown): string => textAt(bubble, "bubbleId") ?? ""

/** The bubbles in the composer's order; those that it does not name are at the end, by their time. */
const bubblesOf = (value: unknown): readonly unknown[] => {
  const { composer, bubbles } = wireOf(value)
  const inline = listOf(wireOf(composer)["conversation"])
  const rows = [...inline, ...listOf(bubbles)].filter(isWire)
  const headers = listOf(wireOf(composer)["fullConversationHeadersOnly"])
  const byKey = new Map(rows.map((row) => [textAt(row, "key") ?? idOf(row), row]))
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  const named = headers.flatMap((header) => {
    const id = idOf(header)
    const row = byKey.get(id) ?? byId.get(id)
    return row ? [row] : []
  })
  const known = new Set<Wire>(named)
  const time = (row: Wire): string => idText(row["createdAt"])
  const rest = rows.filter((row) => !known.has(row))
  return [
    ...known,
    ...(headers.length === 0 && inline.length > 0
      ? rest
      : rest.toSorted((one, other) => (time(one) < time(other) ? -1 : time(one) > time(other) ? 1 : 0))),
  ]
}

const states: ReadonlySet<unknown> = new Set(["error", "failed", "rejected", "cancelled"])

const readTool = (row: Wire, tool: Wire): readonly RecordMessage[] => {
  const id = textOf(tool["toolCallId"]) ?? `call_${textAt(row, "key") ?? idOf(row)}`
  const { name, params, rawArgs, result, status } = tool
  const call = {
    ...callBlock(format, tool, { id, name, input: textOf(rawArgs) ?? params ?? "{}" }),
    ...(textOf(tool["toolCallId"]) === undefined && { assigned: true as const }),
  }
  const failed = states.has(status) || tool["error"] !== undefined
  const answered = result !== undefined || failed || status === "completed"
  const answer = resultBlock(format, tool, {
    callId: id,
    name,
    content: result ?? tool["error"],
    error: failed,
    denied: status === "rejected",
  })
  return [{ role: "assistant", blocks: [call] }, ...(answered ? [{ role: "tool" as const, blocks: [answer] }] : [])]
}

const read = (row: Wire): RecordReading => {
  const { type, text, thinking, toolFormerData: tool } = row
  if (type === 1) return { messages: [{ role: "user", blocks: readContent(format, textOf(text)) }] }
  if (type !== 2) return { unknownType: type }
  const thought = textAt(thinking, "text") ?? textOf(thinking) ?? ""
  const blocks: readonly Block[] = [
    ...(thought === "" ? [] : [{ type: "thinking" as const, text: thought }]),
    ...readContent(format, textOf(text)),
  ]
  const said: readonly RecordMessage[] = blocks.length === 0 ? [] : [{ role: "assistant", blocks }]
  return { messages: [...said, ...(isWire(tool) && stringOf(tool["name"]) !== "" ? readTool(row, tool) : [])] }
}

export const cursorVscdb = defineSession({
  format,
  title: "Cursor chat (database)",
  agent: "Cursor",
  aliases: ["cursor-db"],
  sources: "no public source; the fixture of version 0.16 in S2thend/cursor-history (2026)",
  capabilities: declareHomes({
    native: ["result-error", "thinking", "block-order", "parallel-calls", "raw-arguments", "call-id", "empty-result"],
  }),
  layout: "value",
  listKey: "bubbles",
  view: "whole",
  records: bubblesOf,
  wrap: (value) => wireOf(value),
  read,
  about: (value) => {
    const composer = wireOf(wireOf(value)["composer"])
    const { composerId, name, createdAt, workspaceIdentifier, modelConfig } = composer
    return {
      id: textOf(composerId),
      title: textOf(name),
      folder: textAt(wireOf(workspaceIdentifier)["uri"], "fsPath"),
      model: textAt(modelConfig, "modelName"),
      ...(typeof createdAt === "number" && { startedAt: isoOf(createdAt) }),
    }
  },
  marks: [],
  valueMarks: [{ certainty: "certain", evidence: "it holds a composer and its bubbles", isOn: isChat }],
})
