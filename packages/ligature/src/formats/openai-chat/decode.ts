/** Chat Completions → Transcript. A message is its reasoning, its content, and after them its calls. */
import {
  asWord,
  type Block,
  type ContentBlock,
  isContent,
  isWire,
  type Message,
  type Native,
  readResultContent,
  type ResultBlock,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { borrowedMessage, readBorrowed, resultInCall, saysElsewhere } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock } from "../engine/malformed.ts"
import { originOf } from "../engine/message-list.ts"
import { idText, isGiven, renameFields, roleAlias } from "../engine/wire.ts"
import { format, readReasoning, saysReasoning } from "./fields.ts"
import { Findings, joinPieces, readAudioField, readCall, readCalls, readContent, readRefusalField } from "./read-blocks.ts"

// Messages whose meaning is plain although a field of theirs has another name than here, or something is around them. They are read as what they
// mean, and reported.

/** Whether a call of the list has this id: gathered when a result has nothing but an id that may be its own. */
export const callIdsIn = (list: readonly unknown[]): ((id: unknown) => boolean) => {
  let ids: Set<unknown> | undefined
  const gather = (): Set<unknown> => {
    const found = new Set<unknown>()
    for (const wire of list) {
      const calls = isWire(wire) ? (wire["tool_calls"] ?? wire["toolCalls"]) : undefined
      if (Array.isArray(calls)) for (const call of calls) if (isWire(call)) found.add(call["id"])
    }
    return found
  }
  return (id) => (ids ??= gather()).has(id)
}

/** A result that names its call, or says what it has to say, under the name another API or a framework has for it. */
const asResult = (wire: Wire, isCallId: (id: unknown) => boolean, findings: Findings): Wire => {
  const names = new Map<string, string>()
  if (!["tool_call_id", "toolCallId", "tool_call_ids"].some((name) => isGiven(wire[name]))) {
    const other = ["tool_use_id", "call_id"].find((name) => idText(wire[name]) !== "")
    const name = other ?? (isGiven(wire["id"]) && isCallId(wire["id"]) ? "id" : undefined)
    if (name !== undefined) names.set(name, "tool_call_id")
  }
  if (!["content", "parts", "text"].some((name) => isGiven(wire[name]))) {
    const name = ["output", "result", "data", "response", "value", "body"].find((each) => isGiven(wire[each]))
    if (name !== undefined) names.set(name, "content")
  }
  if (names.size === 0) return wire
  findings.irregular("A result has its call or its content under another name", "written as tool_call_id and content")
  return renameFields(wire, names)
}

const isOddResult = (wire: unknown): wire is Wire =>
  isWire(wire) && wire["role"] === "tool" && (wire["tool_call_id"] === undefined || wire["content"] === undefined)

/** The message inside of a choice, or of a whole answer, that was appended as it came. */
export const messageWithin = (wire: unknown): Wire | undefined => {
  if (!isWire(wire) || wire["role"] !== undefined) return undefined
  const choices = wire["choices"]
  const choice: unknown = Array.isArray(choices) ? choices[0] : wire
  const message = isWire(choice) ? choice["message"] : undefined
  return isWire(message) && typeof message["role"] === "string" ? message : undefined
}

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
])

/** A result that is no text (a trajectory's object) is what the model saw as JSON. */
const readResultBlocks = (content: unknown, findings: Findings): readonly ContentBlock[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (content === null || content === undefined) {
    findings.irregular("A result has no content", "written as empty text")
    return []
  }
  if (!Array.isArray(content)) {
    findings.irregular("The content of a result is no text", "written as JSON text")
    return [{ type: "text", text: JSON.stringify(content) ?? "" }]
  }
  if (content.length === 0) findings.irregular("The content of a result is an empty list", "written as empty text")
  return content.flatMap((part: unknown): readonly ContentBlock[] => {
    const blocks: Block[] = []
    readContent([part], blocks, findings)
    // A call, a result or a thought inside of a result is refused: it is said in words.
    return blocks.every(isContent) ? blocks : [malformedBlock(format, part)]
  })
}

/** Usually one id; trajectories of SWE-agent hold a list of them. */
const answeredIds = (wire: Wire, findings: Findings): readonly string[] => {
  const id = wire["tool_call_id"]
  if (typeof id === "string") return [id]
  if (typeof id === "number") {
    findings.irregular("A result names its call by a number", "written as text")
    return [idText(id)]
  }
  const list = wire["tool_call_ids"]
  if (!Array.isArray(list)) return [""]
  findings.irregular("A result names its call in tool_call_ids", "written as tool_call_id")
  const ids = list.map(idText).filter((each) => each !== "")
  return ids.length === 0 ? [""] : ids
}

const bracket = "[".charCodeAt(0)

/** Every mark of ours begins with a bracket: most results are known to carry none by their first character. */
const isPlain = (content: unknown): content is string => typeof content === "string" && content !== "" && content.charCodeAt(0) !== bracket

/** A list of results as another API has them, instead of one result and its content. */
const resultsWithin = (content: unknown, findings: Findings): Block[] | undefined => {
  if (!Array.isArray(content)) return undefined
  const blocks = content.flatMap((part): readonly (Block | undefined)[] => (isWire(part) && readBorrowed(part)) || [undefined])
  if (blocks.length === 0 || !blocks.every((block) => block?.type === "result")) return undefined
  findings.irregular("Results are inside of a result", "written as messages of their own")
  return blocks
}

const readResults = (wire: Wire, native: Native, findings: Findings): Block[] => {
  const { content, tool_call_id: id } = wire
  const within = resultsWithin(content, findings)
  if (within) return within
  const name = typeof wire["name"] === "string" ? wire["name"] : wire["tool_name"]
  if (isPlain(content) && typeof id === "string" && name === undefined) {
    return [{ type: "result", callId: id, content: [{ type: "text", text: content }], native }]
  }
  const read = readResultContent(readResultBlocks(content, findings), { errorMark: true })
  return answeredIds(wire, findings).map((callId): ResultBlock =>
    typeof name === "string" ? { type: "result", callId, name, ...read, native } : { type: "result", callId, ...read, native },
  )
}

/**
 * The usual shapes of a message in words, as a list no longer than needed: one that grows takes room for seventeen
 * blocks (150 bytes), which the collector then has to copy. Undefined where the long way has to look.
 */
const readUsual = (wire: Wire, role: Role, findings: Findings): readonly Block[] | undefined => {
  const { content, tool_calls: calls } = wire
  if (isWire(wire["function_call"])) return undefined
  const silent = content === null || content === ""
  if (!silent && typeof content !== "string") return undefined
  if (role === "assistant" && (wire["refusal"] || wire["audio"] || saysReasoning(wire))) return undefined
  if (calls === undefined || calls === null) return silent ? [] : [{ type: "text", text: content }]
  if (!Array.isArray(calls) || calls.length === 0 || calls.some(resultInCall)) return undefined
  if (calls.length > 1 && joinPieces(calls)) return undefined
  if (silent) return calls.map((call) => readCall(call, findings))
  return calls.length === 1 ? [{ type: "text", text: content }, readCall(calls[0], findings)] : undefined
}

const readSpoken = (wire: Wire, role: Role, findings: Findings): Block[] => {
  const blocks: Block[] = []
  const thinking = role === "assistant" ? readReasoning(wire) : undefined
  if (thinking) blocks.push(thinking)
  readContent(wire["content"], blocks, findings)
  if (role !== "assistant") return blocks
  const refusal = wire["refusal"]
  if (refusal && typeof refusal !== "string") findings.irregular("The refusal is no text", "left out")
  if (typeof refusal === "string" && refusal !== "") blocks.push(readRefusalField(refusal))
  const audio = wire["audio"]
  if (isWire(audio)) blocks.push(readAudioField(audio))
  return blocks
}

const readAll = (wire: Wire, role: Role, native: Native, findings: Findings): readonly Block[] => {
  const blocks = role === "tool" ? readResults(wire, native, findings) : readSpoken(wire, role, findings)
  readCalls(wire, blocks, findings)
  return blocks
}

const readMessage = (wire: Wire, role: Role, findings: Findings): Message => {
  const native = { "openai-chat": wire }
  const usual = role === "tool" ? undefined : readUsual(wire, role, findings)
  const blocks = usual ?? readAll(wire, role, native, findings)
  const { id, name } = wire
  const named = role !== "tool" && typeof name === "string"
  if (typeof id !== "string" && !named) return { role, blocks, native }
  return { role, blocks, ...(typeof id === "string" && { id }), ...(named && { name }), native }
}

/** Records of an agent's own bookkeeping (`_checkpoint`, `_usage`) are among the messages and are none. */
const isBookkeeping = (wire: unknown): wire is Wire =>
  isWire(wire) && wire["content"] === undefined && typeof wire["role"] === "string" && wire["role"].startsWith("_")

/** In the style of old, calls have no ids. The first call decides, so that appending changes nothing before it. */
const isLegacy = (list: readonly unknown[]): boolean => {
  for (const wire of list) {
    if (!isWire(wire)) continue
    const calls = wire["tool_calls"]
    if (Array.isArray(calls) && calls.length > 0) return false
    if (isWire(wire["function_call"])) return true
  }
  return false
}

/** Among calls of old, one of the new style still needs its id. */
const lacksId = (wire: Wire): boolean => {
  const calls = wire["tool_calls"]
  if (Array.isArray(calls)) return calls.some((call) => isWire(call) && idText(call["id"]) === "")
  return wire["role"] === "tool" && idText(wire["tool_call_id"]) === ""
}

/** Fields as some SDKs name them in memory: `toolCalls`, `toolCallId`. */
const inWireCase = (wire: unknown, findings: Findings): unknown => {
  if (!isWire(wire) || (wire["toolCalls"] === undefined && wire["toolCallId"] === undefined)) return wire
  const { toolCalls, toolCallId, ...rest } = wire
  findings.irregular("Calls or ids are named as in an SDK", "written as on the wire")
  return {
    ...(toolCalls !== undefined && { tool_calls: toolCalls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...rest,
  }
}

/** A message that names the call it answers is a result, whoever it says it is from. */
const answers = (wire: unknown): boolean =>
  isWire(wire) && idText(wire["tool_call_id"]) !== "" && wire["tool_calls"] === undefined && wire["role"] !== "assistant"

const listOf = (body: Wire): readonly unknown[] => {
  const list = body["messages"]
  if (Array.isArray(list)) return list
  return list === undefined ? [] : [list]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const findings = new Findings(options)
  const list = listOf(body)
  const legacy = isLegacy(list)
  const isCallId = callIdsIn(list)
  const records: unknown[] = []
  for (let index = 0; index < list.length; index++) {
    findings.at(index)
    const within = messageWithin(list[index])
    if (within) findings.irregular("A whole answer is where a message belongs", "written as its message")
    const given = within ?? list[index]
    const wire = inWireCase(isOddResult(given) ? asResult(given, isCallId, findings) : given, findings)
    if (isBookkeeping(wire)) {
      if (records.length === 0) findings.irregular("Records of bookkeeping are among the messages", "left out")
      records.push({ index, record: wire })
      continue
    }
    const named = isWire(wire) ? wire["role"] : undefined
    const known = roles.get(named)
    const role = answers(wire) ? "tool" : (known ?? roleAlias(named))
    const strange = role === undefined || named === undefined || (isWire(wire) && saysElsewhere(wire))
    const borrowed = strange ? borrowedMessage(wire) : undefined
    if (borrowed) {
      findings.irregular("A message or item of another API is among the messages", "written as a message")
      findings.add(borrowed)
      continue
    }
    if (!isWire(wire) || role === undefined) {
      findings.addMalformed(wire, "Expected a message with role system, developer, user, assistant or tool")
      continue
    }
    if (named === "function" && isWire(wire) && idText(wire["tool_call_id"]) !== "") {
      findings.irregular('A result with a call id has the role "function"', "written with role tool")
    }
    if (known !== role) findings.irregular(`The role "${asWord(named)}" is not of this format`, `read as ${role}`)
    if (legacy && lacksId(wire)) findings.irregular("A call or result of the new style has no id", "written with an id")
    findings.add(readMessage(wire, role, findings))
  }
  return findings.transcript(value, {
    ...(records.length > 0 && { native: { [format]: isWire(value) ? value : {}, [`${format}-records`]: records } }),
    origin: originOf(format, body["model"]),
    ...(legacy && { ids: "optional" }),
  })
}
