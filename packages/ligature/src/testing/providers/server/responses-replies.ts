/**
 * Responses replies: a response with items, or the events from `response.created` to `response.completed`.
 */
import { isArray, isObject } from "../wire.ts"
import { type PlannedReply, type ReplyFormat, type WireEvent, pieces, stamp } from "./script.ts"

export interface ResponseItem {
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
      send("response.output_item.added", { output_index: index, item: startOf(item) })
      sendInside(item, index, reply, send)
      send("response.output_item.done", { output_index: index, item })
    })
    send("response.completed", { response: responseOf(reply, "completed", items) })
    return events
  },
  streamError: message => ({
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

function startOf(item: ResponseItem): object {
  if (item.type === "reasoning") return { id: item.id, type: item.type, summary: [] }
  if (item.type === "message") return { ...item, status: "in_progress", content: [] }
  return { ...item, status: "in_progress", arguments: "" }
}

function sendInside(
  item: ResponseItem,
  index: number,
  reply: PlannedReply,
  send: (name: string, fields: object) => void,
): void {
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
