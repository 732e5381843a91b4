/**
 * Chat Completions replies: one completion, or chunks that end with `[DONE]`. Thinking travels as `reasoning_content`,
 * as compatible servers send it.
 */
import { isObject } from "../wire.ts"
import { type PlannedReply, type ReplyFormat, type WireEvent, pieces, stamp } from "./script.ts"

const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

export const chatReplies: ReplyFormat = {
  plain: reply => ({
    ...opening(reply, "chat.completion"),
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: reply.text ?? null,
        refusal: null,
        ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
        ...(reply.calls.length === 0
          ? {}
          : { tool_calls: reply.calls.map(call => callOf(call.id, call.name, call.json)) }),
      },
      logprobs: null,
      finish_reason: finishReason(reply),
    }],
    usage,
  }),
  events: (reply, body) => {
    const events: WireEvent[] = []
    const send = (delta: object, finish: string | null = null): void => {
      events.push({
        value: {
          ...opening(reply, "chat.completion.chunk"),
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
    if (wantsUsage(body)) events.push({ value: { ...opening(reply, "chat.completion.chunk"), choices: [], usage } })
    events.push({ value: "[DONE]" })
    return events
  },
  streamError: message => ({ value: { error: { message, type: "server_error", param: null, code: null } } }),
}

function opening({ number, model }: PlannedReply, object: string): object {
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
