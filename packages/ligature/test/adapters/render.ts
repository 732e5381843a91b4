/**
 * Histories in the shapes of the SDKs, and what the SDKs make of them on the wire. Both ways are as plain as can be and
 * repair nothing: what comes out damaged went in damaged.
 */
import type { Block, Message, ResultBlock } from "../../src/model/index.ts"
import { resultText } from "../../src/model/index.ts"

export type Plain = Record<string, unknown>

const textOf = (blocks: readonly Block[]): string => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

const results = (blocks: readonly Block[]): readonly ResultBlock[] =>
  blocks.filter((block): block is ResultBlock => block.type === "result")

/** The arguments as a format says them that carries objects: broken ones are text. */
const argumentsOf = (block: Block & { type: "call" }): unknown => block.raw ?? block.arguments

/** SDKs name the tool on its result too: the one that was called last under this id. */
const namesIn = (messages: readonly Message[]): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const { blocks } of messages) for (const block of blocks) if (block.type === "call") names.set(block.id, block.name)
  return names
}

// Vercel AI SDK: the prompt of a language model.

type Names = ReadonlyMap<string, string>

const sdkResult = (block: ResultBlock, names: Names): Plain => ({
  type: "tool-result",
  toolCallId: block.callId,
  toolName: names.get(block.callId) ?? "bash",
  output: { type: block.error === true ? "error-text" : "text", value: resultText(block) },
})

const sdkPart = (block: Block, names: Names): readonly Plain[] => {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }]
    case "thinking":
      return [{ type: "reasoning", text: block.text }]
    case "call":
      return [{ type: "tool-call", toolCallId: block.id, toolName: block.name, input: argumentsOf(block) }]
    case "result":
      return [sdkResult(block, names)]
    default:
      return []
  }
}

export const toPrompt = (messages: readonly Message[]): Plain[] => {
  const names = namesIn(messages)
  return messages.map(({ role, blocks }) =>
    role === "system" ? { role, content: textOf(blocks) } : { role, content: blocks.flatMap((block) => sdkPart(block, names)) },
  )
}

const partsOf = (message: Plain): readonly Plain[] => message["content"] as readonly Plain[]

const chatCall = (id: unknown, name: unknown, input: unknown): Plain => ({
  id,
  type: "function",
  function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
})

/** As a provider package for Chat Completions writes it. */
export const promptToChat = (prompt: readonly Plain[]): Plain => ({
  model: "gpt-4o",
  messages: prompt.flatMap((message): readonly Plain[] => {
    const { role } = message
    if (role === "system") return [{ role, content: message["content"] }]
    const parts = partsOf(message)
    const words = parts.flatMap((part) => (part["type"] === "text" ? [part["text"]] : [])).join("")
    const calls = parts.filter((part) => part["type"] === "tool-call")
    const answers = parts.filter((part) => part["type"] === "tool-result")
    const answered = answers.map((part) => ({
      role: "tool",
      tool_call_id: part["toolCallId"],
      content: (part["output"] as Plain)["value"],
    }))
    if (role === "tool") return answered
    const tool_calls = calls.map((part) => chatCall(part["toolCallId"], part["toolName"], part["input"]))
    return [{ role, content: words, ...(calls.length > 0 && { tool_calls }) }, ...answered]
  }),
})

// LangChain.

export const toLangChain = (messages: readonly Message[]): Plain[] =>
  messages.flatMap(({ role, blocks }, place): readonly Plain[] => {
    const answers = results(blocks).map((block, index) => ({
      type: "tool",
      id: `m${place}-${index}`,
      tool_call_id: block.callId,
      content: resultText(block),
      ...(block.error === true && { status: "error" }),
    }))
    const words = textOf(blocks)
    if (role === "tool") return words === "" ? answers : [{ type: "human", id: `m${place}`, content: words }, ...answers]
    if (role !== "assistant") return [{ type: role === "user" ? "human" : "system", id: `m${place}`, content: words }]
    const calls = blocks.filter((block) => block.type === "call")
    const sound = calls.filter((call) => call.fault === undefined)
    const broken = calls.filter((call) => call.fault !== undefined)
    return [
      {
        type: "ai",
        id: `m${place}`,
        content: words,
        tool_calls: sound.map((call) => ({ id: call.id, name: call.name, args: call.arguments, type: "tool_call" })),
        invalid_tool_calls: broken.map((call) => ({
          id: call.id,
          name: call.name,
          args: call.raw,
          type: "invalid_tool_call",
        })),
      },
      ...answers,
    ]
  })

const langChainRoles: Readonly<Record<string, string>> = { human: "user", ai: "assistant" }

/** As `ChatOpenAI` writes it: calls with broken arguments are left aside. */
export const langChainToChat = (messages: readonly Plain[]): Plain => ({
  model: "gpt-4o",
  messages: messages.map((message) => {
    const type = String(message["role"] ?? message["type"])
    const calls = (message["tool_calls"] ?? []) as readonly Plain[]
    return {
      role: langChainRoles[type] ?? type,
      content: message["content"],
      ...(calls.length > 0 && { tool_calls: calls.map(({ id, name, args }) => chatCall(id, name, args)) }),
      ...(type === "tool" && { tool_call_id: message["tool_call_id"] }),
    }
  }),
})

// OpenAI Agents SDK.

const agentItem = (block: Block, role: string, names: Names): readonly Plain[] => {
  switch (block.type) {
    case "text":
      return role === "assistant"
        ? [{ type: "message", role, status: "completed", content: [{ type: "output_text", text: block.text }] }]
        : [{ type: "message", role: role === "tool" ? "user" : role, content: block.text }]
    case "call":
      return [
        {
          type: "function_call",
          callId: block.id,
          name: block.name,
          status: "completed",
          arguments: block.raw ?? JSON.stringify(block.arguments),
        },
      ]
    case "result":
      return [
        {
          type: "function_call_result",
          callId: block.callId,
          name: names.get(block.callId) ?? "bash",
          status: "completed",
          output: { type: "text", text: resultText(block) },
        },
      ]
    default:
      return []
  }
}

export const toAgentItems = (messages: readonly Message[]): Plain[] => {
  const names = namesIn(messages)
  return messages.flatMap(({ role, blocks }) => blocks.flatMap((block) => agentItem(block, role, names)))
}

/** As the SDK writes a request for the Responses API. */
export const agentItemsToResponses = (items: readonly Plain[]): Plain => ({
  model: "gpt-4o",
  input: items.map((item) => {
    const { type, status, ...rest } = item
    if (type === "function_call") {
      return { type, call_id: rest["callId"], name: rest["name"], arguments: rest["arguments"], status }
    }
    if (type !== "function_call_result") return { type: "message", role: rest["role"], content: rest["content"] }
    const output = rest["output"] as Plain | string
    return {
      type: "function_call_output",
      call_id: rest["callId"],
      output: typeof output === "string" ? output : output["text"],
    }
  }),
})

// Mastra.

/** Results are in the parts of their calls, so only calls without a result can be damaged here. */
export const toMastra = (messages: readonly Message[]): Plain[] => {
  const answers = new Map<string, ResultBlock>()
  for (const { blocks } of messages) for (const block of results(blocks)) answers.set(block.callId, block)
  return messages.flatMap(({ role, blocks }, place): readonly Plain[] => {
    if (role === "tool") return []
    const parts = blocks.flatMap((block): readonly Plain[] => {
      if (block.type === "text") return [{ type: "text", text: block.text }]
      if (block.type !== "call") return []
      const found = answers.get(block.id)
      const base = { toolCallId: block.id, toolName: block.name, args: argumentsOf(block) }
      const toolInvocation = found ? { ...base, state: "result", result: resultText(found) } : { ...base, state: "call" }
      return [{ type: "tool-invocation", toolInvocation }]
    })
    const content = { format: 2, parts: role === "assistant" ? [{ type: "step-start" }, ...parts] : parts }
    return [{ id: `m${place}`, role, createdAt: new Date(place * 1000), threadId: "t", content }]
  })
}

/** As Mastra and a provider package for Chat Completions write it. */
export const mastraToChat = (messages: readonly Plain[]): Plain =>
  promptToChat(
    messages.flatMap((message): readonly Plain[] => {
      const { role } = message
      const parts = (message["content"] as Plain)["parts"] as readonly Plain[]
      if (role === "system") return [{ role, content: parts.map((part) => part["text"]).join("\n") }]
      const steps: Plain[][] = [[]]
      for (const part of parts) {
        if (part["type"] === "step-start") steps.push([])
        else steps.at(-1)?.push(part)
      }
      return steps.flatMap((step): readonly Plain[] => {
        if (step.length === 0) return []
        const invoked = step.flatMap((part) => (part["type"] === "tool-invocation" ? [part["toolInvocation"] as Plain] : []))
        const said = step.flatMap((part) => (part["type"] === "text" ? [part] : []))
        const calls = invoked.map((call) => ({ ...call, type: "tool-call", input: call["args"] }))
        const answered = invoked.flatMap((call) =>
          call["state"] === "result"
            ? [{ type: "tool-result", toolCallId: call["toolCallId"], output: { type: "text", value: call["result"] } }]
            : [],
        )
        const spoken = { role, content: [...said, ...calls] }
        return answered.length > 0 ? [spoken, { role: "tool", content: answered }] : [spoken]
      })
    }),
  )
