/**
 * Sessions of iFlow CLI: the records of Claude Code with other links. Every record of the assistant in a turn has the prompt as its
 * parent, so that a walk from the last record would find two messages: the order of the file counts. While an answer
 * streams, records repeat the last block of the one before. Nobody publishes its sources: facts are from a file of version
 * 1.0.0 (January 2026). Only read, because a written one could not be tried.
 */
import { type Block, canonicalJson, isWire, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import { readAnthropicContent } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "iflow"

const roleOf = ({ type }: Wire): "user" | "assistant" | undefined => (type === "user" || type === "assistant" ? type : undefined)

const contentOf = ({ message }: Wire): unknown => (isWire(message) ? message["content"] : undefined)

/** Its tools answer as Gemini's do, inside of a result as Anthropic has it. */
const outputOf = (content: unknown): unknown => {
  const parts = isWire(content) ? content["responseParts"] : undefined
  const answer = isWire(parts) ? parts["functionResponse"] : undefined
  const response = isWire(answer) ? answer["response"] : undefined
  if (!isWire(response)) return content
  const { output = response["error"] } = response
  return typeof output === "string" ? output : content
}

const readBlock = (block: unknown): unknown => {
  if (!isWire(block) || block["type"] !== "tool_result") return block
  const output = outputOf(block["content"])
  return output === block["content"] ? block : { ...block, content: output }
}

const read = (record: Wire, content = contentOf(record)): RecordReading => {
  const role = roleOf(record)
  if (role === undefined) return typeof record["type"] === "string" ? {} : { unknownType: record["type"] }
  const blocks: readonly Block[] = readAnthropicContent(format, Array.isArray(content) ? content.map(readBlock) : content)
  const model = textAt(record["message"], "model")
  return { messages: [{ role, blocks, ...(role === "assistant" && model !== undefined && { origin: { model } }) }] }
}

const keyOf = (block: unknown): string =>
  isWire(block) && block["type"] === "tool_use" && typeof block["id"] === "string" ? `call ${block["id"]}` : canonicalJson(block)

interface Course {
  /** Blocks that the records before it have: left out. */
  readonly fresh: ReadonlyMap<number, readonly unknown[]>
  /** How many results came before: what was said between two results is one message. */
  readonly turns: readonly number[]
}

const courseOf = (records: readonly unknown[]): Course => {
  const fresh = new Map<number, readonly unknown[]>()
  const turns: number[] = []
  const calls = new Set<string>()
  let open = new Set<string>()
  let turn = 0
  let isAnswered = false
  records.forEach((record, index) => {
    const role = isWire(record) ? roleOf(record) : undefined
    const content = isWire(record) ? contentOf(record) : undefined
    if (role === "user") {
      isAnswered = true
      if (typeof content === "string" || !listOf(content).some((block) => isWire(block) && block["type"] === "tool_result"))
        open = new Set()
    } else if (role === "assistant" && Array.isArray(content)) {
      const news = content.filter((block) => !calls.has(keyOf(block)) && !open.has(keyOf(block)))
      // A copy of a call after its result belongs to the message of the call.
      if (isAnswered && news.length > 0) {
        turn++
        isAnswered = false
        open = new Set()
      }
      for (const block of content) {
        const key = keyOf(block)
        open.add(key)
        if (key.startsWith("call ")) calls.add(key)
      }
      fresh.set(index, news)
    }
    turns.push(turn)
  })
  return { fresh, turns }
}

/** Claude Code's are bare UUIDs. */
const ownSession = /^session-[0-9a-f]{8}-[0-9a-f]{4}-/

export const iflow = defineSession({
  format,
  title: "iFlow CLI session",
  agent: "iFlow CLI",
  aliases: ["iflow-cli"],
  sources: "no public source; a file of version 1.0.0 in kenn-io/agentsview (January 2026)",
  capabilities: anthropic.capabilities,
  wraps: "anthropic",
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read: (record) => read(record),
  reader: (records) => {
    const { fresh, turns } = courseOf(records)
    return (record, index) => {
      const news = fresh.get(index)
      if (news?.length === 0) return {}
      return { ...read(record, news ?? contentOf(record)), response: String(turns[index]) }
    }
  },
  facts: ({ sessionId, cwd, version, timestamp, message }) => ({
    id: textOf(sessionId),
    folder: textOf(cwd),
    agentVersion: textOf(version),
    startedAt: textOf(timestamp),
    model: textAt(message, "model"),
  }),
  marks: [
    {
      certainty: "certain",
      evidence: "its records have a session id of session- and a UUID",
      isOn: (record) =>
        typeof record["uuid"] === "string" && ownSession.test(stringOf(record["sessionId"])) && contentOf(record) !== undefined,
    },
  ],
})
