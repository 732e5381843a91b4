/** Chat Completions: deltas that add up to one message. */
import { type Answer, callsIn, inFields, type Renderer } from "./answer.ts"

const of = (answer: Answer, type: "text" | "thinking"): string | undefined => {
  const found = answer.parts.find((part) => part.type === type)
  return found && found.type !== "call" ? found.text : undefined
}

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "gpt-x",
  choices: [{ index: 0, delta, finish_reason: finish }],
})

export const openaiChat: Renderer = {
  format: "openai-chat",
  profile: "openai-chat",
  arrange: inFields,
  events: (answer, cut) => {
    const text = of(answer, "text")
    return [
      chunk({ role: "assistant", content: text === undefined ? null : "" }),
      ...cut(of(answer, "thinking") ?? "").map((reasoning_content) => chunk({ reasoning_content })),
      ...cut(text ?? "").map((content) => chunk({ content })),
      ...callsIn(answer).flatMap(({ id, name, arguments: args }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...cut(JSON.stringify(args)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, callsIn(answer).length > 0 ? "tool_calls" : "stop"),
      { id: "chatcmpl-1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } },
      "[DONE]",
    ]
  },
  plain: (answer) => {
    const [text, thinking] = [of(answer, "text"), of(answer, "thinking")]
    const calls = callsIn(answer).map(({ id, name, arguments: args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }))
    return [
      {
        role: "assistant",
        content: text ?? null,
        ...(thinking !== undefined && { reasoning_content: thinking }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ]
  },
  request: (said) => ({ messages: [{ role: "user", content: "go" }, ...said] }),
  listOf: (request) => request["messages"] as readonly unknown[],
}
