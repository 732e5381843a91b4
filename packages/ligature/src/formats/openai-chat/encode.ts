/** Conversation → Chat Completions. Every message and every result is a wire message of its own; none are merged. */
import {
  type AssistantBlock,
  type AssistantMessage,
  type CallBlock,
  callsOf,
  type ContentBlock,
  type Conversation,
  errorMark,
  type Exchange,
  fillers,
  type Item,
  type ResultBlock,
  type SystemMessage,
  type ThinkingBlock,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { allowed } from "./allowed.ts"
import {
  fieldsOf,
  isFilled,
  nativeOf,
  nativeWireOf,
  reasoningFields,
  sameReasoning,
  saysCalls,
  saysReasoning,
  withoutCalls,
} from "./fields.ts"
import { isLegacyCall, isPartThinking, isUntouchedCall, type Piece, writeCall, writeContent, writeLegacyCall } from "./write-blocks.ts"

// An assistant message → one wire message. Reasoning, content and calls live in fields of their own here, so each is written and compared by itself;
// a message in which nothing differs is returned as it came.

type Fields = Record<string, unknown>

interface Sorted {
  readonly pieces: Piece[]
  readonly calls: CallBlock[]
  readonly thinking: ThinkingBlock[]
  /** `refusal` and `audio`, where they came as fields of this format. */
  readonly beside: Fields
}

const fieldNative = (block: Piece): Wire | undefined => {
  const native = block.native === undefined ? undefined : nativeWireOf(block)
  if (!native || "type" in native) return undefined
  return block.type === "text" || (block.type === "opaque" && block.kind === "audio") ? native : undefined
}

const sorted = (message: AssistantMessage, options: EncodeOptions): Sorted => {
  const kinds: Sorted = { pieces: [], calls: [], thinking: [], beside: {} }
  for (const block of message.blocks) {
    if (block.type === "call") kinds.calls.push(block)
    else if (block.type === "thinking") {
      if (isPartThinking(block, options)) kinds.pieces.push(block)
      else kinds.thinking.push(block)
    } else {
      const native = fieldNative(block)
      // Most servers have no refusal: it is written as text.
      if (!native || (block.type === "text" && (options.plainContent === true || options.refusals === "text"))) kinds.pieces.push(block)
      else if (block.type === "text") kinds.beside["refusal"] = block.text
      else kinds.beside["audio"] = native["audio"]
    }
  }
  return kinds
}

/** Content of a message without words: what it came with where that is one of the accepted ways to say nothing. */
const emptyContent = (native: Wire | undefined, { calls, beside }: Sorted, options: EncodeOptions): unknown => {
  const previous = native?.["content"]
  const said = previous === "" || previous === null || (native !== undefined && previous === undefined)
  if (calls.length === 0) return "refusal" in beside || "audio" in beside ? (said ? previous : null) : ""
  switch (options.callContent) {
    case "empty":
      return ""
    case "filler":
      return fillers.empty
    default:
      return said ? previous : null
  }
}

/** Some servers want the field on every message, and beside calls they refuse the empty text in it. */
const requiredReasoning = (thinking: readonly ThinkingBlock[], hasCalls: boolean): string => {
  const words = thinking.map((block) => block.text).filter((text) => text !== "")
  return words.length > 0 ? words.join("\n\n") : hasCalls ? " " : ""
}

/** Every reasoning field of the message to be; undefined: as it came. */
const reasoningOf = (native: Wire | undefined, kinds: Sorted, options: EncodeOptions): Wire | undefined => {
  const { thinking, calls } = kinds
  if (options.reasoning === "omit") return {}
  if (options.reasoning === "require") return { reasoning_content: requiredReasoning(thinking, calls.length > 0) }
  const [first] = thinking
  if (!first) return native && saysReasoning(native) ? {} : undefined
  if (thinking.length === 1) return fieldsOf(first)
  const words = thinking.map((block) => block.text).filter((text) => text !== "")
  return words.length > 0 ? { reasoning_content: words.join("\n\n") } : {}
}

const writeCalls = (calls: readonly CallBlock[], previous: unknown, options: EncodeOptions): unknown => {
  if (calls.length === 0) return previous === null ? null : undefined
  const written = calls.map((call) => writeCall(call, options))
  return sameElements(written, previous) ? previous : written
}

const put = (out: Fields, field: string, value: unknown): void => {
  if (value !== undefined) out[field] = value
  else if (field in out) delete out[field]
}

/** `bare`: the target has no reasoning field but the one given, so that those which say nothing go as well. */
const patched = (native: Wire, fields: Fields, reasoning: Wire | undefined, bare: boolean): Wire => {
  const out: Fields = { ...native }
  for (const field in fields) {
    put(out, field, fields[field])
    if (field === "content" && reasoning) {
      for (const name of reasoningFields) {
        if (name in reasoning || bare || isFilled(native[name])) put(out, name, reasoning[name])
      }
    }
  }
  return out
}

/** A field that says nothing (null, empty text) stays; one that says something stands and falls with its block. */
const silent = (value: unknown): unknown => (value === null || value === "" ? value : undefined)

/**
 * The common case, decided without building anything: words, if any, as one text, then the calls as they came, and no
 * field beside them says more. False only means that the long way has to look.
 */
const isUntouched = (message: AssistantMessage, native: Wire): boolean => {
  const { blocks } = message
  const { content, tool_calls: entries } = native
  const first = blocks[0]
  const worded = first?.type === "text"
  if (worded ? first.native !== undefined || first.text !== content : content !== null && content !== "") return false
  const start = worded ? 1 : 0
  const calls = blocks.length - start
  if (calls === 0 ? !worded || (entries !== undefined && entries !== null) : !Array.isArray(entries)) return false
  if (calls > 0 && (entries as readonly unknown[]).length !== calls) return false
  for (let index = start; index < blocks.length; index++) {
    const block = blocks[index]
    if (block?.type !== "call" || !isUntouchedCall(block, (entries as readonly unknown[])[index - start])) return false
  }
  if (native["role"] !== "assistant" || native["name"] !== message.name || native["function_call"]) return false
  return !native["refusal"] && !native["audio"] && !saysReasoning(native)
}

/** Where the target has no reasoning, a message goes back as it came only without any field that would have to go. */
const isBare = (native: Wire): boolean => {
  for (const field of reasoningFields) if (native[field] !== undefined) return false
  const { refusal, audio, function_call: call } = native
  return refusal === silent(refusal) && audio === silent(audio) && call === silent(call)
}

/** Options under which a message of this format goes back as it came. */
const isLenient = (options: EncodeOptions, native: Wire): boolean =>
  (options.callContent === undefined || options.callContent === "null") &&
  (options.reasoning === "omit" ? isBare(native) : options.reasoning !== "require") &&
  options.objectArguments !== true

const callContents = { null: null, empty: "", filler: fillers.empty } as const

/**
 * A message from elsewhere as nearly all are: one text at most, then calls, and thinking that the target does not want.
 * Written without sorting its blocks first. Undefined where the long way has to look.
 */
const writeUsual = ({ name, blocks }: AssistantMessage, options: EncodeOptions): Wire | undefined => {
  let content: string | null | undefined
  let calls = 0
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as AssistantBlock
    if (block.type === "call") calls++
    else if (calls > 0 || nativeOf(block) !== undefined) return undefined
    else if (block.type === "text" && content === undefined) content = block.text
    else if (block.type !== "thinking" || options.reasoning !== "omit") return undefined
  }
  if (options.reasoning === "require" || (calls === 0 && content === undefined)) return undefined
  content ??= callContents[options.callContent ?? "null"]
  if (calls === 0) return name === undefined ? { role: "assistant", content } : { role: "assistant", name, content }
  const from = blocks.length - calls
  const only = calls === 1 ? (blocks[from] as CallBlock) : undefined
  const tool_calls = only ? [writeCall(only, options)] : blocks.slice(from).map((call) => writeCall(call as CallBlock, options))
  if (name === undefined) return { role: "assistant", content, tool_calls }
  return { role: "assistant", name, content, tool_calls }
}

/** Undefined where nothing is left to say. `legacy`: its only call is said in the style of old. */
export const writeAssistant = (message: AssistantMessage, legacy: boolean, options: EncodeOptions): Wire | undefined => {
  const native = nativeWireOf(message)
  if (native && isLenient(options, native) && isUntouched(message, native)) return native
  const usual = native || legacy ? undefined : writeUsual(message, options)
  if (usual) return usual
  const kinds = sorted(message, options)
  const { calls, beside } = kinds
  const old = legacy ? calls[0] : undefined
  const words = writeContent(kinds.pieces, native?.["content"], "assistant", options)
  const reasoning = reasoningOf(native, kinds, options)
  const speechless = words === undefined && calls.length === 0 && !("refusal" in beside) && !("audio" in beside)
  if (speechless && !(reasoning && saysReasoning(reasoning))) return undefined
  const fields: Fields = {
    role: "assistant",
    name: message.name ?? (typeof native?.["name"] === "string" ? undefined : native?.["name"]),
    content: words ?? emptyContent(native, kinds, options),
    refusal: beside["refusal"] ?? silent(native?.["refusal"]),
    audio: beside["audio"] ?? silent(native?.["audio"]),
    function_call: old ? writeLegacyCall(old) : silent(native?.["function_call"]),
    tool_calls: writeCalls(old ? [] : calls, native?.["tool_calls"], options),
  }
  const bare = options.reasoning === "omit" || options.reasoning === "require"
  if (!native) return patched({}, fields, reasoning, bare)
  for (const field in fields) if (native[field] !== fields[field]) return patched(native, fields, reasoning, bare)
  return sameReasoning(native, reasoning, bare) ? native : patched(native, fields, reasoning, bare)
}

// Outcomes → tool messages: one each. The format has no error flag, so a failure says so in its first words.

const marked = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const [first, ...rest] = content
  if (first?.type !== "text") return [{ type: "text", text: errorMark }, ...content]
  return [{ ...first, text: errorMark + first.text }, ...rest]
}

/** Generated outcomes carry a mark of their own. */
const contentOf = (result: ResultBlock): readonly ContentBlock[] =>
  result.error === true && result.synthetic === undefined ? marked(result.content) : result.content

const nameFields = (result: ResultBlock, call: CallBlock, native: Wire | undefined, options: EncodeOptions): Wire | undefined => {
  const before = native?.["name"]
  // Elsewhere a name is written only where there was one.
  const wanted = options.resultName === true ? call.name : typeof before === "string" ? (result.name ?? before) : undefined
  const name = wanted !== undefined && before !== wanted
  const toolName = options.objectArguments === true && native?.["tool_name"] !== call.name
  if (!name && !toolName) return undefined
  return { ...(name && { name: wanted }), ...(toolName && { tool_name: call.name }) }
}

const writeResult = (result: ResultBlock, call: CallBlock, legacy: boolean, options: EncodeOptions): Wire => {
  const native = nativeWireOf(result)
  const content = writeContent(contentOf(result), native?.["content"], "tool", options) ?? ""
  if (legacy) {
    const isSame = native?.["role"] === "function" && native["name"] === call.name && native["content"] === content
    return isSame && !saysCalls(native) ? native : { ...withoutCalls(native), role: "function", name: call.name, content }
  }
  const names = nameFields(result, call, native, options)
  const { callId } = result
  if (!native && !names) return { role: "tool", tool_call_id: callId, content }
  if (!native) return { role: "tool", tool_call_id: callId, ...names, content }
  if (
    names === undefined &&
    native["role"] === "tool" &&
    native["tool_call_id"] === callId &&
    native["content"] === content &&
    !saysCalls(native)
  ) {
    return native
  }
  const { tool_call_ids: _, ...kept } = withoutCalls(native)
  return { ...kept, role: "tool", tool_call_id: callId, ...names, content }
}

/** `developer` is the system role of newer models: a message that came with it keeps it, where the server knows it. */
const roleOf = (message: SystemMessage | UserMessage, native: Wire | undefined, options: EncodeOptions): string => {
  const developer = message.role === "system" && native?.["role"] === "developer" && options.developerRole !== "system"
  return developer ? "developer" : message.role
}

/** Undefined where nothing is left to say. */
const writeSpoken = (message: SystemMessage | UserMessage, options: EncodeOptions): Wire | undefined => {
  const native = nativeWireOf(message)
  const role = roleOf(message, native, options)
  const content = writeContent(message.blocks, native?.["content"], role, options)
  if (content === undefined) return undefined
  const { name } = message
  if (!native) return name === undefined ? { role, content } : { role, name, content }
  const calls = saysCalls(native)
  const sameName = name === undefined ? typeof native["name"] !== "string" : native["name"] === name
  if (native["role"] === role && native["content"] === content && sameName && !calls) return native
  return { ...(calls ? withoutCalls(native) : native), role, content, ...(name !== undefined && { name }) }
}

const envelope = (conversation: Conversation, stripping: boolean): Wire => {
  const native = nativeWireOf(conversation) ?? {}
  return stripping ? allowed.body(native) : native
}

/** A conversation out of a store has no envelope, but may hold messages that were recorded in this format. */
const isFromHere = (conversation: Conversation): boolean =>
  nativeWireOf(conversation) !== undefined ||
  conversation.items.some((item) => {
    if (item.role !== "exchange") return nativeWireOf(item) !== undefined
    return nativeWireOf(item.message) !== undefined || item.outcomes.some(({ result }) => result && nativeWireOf(result) !== undefined)
  })

const isLegacy = (exchange: Exchange): boolean => {
  const [only, ...others] = callsOf(exchange)
  return only !== undefined && others.length === 0 && isLegacyCall(only, nativeWireOf(exchange.message))
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const messages: Wire[] = []
  // What is written here from scratch has no field that would have to go, but for names that not every server knows.
  const cleaning = stripping && (isFromHere(conversation) || options.objectArguments === true)
  const push = (message: Wire | undefined): void => {
    if (message) messages.push(cleaning ? allowed.message(message, options.objectArguments !== true) : message)
  }
  /** The style of old lasts until the first call that cannot be said in it: what follows needs ids as well. */
  let old = !stripping
  const { items } = conversation
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item
    if (item.role !== "exchange") {
      push(writeSpoken(item, options))
      continue
    }
    const { message, outcomes, reply } = item
    if (old && outcomes.length > 0) old = isLegacy(item)
    push(writeAssistant(message, old, options))
    let ordinal = 0
    for (let index = 0; index < message.blocks.length; index++) {
      const block = message.blocks[index]
      if (block?.type !== "call") continue
      const result = outcomes[ordinal++]?.result
      if (result) push(writeResult(result, block, old, options))
    }
    if (reply) push(writeAssistant(reply, false, options))
  }
  return { ...envelope(conversation, stripping), messages }
}
