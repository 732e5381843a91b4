/** What an event says now → the event. A changed one keeps all its other fields. */
import { type Block, type CallBlock, type ResultBlock, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { shownText } from "../../formats/engine/media.ts"
import { nativeIn } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { dataOf, format } from "./read-event.ts"

const joined = (blocks: readonly Block[]): string => {
  const [only] = blocks
  if (blocks.length === 1 && only?.type === "text") return only.text
  return blocks
    .map(shownText)
    .filter((each) => each !== "")
    .join("\n\n")
}

const writeCall = (call: CallBlock): Wire => {
  const wire = nativeIn(call, format)
  const isRaw = call.fault === undefined && call.raw !== undefined && call.raw === wire?.["arguments"]
  const input = call.custom === true ? call.arguments["input"] : isRaw ? call.raw : call.arguments
  const written = patch(wire, { toolCallId: call.id, name: call.name, arguments: input })
  return written === wire ? written : { ...written, type: call.custom === true ? "custom" : "function" }
}

const isThinking = (block: Block): block is ThinkingBlock => block.type === "thinking"

/** The fields of the reasoning, where it changed. */
const thinkingFields = (blocks: readonly Block[], before: readonly Block[]): Wire => {
  const thought = blocks.find(isThinking)
  if (thought === before.find(isThinking)) return {}
  const { text = "", signature } = thought ?? {}
  return { reasoningText: text === "" ? undefined : text, reasoningOpaque: signature, encryptedContent: undefined }
}

const assistantData = (blocks: readonly Block[], data: Wire, before: readonly Block[]): Wire => {
  const calls = blocks.filter((block) => block.type === "call").map(writeCall)
  const { toolRequests, content } = data
  const text = joined(blocks)
  return patch(data, {
    ...(text !== (content ?? "") && { content: text }),
    ...((calls.length > 0 || (toolRequests ?? undefined) !== undefined) && { toolRequests: patchList(toolRequests, calls) }),
    ...thinkingFields(blocks, before),
  })
}

const resultFields = ({ content, error, denied }: ResultBlock): Wire => {
  const text = content.every((block) => block.type === "text") ? content.map((block) => block.text).join("\n") : joined(content)
  if (error !== true) return { success: true, result: { content: text }, error: undefined }
  return { success: false, result: undefined, error: { message: text, code: denied === true ? "denied" : "failure" } }
}

const resultData = (result: ResultBlock, data: Wire, [before]: readonly Block[]): Wire => {
  const isSame = before?.type === "result" && before.content === result.content && before.error === result.error
  return patch(data, { toolCallId: result.callId, ...(!isSame && resultFields(result)) })
}

const eventTypes = { system: "system.message", user: "user.message", tool: "user.message", assistant: "assistant.message" } as const

const typeOf = ({ role, blocks: [first], summary }: RecordMessage): string => {
  if (first?.type === "result") return "tool.execution_complete"
  return summary === true ? "session.compaction_complete" : eventTypes[role]
}

/** The events of a subagent have its mark: a new one next to them belongs to it as well. */
const newEvent = (message: RecordMessage, { id, time, previous }: WritePlace): Wire => {
  const type = typeOf(message)
  const { agentId } = previous ?? {}
  const { parentToolCallId } = previous ? dataOf(previous) : {}
  const data = {
    ...(type === "assistant.message" && { messageId: id, content: "", toolRequests: [] }),
    ...(type === "system.message" && { role: "system" }),
    ...(type === "user.message" && { content: "", attachments: [] }),
    ...(type === "session.compaction_complete" && { success: true }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
  return {
    type,
    data: dataFor(type, message.blocks, data, []),
    id,
    timestamp: time,
    parentId: null,
    ...(agentId !== undefined && { agentId }),
  }
}

const dataFor = (type: unknown, blocks: readonly Block[], data: Wire, before: readonly Block[]): Wire => {
  const [first] = blocks
  if (first?.type === "result") return resultData(first, data, before)
  if (type === "assistant.message") return assistantData(blocks, data, before)
  if (type === "session.compaction_complete") return patch(data, { summaryContent: joined(blocks) })
  // What the agent added to the text of the user is part of the text now.
  return patch(data, { content: joined(blocks), ...(type === "user.message" && { transformedContent: undefined }) })
}

export const writeEvent = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  const [{ role } = { role: "user" as const }] = messages
  const message: RecordMessage = { ...messages[0], role, blocks: messages.flatMap(({ blocks }) => blocks) }
  if (!like) return newEvent(message, place)
  const isResult = message.blocks[0]?.type === "result"
  if (isResult === (like["type"] === "tool.execution_complete")) {
    return patch(like, {
      data: dataFor(
        like["type"],
        message.blocks,
        dataOf(like),
        place.before.flatMap(({ blocks }) => blocks),
      ),
    })
  }
  // A result that became text of the user, in the place of the result.
  const { type, data } = newEvent(message, place)
  return { ...like, type, data }
}
