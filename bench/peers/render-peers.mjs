/** The generated history in the shapes the peers take: LangChain messages, AI SDK UI and model messages. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages"
import { systemText } from "../generate.mjs"

export const langchainMessages = (history) => {
  const messages = [new SystemMessage(systemText)]
  for (const message of history) {
    if (message.role === "user") messages.push(new HumanMessage(message.text))
    else if (message.role === "results") {
      for (const { id, name, text, error } of message.results) {
        messages.push(new ToolMessage({ content: text, tool_call_id: id, name, status: error ? "error" : "success" }))
      }
    } else {
      const tool_calls = message.calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" }))
      messages.push(new AIMessage({ content: message.text ?? "", tool_calls }))
    }
  }
  return messages
}

/** A UI message holds the results of its calls itself. */
export const uiMessages = (history) => {
  const messages = []
  history.forEach((message, index) => {
    const id = `message-${index}`
    if (message.role === "user") messages.push({ id, role: "user", parts: [{ type: "text", text: message.text }] })
    if (message.role !== "assistant") return
    const { results = [] } = history[index + 1] ?? {}
    const parts = [{ type: "step-start" }]
    if (message.thinking) parts.push({ type: "reasoning", text: message.thinking.text, state: "done" })
    if (message.text !== undefined) parts.push({ type: "text", text: message.text, state: "done" })
    message.calls.forEach(({ id: toolCallId, name, input }, position) => {
      const output = results[position]?.text ?? ""
      parts.push({ type: `tool-${name}`, toolCallId, state: "output-available", input, output })
    })
    messages.push({ id, role: "assistant", parts })
  })
  return messages
}

export const modelMessages = (history) =>
  history.map((message) => {
    if (message.role === "user") return { role: "user", content: [{ type: "text", text: message.text }] }
    if (message.role === "results") {
      const content = message.results.map(({ id, name, text, error }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: { type: error ? "error-text" : "text", value: text },
      }))
      return { role: "tool", content }
    }
    const content = []
    if (message.thinking) content.push({ type: "reasoning", text: message.thinking.text })
    if (message.text !== undefined) content.push({ type: "text", text: message.text })
    for (const { id, name, input } of message.calls) {
      content.push({ type: "tool-call", toolCallId: id, toolName: name, input })
    }
    return { role: "assistant", content }
  })
