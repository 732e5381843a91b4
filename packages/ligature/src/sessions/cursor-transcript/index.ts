/**
 * Transcripts of Cursor (`agent-transcripts/ID.jsonl`): lines of a role and a message with blocks, without types, ids or times.
 * Nobody publishes its sources: facts are from files (2026). The transcript leaves the results of tools out, and the ids of
 * calls, too: such a call did run, and its result is somewhere else. Some files have results whose ids name no call; they
 * are paired in order. What the user typed is in a tag.
 */
import { type Block, type CallBlock, isWire, type ResultBlock, syntheticResult, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, textOf } from "../engine/fields.ts"
import { readAnthropicContent } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "cursor-transcript"

const contentOf = ({ message }: Wire): unknown => (isWire(message) ? message["content"] : message)

const isResult = (part: unknown): boolean => isWire(part) && part["type"] === "tool_result"

const typed = /<user_query>\s*([\s\S]*?)\s*<\/user_query>/

const read = (record: Wire): RecordReading => {
  const { role } = record
  if (role !== "user" && role !== "assistant" && role !== "system") {
    // A line at the end of a run says how it ended.
    return role === undefined && typeof record["type"] === "string"
      ? {}
      : { findings: [{ kind: "malformed-record", what: "Expected a message of the user or the assistant" }] }
  }
  const blocks = readAnthropicContent(format, contentOf(record))
  const said = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const title = role === "user" ? textOf(typed.exec(said)?.[1]) : undefined
  return { messages: [{ role, blocks }], ...(title !== undefined && { title }) }
}

const isCall = (block: Block): block is CallBlock => block.type === "call"

/** Calls with ids where they have none, and honest results where the transcript keeps none. */
const completed = (
  { role, blocks }: RecordMessage,
  index: number,
  hasResults: boolean,
): { readonly messages: readonly RecordMessage[]; readonly lost: number } => {
  const named = blocks.map((block, position): Block =>
    isCall(block) && block.id === "" ? { ...block, id: `call_${index}_${position}`, assigned: true } : block,
  )
  const lost = hasResults ? [] : named.filter(isCall).map(({ id, name }): ResultBlock => syntheticResult(id, name, "lost"))
  return { messages: [{ role, blocks: named }, ...(lost.length === 0 ? [] : [{ role: "tool" as const, blocks: lost }])], lost: lost.length }
}

export const cursorTranscript = defineSession({
  format,
  title: "Cursor transcript",
  agent: "Cursor",
  aliases: ["cursor"],
  sources: "no public source; files in es617/claude-replay, kenn-io/agentsview and entireio/cli (2026)",
  capabilities: anthropic.capabilities,
  wraps: "anthropic",
  layout: "lines",
  view: "whole",
  ids: "optional",
  records: recordsOf,
  read,
  reader: (records) => {
    const hasResults = records.some((record) => isWire(record) && listOf(contentOf(record)).some(isResult))
    let isSaid = false
    return (record, index) => {
      const reading = read(record)
      const [message] = reading.messages ?? []
      if (!message || message.role !== "assistant" || (hasResults && message.blocks.every((block) => !isCall(block) || block.id !== "")))
        return reading
      const { messages, lost } = completed(message, index, hasResults)
      const isNew = lost > 0 && !isSaid
      isSaid ||= isNew
      return {
        ...reading,
        messages,
        ...(isNew && { findings: [{ kind: "missing-context" as const, what: "The transcript does not keep the results of tool calls" }] }),
      }
    }
  },
  marks: [
    {
      certainty: "certain",
      evidence: "a line is a role and a message with content, and nothing else",
      isOn: (record) => {
        const { role, message } = record
        return (
          (role === "user" || role === "assistant") &&
          isWire(message) &&
          message["content"] !== undefined &&
          message["role"] === undefined &&
          !("uuid" in record) &&
          !("type" in record)
        )
      },
    },
  ],
})
