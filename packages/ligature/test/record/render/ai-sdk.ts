/** The three streams of the AI SDK: parts of `fullStream`, chunks for a UI, and what a provider sends underneath. */
import { type Answer, type AnswerPart, callsIn, type Cutter, type Renderer } from "./answer.ts"

const metadata = (signature: string): object => ({ anthropic: { signature } })

const partOf = (part: AnswerPart): object => {
  if (part.type === "text") return { type: "text", text: part.text }
  if (part.type === "thinking") return { type: "reasoning", text: part.text, providerOptions: metadata(part.signature) }
  return { type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.arguments }
}

/** How the three differ. */
interface Dialect {
  readonly words: "text" | "delta"
  readonly callId: "id" | "toolCallId"
  readonly callDelta: "delta" | "inputTextDelta"
  readonly final: (part: Extract<AnswerPart, { type: "call" }>) => object
  readonly opening: readonly object[]
  readonly ending: (answer: Answer) => readonly object[]
}

const spoken = (part: Exclude<AnswerPart, { type: "call" }>, index: number, cut: Cutter, words: string): readonly object[] => {
  const kind = part.type === "text" ? "text" : "reasoning"
  const proof = part.type === "thinking" && { providerMetadata: metadata(part.signature) }
  const id = String(index)
  return [
    { type: `${kind}-start`, id },
    ...cut(part.text).map((piece) => ({ type: `${kind}-delta`, id, [words]: piece })),
    { type: `${kind}-end`, id, ...proof },
  ]
}

const eventsIn =
  (dialect: Dialect): Renderer["events"] =>
  (answer, cut) => [
    ...dialect.opening,
    ...answer.parts.flatMap((part, index): readonly object[] => {
      if (part.type !== "call") return spoken(part, index, cut, dialect.words)
      const at = { [dialect.callId]: part.id }
      return [
        { type: "tool-input-start", ...at, toolName: part.name },
        ...cut(JSON.stringify(part.arguments)).map((piece) => ({ type: "tool-input-delta", ...at, [dialect.callDelta]: piece })),
        dialect.final(part),
      ]
    }),
    ...dialect.ending(answer),
  ]

const reasonOf = (answer: Answer): string => (callsIn(answer).length > 0 ? "tool-calls" : "stop")

const renderer = (name: string, dialect: Dialect): Renderer => ({
  format: "ai-sdk-model",
  name: `ai-sdk-model, ${name}`,
  events: eventsIn(dialect),
  plain: (answer) => [{ role: "assistant", content: answer.parts.map(partOf) }],
  request: (said) => ({ messages: [{ role: "user", content: "go" }, ...said] }),
  listOf: (request) => request["messages"] as readonly unknown[],
})

const usage = { inputTokens: 3, outputTokens: 9 }

export const fullStream = renderer("fullStream", {
  words: "text",
  callId: "id",
  callDelta: "delta",
  final: ({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
  opening: [{ type: "start" }, { type: "start-step" }],
  ending: (answer) => [
    { type: "finish-step", finishReason: reasonOf(answer), usage, response: { id: "r", modelId: "m" } },
    { type: "finish", finishReason: reasonOf(answer), totalUsage: usage },
  ],
})

export const uiChunks = renderer("UI chunks", {
  words: "delta",
  callId: "toolCallId",
  callDelta: "inputTextDelta",
  final: ({ id, name, arguments: input }) => ({ type: "tool-input-available", toolCallId: id, toolName: name, input }),
  opening: [{ type: "start", messageId: "m1" }, { type: "start-step" }],
  ending: () => [{ type: "finish-step" }, { type: "finish" }],
})

export const providerParts = renderer("provider parts", {
  words: "delta",
  callId: "id",
  callDelta: "delta",
  final: ({ id, name, arguments: args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) }),
  opening: [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", id: "r", modelId: "m" },
  ],
  ending: (answer) => [
    { type: "finish", finishReason: { unified: reasonOf(answer) }, usage: { inputTokens: { total: 3 }, outputTokens: { total: 9 } } },
  ],
})
