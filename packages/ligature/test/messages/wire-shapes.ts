/** Model messages, damage included, as plain wire messages of each shape the functions must read. One message each. */
import { type Block, type CallBlock, type Message, type ResultBlock, resultText, type Wire } from "../../src/model/index.ts"

export interface WireShape {
  readonly name: string
  /** The codec that reads it, for a second opinion. */
  readonly format?: string
  readonly write: (messages: readonly Message[]) => readonly Wire[]
}

type Writer = (block: Block) => Wire

const words = (block: Block): string => (block.type === "text" || block.type === "thinking" ? block.text : "")

const elements =
  (call: (block: CallBlock) => Wire, result: (block: ResultBlock) => Wire, text: Writer): Writer =>
  (block) =>
    block.type === "call" ? call(block) : block.type === "result" ? result(block) : text(block)

const anthropicElement = elements(
  ({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input }),
  (block) => ({ type: "tool_result", tool_use_id: block.callId, content: resultText(block) }),
  (block) => ({ type: "text", text: words(block) }),
)

const geminiElement = elements(
  ({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }),
  (block) => ({ functionResponse: { id: block.callId, response: { output: resultText(block) } } }),
  (block) => ({ text: words(block) }),
)

const bedrockElement = elements(
  ({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } }),
  (block) => ({ toolResult: { toolUseId: block.callId, content: [{ text: resultText(block) }] } }),
  (block) => ({ text: words(block) }),
)

const aiSdkElement = elements(
  ({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
  (block) => ({
    type: "tool-result",
    toolCallId: block.callId,
    output: { type: "text", value: resultText(block) },
  }),
  (block) => ({ type: "text", text: words(block) }),
)

const neovateElement = elements(
  ({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input }),
  (block) => ({ type: "tool-result", toolCallId: block.callId, result: resultText(block) }),
  (block) => ({ type: "text", text: words(block) }),
)

const perMessage =
  (role: (message: Message) => string, key: string, element: Writer) =>
  (messages: readonly Message[]): readonly Wire[] =>
    messages.map((message) => ({ role: role(message), [key]: message.blocks.map(element) }))

const userSide = ({ role }: Message): string => (role === "assistant" ? "assistant" : "user")

/** One wire message for each result, as this format wants it: call the writer with such messages. */
const chat = (message: Message): Wire => {
  const [first] = message.blocks
  if (first?.type === "result") return { role: "tool", tool_call_id: first.callId, content: resultText(first) }
  const content = message.blocks.map(words).join("")
  const calls = message.blocks.flatMap((block) =>
    block.type === "call"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.arguments) } }]
      : [],
  )
  return { role: message.role, content, ...(calls.length > 0 && { tool_calls: calls }) }
}

/** Each result in a message of its own, and nothing beside it. */
export const splitResults = (messages: readonly Message[]): readonly Message[] =>
  messages.flatMap((message) => {
    const rest = message.blocks.filter((block) => block.type !== "result")
    const results = message.blocks.filter((block) => block.type === "result")
    if (results.length === 0) return [message]
    const split: Message[] = results.map((block) => ({ role: "tool", blocks: [block] }))
    return rest.length === 0 ? split : [...split, { ...message, role: "user", blocks: rest }]
  })

export const shapes: readonly WireShape[] = [
  { name: "anthropic", format: "anthropic", write: perMessage(userSide, "content", anthropicElement) },
  { name: "openai-chat", format: "openai-chat", write: (messages) => splitResults(messages).map(chat) },
  {
    name: "gemini",
    format: "gemini",
    write: perMessage(({ role }) => (role === "assistant" ? "model" : "user"), "parts", geminiElement),
  },
  { name: "bedrock-converse", format: "bedrock-converse", write: perMessage(userSide, "content", bedrockElement) },
  { name: "ai-sdk-model", format: "ai-sdk-model", write: perMessage(({ role }) => role, "content", aiSdkElement) },
  { name: "neovate", write: perMessage(({ role }) => role, "content", neovateElement) },
]

const items = ({ role, blocks }: Message): readonly Wire[] =>
  blocks.map((block) => {
    if (block.type === "call") {
      return { type: "function_call", call_id: block.id, name: block.name, arguments: JSON.stringify(block.arguments) }
    }
    if (block.type === "result") {
      return { type: "function_call_output", call_id: block.callId, output: resultText(block) }
    }
    if (role !== "assistant") return { type: "message", role: role === "tool" ? "user" : role, content: words(block) }
    return { type: "message", role, content: [{ type: "output_text", text: words(block) }] }
  })

/** One item for each block: the only shape in which a message of the model is several of the list. */
export const responses: WireShape = {
  name: "openai-responses",
  format: "openai-responses",
  write: (messages) => messages.flatMap(items),
}
