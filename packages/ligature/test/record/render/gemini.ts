/** Gemini: chunks whose parts add up; calls come whole, a signature on a part of its own. */
import { type Answer, type AnswerPart, callsIn, type Cutter, type Renderer } from "./answer.ts"

const partOf = (part: AnswerPart): object => {
  if (part.type === "text") return { text: part.text }
  if (part.type === "thinking") return { text: part.text, thought: true }
  return { functionCall: { id: part.id, name: part.name, args: part.arguments } }
}

const piecesOf = (part: AnswerPart, cut: Cutter): readonly object[] => {
  if (part.type === "call") return [partOf(part)]
  return cut(part.text).map((text) => (part.type === "thinking" ? { text, thought: true } : { text }))
}

/** What is side by side and is of one kind is one part. */
const joined = (answer: Answer): Answer => ({
  parts: answer.parts.filter((part, index) => part.type === "call" || part.type !== answer.parts[index - 1]?.type),
})

const chunk = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "gemini-x",
  responseId: "r1",
})

export const gemini: Renderer = {
  format: "gemini",
  profile: "gemini",
  arrange: joined,
  events: (answer, cut) => [
    ...answer.parts.flatMap((part) => piecesOf(part, cut)).map((part) => chunk([part])),
    {
      ...chunk([{ text: "" }], { finishReason: "STOP" }),
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9 + callsIn(answer).length },
    },
  ],
  plain: (answer) => [{ role: "model", parts: answer.parts.map(partOf) }],
  request: (said) => ({ contents: [{ role: "user", parts: [{ text: "go" }] }, ...said] }),
  listOf: (request) => request["contents"] as readonly unknown[],
}
