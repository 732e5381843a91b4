/**
 * `session.jsonl` of DeepSeek Harness: a header with delegationDepth, which sessions of pi do not have, and numbered events. Facts
 * are from its sources (deepseek-ai/deepseek-harness packages/session and packages/core, format version 0, July 2026, as
 * kenn-io/agentsview names them) and a file. Only read: the agent checks the numbers of its events.
 *
 * A call is in the message of the assistant and in an event of its own, and is read once. A result names its call, or the
 * number of the call's event. What streamed of a message that was never finished is read, too.
 */
import { type Block, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { listOf, recordsOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, type OwnParts, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "dsh"

const own: OwnParts = {
  "tool-call": (part) => callBlock(format, part, { id: part["id"] ?? part["callId"], name: part["name"], input: part["arguments"] }),
  "tool-result": (part) =>
    resultBlock(format, part, { callId: part["toolCallId"], content: part["content"], error: part["isError"] === true }),
  image: (part) => ({ type: "opaque", kind: "image", text: "[image]", native: { [format]: part } }),
}

const dataOf = ({ data }: Wire): Wire => wireOf(data)

const messageOf = (record: Wire): Wire => wireOf(dataOf(record)["message"])

/** What a session of this agent says beside its conversation. */
const silent =
  /^(?:session|text-chunks|reasoning-chunks|tool-call-chunks|assistant\/chunk|(?:agent-preset|agent|approval|command|compaction|feedback|goal|hook|llm|permission|plan|request|sandbox|schedule|session|step|subagent|todo|tool-workflow|turn|web)\/[\w/-]+|tool\/code-dispatch(?:-start)?)$/

const readResult = (record: Wire, callId: string): ResultBlock => {
  const { error, meta } = dataOf(record)
  const failed = isWire(error)
  const blocks = readContent(format, messageOf(record)["content"], own)
  const found = blocks.find((block): block is ResultBlock => block.type === "result")
  if (found) return failed ? { ...found, error: true } : found
  const said =
    blocks.length > 0
      ? messageOf(record)["content"]
      : failed
        ? [textAt(error, "message"), textAt(error, "name"), textAt(error, "code")].filter((word) => word !== undefined).join(" ")
        : (meta ?? "")
  return resultBlock(format, record, { callId, content: said, error: failed }, own)
}

interface Calls {
  /** Ids by the number of the event that made the call. */
  readonly bySeq: ReadonlyMap<unknown, string>
  /** Calls that a message of the assistant has. */
  readonly inMessages: ReadonlySet<string>
}

const noCalls: Calls = { bySeq: new Map(), inMessages: new Set() }

const callIdOf = (record: Wire, { bySeq }: Calls): string => {
  for (const seq of listOf(record["sourceEventSeqs"])) {
    const id = bySeq.get(seq)
    if (id !== undefined) return id
  }
  return textAt(dataOf(record), "callId") ?? ""
}

const read = (record: Wire, calls = noCalls): RecordReading => {
  const { type } = record
  const data = dataOf(record)
  const message = messageOf(record)
  if (type === "user/message")
    return { messages: [{ role: "user", blocks: readContent(format, message["content"] ?? data["content"], own) }] }
  if (type === "assistant/message") {
    const model = textAt(message["source"], "model")
    return {
      messages: [
        { role: "assistant", blocks: readContent(format, message["content"], own), ...(model !== undefined && { origin: { model } }) },
      ],
    }
  }
  if (type === "tool/call") {
    const id = textAt(data, "callId") ?? ""
    return calls.inMessages.has(id)
      ? {}
      : { messages: [{ role: "assistant", blocks: [callBlock(format, data, { id, name: data["name"], input: data["arguments"] })] }] }
  }
  if (type === "tool/result") return { messages: [{ role: "tool", blocks: [readResult(record, callIdOf(record, calls))] }] }
  if (type === "compaction/summary")
    return { compaction: { kind: "summary", ...(textOf(data["summary"]) !== undefined && { summary: stringOf(data["summary"]) }) } }
  return typeof type === "string" && silent.test(type) ? {} : { unknownType: type }
}

const stepOf = (record: Wire): string =>
  `${JSON.stringify(dataOf(record)["turn"] ?? null)}/${JSON.stringify(dataOf(record)["step"] ?? null)}`

const callsOf = (records: readonly unknown[]): Calls => {
  const bySeq = new Map<unknown, string>()
  const inMessages = new Set<string>()
  for (const record of records) {
    if (!isWire(record)) continue
    if (record["type"] === "tool/call") bySeq.set(record["seq"], textAt(dataOf(record), "callId") ?? "")
    if (record["type"] !== "assistant/message") continue
    for (const part of listOf(messageOf(record)["content"]))
      if (isWire(part) && part["type"] === "tool-call") inMessages.add(stringOf(part["id"] ?? part["callId"]))
  }
  return { bySeq, inMessages }
}

const chunks: Readonly<Record<string, (words: string) => Block>> = {
  "text-chunks": (words) => ({ type: "text", text: words }),
  "reasoning-chunks": (words) => ({ type: "thinking", text: words }),
}

/** Steps whose message was finished. */
const finishedSteps = (records: readonly unknown[]): ReadonlySet<string> =>
  new Set(records.flatMap((record) => (isWire(record) && record["type"] === "assistant/message" ? [stepOf(record)] : [])))

export const dsh = defineSession({
  format,
  title: "DeepSeek Harness session",
  agent: "DeepSeek Harness",
  aliases: ["deepseek-harness"],
  sources:
    "deepseek-ai/deepseek-harness packages/session/session-persistence-jsonl and packages/core/session (version 0, July 2026); a file in Mai0313/VibeCodingTracker",
  capabilities: declareHomes({
    native: [
      "result-error",
      "structured-result",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "raw-arguments",
      "call-id",
      "empty-result",
    ],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read: (record) => read(record),
  reader: (records) => {
    const calls = callsOf(records)
    const finished = finishedSteps(records)
    return (record) => {
      const write = typeof record["type"] === "string" && Object.hasOwn(chunks, record["type"]) ? chunks[record["type"]] : undefined
      if (write && !finished.has(stepOf(record))) {
        const words = listOf(dataOf(record)["texts"]).map(stringOf).join("")
        return { messages: [{ role: "assistant", blocks: [write(words)] }], response: stepOf(record) }
      }
      return { ...read(record, calls), response: stepOf(record) }
    }
  },
  facts: ({ type, id, cwd, createdAt, data }) => ({
    ...(type === "session" && {
      id: textOf(id),
      folder: textOf(cwd),
      ...(typeof createdAt === "number" && { startedAt: isoOf(createdAt) }),
    }),
    ...(type === "request/context" && { model: textAt(data, "model") }),
    ...(type === "session/title" && { title: textAt(data, "title") }),
  }),
  marks: [
    {
      certainty: "certain",
      evidence: "an event has a number, data and a type in two parts",
      isOn: ({ type, seq, data }) =>
        typeof type === "string" && /^(?:user|assistant|tool)\//.test(type) && typeof seq === "number" && isWire(data),
    },
    {
      certainty: "likely",
      evidence: "its first line has the depth of a delegation",
      isOn: ({ type, delegationDepth, createdAt }) =>
        type === "session" && typeof delegationDepth === "number" && typeof createdAt === "number",
    },
  ],
})
