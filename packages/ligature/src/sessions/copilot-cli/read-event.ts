/** One event, `{type, data, id, parentId, timestamp}` → what it adds to what the model sees. Most events only tell what happened. */
import {
  type Block,
  type CallBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { stringOf, textOf, wireOf } from "../engine/fields.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

export const format = "copilot-cli"

export const dataOf = (record: Wire): Wire => wireOf(record["data"])

/** The call whose agent this event belongs to, or that agent's own id; undefined for the main conversation. */
export const agentOf = (record: Wire): string | undefined => textOf(dataOf(record)["parentToolCallId"]) ?? textOf(record["agentId"])

const native = (wire: unknown) => ({ [format]: wire })

const readCall = (wire: unknown): Block => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const { toolCallId, name, arguments: input } = wire
  const call = { type: "call", id: stringOf(toolCallId), name: stringOf(name) } as const
  if (wire["type"] === "custom" && typeof input === "string") {
    return { arguments: { input }, custom: true, native: native(wire), ...call } satisfies CallBlock
  }
  const read = typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input)
  return { native: native(wire), ...call, ...read }
}

/** Reasoning is there as text and as an encrypted copy of it, which only its model and this agent can use. */
const readThinking = (data: Wire): readonly Block[] => {
  const shown = textOf(data["reasoningText"])
  const signature = textOf(data["reasoningOpaque"]) ?? textOf(data["encryptedContent"])
  if (shown === undefined && signature === undefined) return []
  return [
    {
      type: "thinking",
      text: shown ?? "",
      ...(signature !== undefined && { signature }),
      ...(shown === undefined && { redacted: true }),
      native: native(data),
    },
  ]
}

const readText = (content: unknown): readonly Block[] => {
  if (content === undefined || content === null || content === "") return []
  return [typeof content === "string" ? text(content) : malformedBlock(format, content)]
}

const readCalls = (requests: unknown): readonly Block[] => {
  if (Array.isArray(requests)) return requests.map(readCall)
  return requests === undefined || requests === null ? [] : [malformedBlock(format, requests)]
}

const readAssistant = (data: Wire): RecordMessage => {
  const model = textOf(data["model"])
  const blocks = [...readThinking(data), ...readText(data["content"]), ...readCalls(data["toolRequests"])]
  return { role: "assistant", blocks, ...(model !== undefined && { origin: { model } }) }
}

/** What the model was given as the result: its text, or the reason why there is none. */
const resultTextIn = ({ result, error }: Wire): string =>
  ([wireOf(result)["content"], wireOf(error)["message"], result, error].find((each) => typeof each === "string") as string | undefined) ??
  ""

const denials: ReadonlySet<unknown> = new Set(["denied", "rejected"])

const readResult = (data: Wire): RecordMessage => {
  const content = resultTextIn(data)
  const name = textOf(data["toolName"])
  const result: ResultBlock = {
    type: "result",
    callId: stringOf(data["toolCallId"]),
    ...(name !== undefined && { name }),
    ...readResultContent(content === "" ? [] : [text(content)], { errorMark: false }),
    ...(data["success"] === false && { error: true }),
    ...(denials.has(wireOf(data["error"])["code"]) && { denied: true }),
    native: native(data),
  }
  return { role: "tool", blocks: [result] }
}

const said = (role: Role, content: unknown): RecordMessage | undefined =>
  content === undefined || content === null ? undefined : { role, blocks: readText(content) }

const isSummary = ({ summaryContent, success }: Wire): boolean => stringOf(summaryContent).trim() !== "" && success !== false

const readers: ReadonlyMap<unknown, (data: Wire) => RecordMessage | undefined> = new Map([
  ["system.message", ({ content }: Wire) => said("system", content)],
  // The agent adds to what the user typed before it sends it.
  ["user.message", ({ transformedContent, content }: Wire) => said("user", textOf(transformedContent) ?? content)],
  ["system.notification", ({ content }: Wire) => said("user", content)],
  ["assistant.message", readAssistant],
  ["tool.execution_complete", readResult],
  [
    "session.compaction_complete",
    (data: Wire) => (isSummary(data) ? { role: "user", blocks: readText(data["summaryContent"]), summary: true } : undefined),
  ],
])

/** Families of events that only tell what happened. */
const families: ReadonlySet<string> = new Set([
  "session",
  "assistant",
  "tool",
  "user",
  "system",
  "subagent",
  "hook",
  "permission",
  "abort",
  "skill",
  "pending_messages",
  "external_tool",
  "command",
  "elicitation",
  "exit_plan_mode",
  "mcp",
  "model",
  "sampling",
  "user_input",
  "capabilities",
  "auto_mode_switch",
])

const nothing: RecordReading = {}

const isKnown = (type: unknown): boolean => {
  if (typeof type !== "string") return false
  const dot = type.indexOf(".")
  return families.has(dot < 0 ? type : type.slice(0, dot))
}

const readUnknown = (type: unknown): RecordReading =>
  typeof type === "string" ? { unknownType: type } : { findings: [{ kind: "malformed-record", what: "Expected an event with a type" }] }

const readCompaction = (type: unknown, { success, summaryContent, trigger }: Wire): Pick<RecordReading, "compaction"> => {
  if (type !== "session.compaction_complete" || success === false) return {}
  const summary = textOf(summaryContent)
  const cause = trigger === "auto" || trigger === "manual" ? ({ trigger } as const) : {}
  return { compaction: { kind: "summary", ...cause, ...(summary !== undefined && { summary }) } }
}

export const readEvent = (record: Wire): RecordReading => {
  const { type, id } = record
  const reader = readers.get(type)
  if (!reader) return isKnown(type) ? nothing : readUnknown(type)
  const data = dataOf(record)
  const message = reader(data)
  if (!message) return readCompaction(type, data)
  const title = type === "user.message" ? textOf(data["content"]) : undefined
  return {
    messages: [typeof id === "string" ? { id, ...message } : message],
    ...readCompaction(type, data),
    ...(title !== undefined && { title }),
    // Notices and summaries may come inside of a turn.
    ...(message.role === "user" && { starts: type === "user.message" && agentOf(record) === undefined }),
  }
}
