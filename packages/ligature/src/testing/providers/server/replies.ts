/** What the fake providers answer, in the shape of each API, plain and as a stream. */
import { createHash } from "node:crypto"
import { isArray, isObject } from "../verdict.ts"
import { pieces, type PlannedReply, type ReplyFormat, stamp, type WireEvent } from "./script.ts"

/** Anthropic replies: a message, or the events message_start … content blocks … message_delta, message_stop. */
export const anthropicReplies: ReplyFormat = {
  plain: (reply) => ({
    ...messageStart(reply),
    content: anthropicContent(reply),
    stop_reason: stopReason(reply),
    usage: { input_tokens: 10, output_tokens: 20 },
  }),
  events: (reply) => {
    const events: WireEvent[] = []
    const send = (name: string, fields: object): void => {
      events.push({ name, value: { type: name, ...fields } })
    }
    send("message_start", { message: { ...messageStart(reply), usage: { input_tokens: 10, output_tokens: 1 } } })
    send("ping", {})
    const texts = new Map(reply.calls.map(({ id, json }) => [id, json]))
    anthropicContent(reply).forEach((block, index) => {
      send("content_block_start", { index, content_block: blockStart(block) })
      const json = block.type === "tool_use" ? (texts.get(block.id) ?? "{}") : ""
      for (const delta of deltasOf(block, json)) send("content_block_delta", { index, delta })
      send("content_block_stop", { index })
    })
    send("message_delta", {
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { output_tokens: 20 },
    })
    send("message_stop", {})
    return events
  },
  streamError: (message) => ({
    name: "error",
    value: { type: "error", error: { type: "overloaded_error", message } },
  }),
}

type ReplyBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object }

export function anthropicContent({ number, thinking, text, calls }: PlannedReply): readonly ReplyBlock[] {
  const blocks: ReplyBlock[] = []
  if (thinking !== undefined) {
    const signature = createHash("sha256").update(`${number} ${thinking}`).digest("base64")
    blocks.push({ type: "thinking", thinking, signature: `Eq${signature}` })
  }
  if (text !== undefined) blocks.push({ type: "text", text })
  for (const { id, name, arguments: input } of calls) blocks.push({ type: "tool_use", id, name, input })
  return blocks
}

function messageStart({ number, model }: PlannedReply): object {
  return {
    id: `msg_fake${stamp(number)}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
}

function stopReason({ calls }: PlannedReply): string {
  return calls.length > 0 ? "tool_use" : "end_turn"
}

function blockStart(block: ReplyBlock): object {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  return { ...block, input: {} }
}

function deltasOf(block: ReplyBlock, json: string): readonly object[] {
  if (block.type === "text") return pieces(block.text).map((text) => ({ type: "text_delta", text }))
  if (block.type === "thinking") {
    return [
      ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block.signature },
    ]
  }
  // A call without arguments streams none at all.
  if (json === "{}") return []
  return ["", ...pieces(json)].map((partial) => ({ type: "input_json_delta", partial_json: partial }))
}

// Chat Completions replies: one completion, or chunks that end with `[DONE]`. Thinking travels as `reasoning_content`,
// as compatible servers send it.

const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

export const chatReplies: ReplyFormat = {
  plain: (reply) => ({
    ...completionStart(reply, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: reply.text ?? null,
          refusal: null,
          ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
          ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map((call) => callOf(call.id, call.name, call.json)) }),
        },
        logprobs: null,
        finish_reason: finishReason(reply),
      },
    ],
    usage,
  }),
  events: (reply, body) => {
    const events: WireEvent[] = []
    const send = (delta: object, finish: string | null = null): void => {
      events.push({
        value: {
          ...completionStart(reply, "chat.completion.chunk"),
          choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        },
      })
    }
    send({ role: "assistant", content: reply.text === undefined ? null : "", refusal: null })
    for (const piece of pieces(reply.thinking ?? "")) send({ reasoning_content: piece })
    for (const piece of pieces(reply.text ?? "")) send({ content: piece })
    reply.calls.forEach((call, index) => {
      send({ tool_calls: [{ index, ...callOf(call.id, call.name, "") }] })
      for (const piece of pieces(call.json)) send({ tool_calls: [{ index, function: { arguments: piece } }] })
    })
    send({}, finishReason(reply))
    if (wantsUsage(body)) events.push({ value: { ...completionStart(reply, "chat.completion.chunk"), choices: [], usage } })
    events.push({ value: "[DONE]" })
    return events
  },
  streamError: (message) => ({ value: { error: { message, type: "server_error", param: null, code: null } } }),
}

function completionStart({ number, model }: PlannedReply, object: string): object {
  return { id: `chatcmpl-fake${stamp(number)}`, object, created: 0, model }
}

function finishReason({ calls }: PlannedReply): string {
  return calls.length > 0 ? "tool_calls" : "stop"
}

function callOf(id: string, name: string, json: string): object {
  return { id, type: "function", function: { name, arguments: json } }
}

function wantsUsage(body: unknown): boolean {
  const options = isObject(body) ? body["stream_options"] : undefined
  return isObject(options) && options["include_usage"] === true
}

// Gemini replies: one response, or a sequence of responses whose parts add up to it. Calls arrive whole, the finish
// reason is STOP even with calls, and only the first call carries the thought signature.

export const geminiReplies: ReplyFormat = {
  plain: (reply) => geminiResponse(reply, [...thoughtParts(reply), ...textParts(reply, false), ...callParts(reply)], true),
  events: (reply) => {
    const chunks = [...thoughtParts(reply), ...textParts(reply, true)].map((part) => [part])
    if (reply.calls.length > 0) chunks.push([...callParts(reply)])
    return chunks.map((parts, index) => ({ value: geminiResponse(reply, parts, index === chunks.length - 1) }))
  },
  streamError: (message) => ({ value: { error: { code: 503, message, status: "UNAVAILABLE" } } }),
}

function geminiResponse({ number, model }: PlannedReply, parts: readonly object[], isLast: boolean): object {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        ...(isLast ? { finishReason: "STOP" } : {}),
        index: 0,
      },
    ],
    ...(isLast ? { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 } } : {}),
    modelVersion: model,
    responseId: `fake${stamp(number)}`,
  }
}

function thoughtParts({ thinking }: PlannedReply): readonly object[] {
  return thinking === undefined || thinking === "" ? [] : [{ text: thinking, thought: true }]
}

function textParts({ text }: PlannedReply, isStreamed: boolean): readonly object[] {
  if (text === undefined) return []
  return (isStreamed ? pieces(text) : [text]).map((piece) => ({ text: piece }))
}

function callParts({ number, calls }: PlannedReply): readonly object[] {
  return calls.map(({ id, name, arguments: args }, index) => ({
    functionCall: { id, name, args },
    ...(index === 0 ? { thoughtSignature: `c2lnbmF0dXJl${stamp(number)}` } : {}),
  }))
}

/** Responses replies: a response with items, or the events from `response.created` to `response.completed`. */
interface ResponseItem {
  readonly id: string
  readonly type: "reasoning" | "message" | "function_call"
  readonly [key: string]: unknown
}

export const responsesReplies: ReplyFormat = {
  plain: (reply, body) => responseOf(reply, "completed", responseItems(reply, body)),
  events: (reply, body) => {
    const events: WireEvent[] = []
    const send = (name: string, fields: object): void => {
      events.push({ name, value: { type: name, ...fields, sequence_number: events.length } })
    }
    send("response.created", { response: responseOf(reply, "in_progress", []) })
    send("response.in_progress", { response: responseOf(reply, "in_progress", []) })
    const items = responseItems(reply, body)
    items.forEach((item, index) => {
      send("response.output_item.added", { output_index: index, item: itemStart(item) })
      sendInside(item, index, reply, send)
      send("response.output_item.done", { output_index: index, item })
    })
    send("response.completed", { response: responseOf(reply, "completed", items) })
    return events
  },
  streamError: (message) => ({
    name: "response.failed",
    value: {
      type: "response.failed",
      response: { object: "response", status: "failed", error: { code: "server_error", message }, output: [] },
    },
  }),
}

export function responseId({ number }: PlannedReply): string {
  return `resp_fake${stamp(number)}`
}

export function responseItems(reply: PlannedReply, body: unknown): readonly ResponseItem[] {
  const number = stamp(reply.number)
  const items: ResponseItem[] = []
  if (reply.thinking !== undefined) {
    items.push({
      id: `rs_fake${number}`,
      type: "reasoning",
      summary: reply.thinking === "" ? [] : [{ type: "summary_text", text: reply.thinking }],
      ...(wantsEncrypted(body) ? { encrypted_content: `gAAAAAfake${number}` } : {}),
    })
  }
  if (reply.text !== undefined) {
    items.push({
      id: `msg_fake${number}`,
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: reply.text, annotations: [] }],
    })
  }
  reply.calls.forEach((call, index) => {
    items.push({
      id: `fc_fake${number}${stamp(index + 1)}`,
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: call.json,
      ...(call.namespace !== undefined && { namespace: call.namespace }),
    })
  })
  return items
}

function wantsEncrypted(body: unknown): boolean {
  if (!isObject(body)) return false
  const include = body["include"]
  return body["store"] === false || (isArray(include) && include.includes("reasoning.encrypted_content"))
}

function responseOf(reply: PlannedReply, status: string, output: readonly ResponseItem[]): object {
  return {
    id: responseId(reply),
    object: "response",
    created_at: 0,
    status,
    error: null,
    incomplete_details: null,
    model: reply.model,
    output,
    usage: status === "completed" ? { input_tokens: 10, output_tokens: 20, total_tokens: 30 } : null,
  }
}

function itemStart(item: ResponseItem): object {
  if (item.type === "reasoning") return { id: item.id, type: item.type, summary: [] }
  if (item.type === "message") return { ...item, status: "in_progress", content: [] }
  return { ...item, status: "in_progress", arguments: "" }
}

function sendInside(item: ResponseItem, index: number, reply: PlannedReply, send: (name: string, fields: object) => void): void {
  const place = { item_id: item.id, output_index: index }
  if (item.type === "function_call") {
    const json = String(item["arguments"])
    for (const delta of pieces(json)) send("response.function_call_arguments.delta", { ...place, delta })
    send("response.function_call_arguments.done", { ...place, arguments: json })
    return
  }
  if (item.type === "message") {
    const inside = { ...place, content_index: 0 }
    const text = reply.text ?? ""
    send("response.content_part.added", { ...inside, part: { type: "output_text", text: "", annotations: [] } })
    for (const delta of pieces(text)) send("response.output_text.delta", { ...inside, delta })
    send("response.output_text.done", { ...inside, text })
    send("response.content_part.done", { ...inside, part: { type: "output_text", text, annotations: [] } })
    return
  }
  const text = reply.thinking ?? ""
  if (text === "") return
  const inside = { ...place, summary_index: 0 }
  send("response.reasoning_summary_part.added", { ...inside, part: { type: "summary_text", text: "" } })
  for (const delta of pieces(text)) send("response.reasoning_summary_text.delta", { ...inside, delta })
  send("response.reasoning_summary_text.done", { ...inside, text })
  send("response.reasoning_summary_part.done", { ...inside, part: { type: "summary_text", text } })
}
