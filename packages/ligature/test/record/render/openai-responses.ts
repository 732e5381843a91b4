/** OpenAI Responses: items that are added, grow and are done. */
import type { Answer, AnswerPart, Cutter, Renderer } from "./answer.ts"

type Item = Readonly<Record<string, unknown>> & { readonly id: string }

const itemOf = (part: AnswerPart, index: number): Item => {
  if (part.type === "thinking") {
    const summary = [{ type: "summary_text", text: part.text }]
    return { id: `rs_${index}`, type: "reasoning", summary, encrypted_content: part.signature }
  }
  if (part.type === "text") {
    const content = [{ type: "output_text", text: part.text, annotations: [] }]
    return { id: `msg_${index}`, type: "message", status: "completed", role: "assistant", content }
  }
  const { id, name, arguments: args } = part
  const json = JSON.stringify(args)
  return { id: `fc_${index}`, type: "function_call", status: "completed", call_id: id, name, arguments: json }
}

const startOf = (item: Item): object => {
  if (item["type"] === "reasoning") return { id: item.id, type: "reasoning", summary: [] }
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] }
  return { ...item, status: "in_progress", arguments: "" }
}

const inside = (part: AnswerPart, place: object, cut: Cutter): readonly object[] => {
  if (part.type === "call") {
    const json = JSON.stringify(part.arguments)
    const deltas = cut(json).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta }))
    return [...deltas, { type: "response.function_call_arguments.done", ...place, arguments: json }]
  }
  if (part.type === "text") {
    const at = { ...place, content_index: 0 }
    return [
      { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
      ...cut(part.text).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
      { type: "response.output_text.done", ...at, text: part.text },
      { type: "response.content_part.done", ...at, part: { type: "output_text", text: part.text, annotations: [] } },
    ]
  }
  const at = { ...place, summary_index: 0 }
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    ...cut(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
    { type: "response.reasoning_summary_text.done", ...at, text: part.text },
  ]
}

/** Reasoning leads to something: the server never ends with it. */
const led = (answer: Answer): Answer => {
  const last = answer.parts.at(-1)
  return last?.type === "thinking" ? { parts: [...answer.parts, { type: "text", text: "done" }] } : answer
}

export const openaiResponses: Renderer = {
  format: "openai-responses",
  profile: "openai-responses",
  arrange: led,
  events: (answer, cut) => {
    const items = answer.parts.map(itemOf)
    const response = { id: "resp_1", model: "gpt-x", status: "in_progress", output: [] }
    const events = [
      { type: "response.created", response },
      { type: "response.in_progress", response },
      ...answer.parts.flatMap((part, index) => {
        const item = items[index] as Item
        const place = { item_id: item.id, output_index: index }
        return [
          { type: "response.output_item.added", output_index: index, item: startOf(item) },
          ...inside(part, place, cut),
          { type: "response.output_item.done", output_index: index, item },
        ]
      }),
      {
        type: "response.completed",
        response: { ...response, status: "completed", output: items, usage: { input_tokens: 3, output_tokens: 9 } },
      },
    ]
    return events.map((event, index) => ({ ...event, sequence_number: index }))
  },
  plain: (answer) => answer.parts.map(itemOf),
  request: (said) => ({ input: [{ role: "user", content: "go" }, ...said] }),
  listOf: (request) => request["input"] as readonly unknown[],
}
