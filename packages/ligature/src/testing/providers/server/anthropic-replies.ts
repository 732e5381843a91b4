/**
 * Anthropic replies: a message, or the events message_start … content blocks … message_delta, message_stop.
 */
import { createHash } from "node:crypto"
import { type PlannedReply, type ReplyFormat, type WireEvent, pieces, stamp } from "./script.ts"

export const anthropicReplies: ReplyFormat = {
  plain: reply => ({
    ...opening(reply),
    content: anthropicContent(reply),
    stop_reason: stopReason(reply),
    usage: { input_tokens: 10, output_tokens: 20 },
  }),
  events: reply => {
    const events: WireEvent[] = []
    const send = (name: string, fields: object): void => {
      events.push({ name, value: { type: name, ...fields } })
    }
    send("message_start", { message: { ...opening(reply), usage: { input_tokens: 10, output_tokens: 1 } } })
    send("ping", {})
    const texts = new Map(reply.calls.map(({ id, json }) => [id, json]))
    anthropicContent(reply).forEach((block, index) => {
      send("content_block_start", { index, content_block: startOf(block) })
      const json = block.type === "tool_use" ? texts.get(block.id) ?? "{}" : ""
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
  streamError: message => ({
    name: "error",
    value: { type: "error", error: { type: "overloaded_error", message } },
  }),
}

type ReplyBlock =
  | { readonly type: "thinking", readonly thinking: string, readonly signature: string }
  | { readonly type: "text", readonly text: string }
  | { readonly type: "tool_use", readonly id: string, readonly name: string, readonly input: object }

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

function opening({ number, model }: PlannedReply): object {
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

function startOf(block: ReplyBlock): object {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  return { ...block, input: {} }
}

function deltasOf(block: ReplyBlock, json: string): readonly object[] {
  if (block.type === "text") return pieces(block.text).map(text => ({ type: "text_delta", text }))
  if (block.type === "thinking") {
    return [
      ...pieces(block.thinking).map(thinking => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block.signature },
    ]
  }
  // A call without arguments streams none at all.
  if (json === "{}") return []
  return ["", ...pieces(json)].map(partial => ({ type: "input_json_delta", partial_json: partial }))
}
