/**
 * What the records of a session say, read naively: known fields of one record at a time, no order, no tree, no
 * pairing. Shares no code with the readers under test, so that it can tell when they lose words.
 */
import { isObject } from "./session-text.ts"

type Json = Readonly<Record<string, unknown>>

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const stringsOf = (value: unknown): readonly string[] => (typeof value === "string" ? [value] : [])

/** A string, or the texts of a list of parts. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : listOf(value).flatMap(({ text }) => stringsOf(text))

const anthropicTexts = (message: Json): readonly string[] => {
  const { role, content } = message
  const spoken = role === "assistant" ? textsOf(content) : []
  const results = listOf(content).filter(({ type }) => type === "tool_result")
  return [...spoken, ...results.flatMap((block) => textsOf(block["content"]))]
}

const itemTexts = ({ type, role, content, output }: Json): readonly string[] => {
  if (type === "message") return role === "assistant" ? textsOf(content) : []
  return type === "function_call_output" || type === "custom_tool_call_output" ? textsOf(output) : []
}

const chatTexts = ({ role, content }: Json): readonly string[] => (role === "assistant" || role === "tool" ? textsOf(content) : [])

const readers: Readonly<Record<string, (record: Json) => readonly string[]>> = {
  "claude-code": ({ type, message }) => (type === "assistant" || type === "user" ? anthropicTexts(objectOf(message)) : []),
  "codex-rollout": ({ type, payload }) => (type === "response_item" ? itemTexts(objectOf(payload)) : []),
  "codex-rollout-old": itemTexts,
  "cline-api": anthropicTexts,
  pi: ({ message }) => {
    const { role, content } = objectOf(message)
    return role === "assistant" || role === "toolResult" ? textsOf(content) : []
  },
  "copilot-cli": ({ type, data }) => {
    const { content, result } = objectOf(data)
    if (type === "assistant.message") return stringsOf(content)
    return type === "tool.execution_complete" ? stringsOf(objectOf(result)["content"]) : []
  },
  "gemini-cli": ({ type, content, toolCalls }) => {
    if (type !== "gemini") return []
    const parts = listOf(toolCalls).flatMap(({ result }) => listOf(result))
    const responses = parts.map(({ functionResponse }) => objectOf(functionResponse))
    return [...textsOf(content), ...responses.flatMap(({ response }) => stringsOf(objectOf(response)["output"]))]
  },
  goose: ({ role, content }) => [
    ...(role === "assistant" ? textsOf(content) : []),
    ...listOf(content).flatMap(({ toolResult }) => textsOf(objectOf(toolResult)["value"])),
  ],
  continue: ({ message }) => chatTexts(objectOf(message)),
  "opencode-export": ({ info, parts }) => {
    const role = objectOf(info)["role"]
    return listOf(parts).flatMap(({ type, text, state }) => {
      if (type === "tool") return stringsOf(objectOf(state)["output"])
      return type === "text" && role === "assistant" ? stringsOf(text) : []
    })
  },
  "openhands-v1": ({ kind, source, llm_message, observation }) => {
    if (kind === "MessageEvent" && source === "agent") return textsOf(objectOf(llm_message)["content"])
    const { content, output } = objectOf(observation)
    return kind === "ObservationEvent" ? [...textsOf(content), ...textsOf(output)] : []
  },
  "swe-agent": chatTexts,
  "tau-bench": chatTexts,
  tau2: chatTexts,
  "open-webui": chatTexts,
  neovate: ({ role, content }) => [
    ...(role === "assistant" ? textsOf(content) : []),
    ...listOf(content).flatMap(({ result }) => textsOf(objectOf(result)["llmContent"])),
  ],
}

const tagsAround = /^(?:\s*<[^>]{1,80}>)+|(?:<[^>]{1,80}>\s*)+$/g
const shortest = 20

/** The longest line of a text, without tags around it: enough to find the text again however it is wrapped. */
const probeOf = (text: string): string | undefined => {
  let longest = ""
  for (const line of text.split(/[\n\r]/)) if (line.length > longest.length) longest = line
  const probe = longest.replaceAll(tagsAround, "").trim()
  return probe.length > shortest ? probe : undefined
}

/** One probe for every tool result and assistant text of a record. */
export const probesOf = (format: string, record: unknown): readonly string[] => {
  if (!isObject(record)) return []
  return (readers[format]?.(record) ?? []).flatMap((text) => probeOf(text) ?? [])
}

const callIdKeys = new Set(["tool_use_id", "call_id", "callID", "toolCallId", "tool_call_id"])
const callTypes = new Set(["tool_use", "toolCall", "toolRequest", "toolResponse", "function", "tool-result"])

/** Ids of calls, wherever they are in a record. */
export const callIdsOf = (value: unknown, found: Set<string> = new Set()): Set<string> => {
  if (Array.isArray(value)) for (const element of value) callIdsOf(element, found)
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (callIdKeys.has(key) && typeof member === "string") found.add(member)
      else if (key === "tool_call_ids" && Array.isArray(member)) for (const id of member) found.add(String(id))
      else callIdsOf(member, found)
    }
    const { id, type, functionResponse, args } = value
    const isCall = callTypes.has(String(type)) || functionResponse !== undefined || args !== undefined
    if (typeof id === "string" && isCall) found.add(id)
  }
  return found
}

export const formatsRead: readonly string[] = Object.keys(readers)
