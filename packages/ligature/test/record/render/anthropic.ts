/** Anthropic Messages: each block starts, grows and stops. */
import type { Answer, AnswerPart, Cutter, Renderer } from "./answer.ts"
import { callsIn } from "./answer.ts"

const blockOf = (part: AnswerPart): Record<string, unknown> => {
  if (part.type === "text") return { type: "text", text: part.text }
  if (part.type === "thinking") return { type: "thinking", thinking: part.text, signature: part.signature }
  return { type: "tool_use", id: part.id, name: part.name, input: part.arguments }
}

const startOf = (part: AnswerPart): object => {
  if (part.type === "text") return { type: "text", text: "" }
  if (part.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  return { type: "tool_use", id: part.id, name: part.name, input: {} }
}

const deltasOf = (part: AnswerPart, cut: Cutter): readonly object[] => {
  if (part.type === "text") return cut(part.text).map((text) => ({ type: "text_delta", text }))
  if (part.type === "thinking") {
    const words = cut(part.text).map((thinking) => ({ type: "thinking_delta", thinking }))
    return [...words, { type: "signature_delta", signature: part.signature }]
  }
  const pieces = Object.keys(part.arguments).length === 0 ? [] : cut(JSON.stringify(part.arguments))
  return ["", ...pieces].map((partial_json) => ({ type: "input_json_delta", partial_json }))
}

export const stopReason = (answer: Answer): string => (callsIn(answer).length > 0 ? "tool_use" : "end_turn")

export const anthropic: Renderer = {
  format: "anthropic",
  profile: "anthropic",
  events: (answer, cut) => [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "claude-x", content: [], usage: { input_tokens: 3 } },
    },
    { type: "ping" },
    ...answer.parts.flatMap((part, index) => [
      { type: "content_block_start", index, content_block: startOf(part) },
      ...deltasOf(part, cut).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ],
  plain: (answer) => [{ role: "assistant", content: answer.parts.map(blockOf) }],
  request: (said) => ({ messages: [{ role: "user", content: "go" }, ...said] }),
  listOf: (request) => request["messages"] as readonly unknown[],
}
