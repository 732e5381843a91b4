/**
 * The generated history as request bodies of the four main wire formats. Thinking goes where the format has a home for
 * it: Chat Completions has none.
 */
import { systemText, toolDeclarations } from "./generate.mjs"

const anthropic = (history) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 8192,
  system: systemText,
  tools: toolDeclarations.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
  messages: history.map((message) => {
    if (message.role === "user") return { role: "user", content: message.text }
    if (message.role === "results") {
      return {
        role: "user",
        content: message.results.map(({ id, text, error }) =>
          error
            ? { type: "tool_result", tool_use_id: id, content: text, is_error: true }
            : { type: "tool_result", tool_use_id: id, content: text },
        ),
      }
    }
    const { thinking, text, calls } = message
    const content = []
    if (thinking) content.push({ type: "thinking", thinking: thinking.text, signature: thinking.signature })
    if (text !== undefined) content.push({ type: "text", text })
    for (const { id, name, input } of calls) content.push({ type: "tool_use", id, name, input })
    return { role: "assistant", content }
  }),
})

const openaiChat = (history) => {
  const messages = [{ role: "system", content: systemText }]
  for (const message of history) {
    if (message.role === "user") messages.push({ role: "user", content: message.text })
    else if (message.role === "results") {
      for (const { id, text, error } of message.results) {
        messages.push({ role: "tool", tool_call_id: id, content: error ? `Error: ${text}` : text })
      }
    } else {
      const tool_calls = message.calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      }))
      const content = message.text ?? null
      messages.push({ role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) })
    }
  }
  const tools = toolDeclarations.map(({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }))
  return { model: "gpt-5.2", tools, messages }
}

const openaiResponses = (history) => {
  const input = []
  let number = 0
  const itemId = (prefix) => `${prefix}_${String(++number).padStart(24, "0")}`
  for (const message of history) {
    if (message.role === "user") {
      input.push({ type: "message", role: "user", content: [{ type: "input_text", text: message.text }] })
    } else if (message.role === "results") {
      for (const { id, text, error } of message.results) {
        input.push({ type: "function_call_output", call_id: id, output: error ? `Error: ${text}` : text })
      }
    } else {
      const { thinking, text, calls } = message
      if (thinking) {
        const summary = [{ type: "summary_text", text: thinking.text }]
        input.push({ type: "reasoning", id: itemId("rs"), summary, encrypted_content: thinking.signature })
      }
      // Without reasoning in its step, an item of a reasoning model has no id to be looked up by.
      const tie = (prefix) => (thinking ? { id: itemId(prefix) } : {})
      if (text !== undefined) {
        const content = [{ type: "output_text", text, annotations: [] }]
        input.push({ type: "message", role: "assistant", ...tie("msg"), content })
      }
      for (const { id, name, input: value } of calls) {
        input.push({ type: "function_call", ...tie("fc"), call_id: id, name, arguments: JSON.stringify(value) })
      }
    }
  }
  const tools = toolDeclarations.map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
  }))
  return { model: "gpt-5.2", store: false, instructions: systemText, tools, input }
}

const gemini = (history) => ({
  systemInstruction: { parts: [{ text: systemText }] },
  tools: [
    {
      functionDeclarations: toolDeclarations.map(({ name, description, schema }) => ({
        name,
        description,
        parameters: schema,
      })),
    },
  ],
  contents: history.map((message) => {
    if (message.role === "user") return { role: "user", parts: [{ text: message.text }] }
    if (message.role === "results") {
      return {
        role: "user",
        parts: message.results.map(({ id, name, text, error }) => ({
          functionResponse: { id, name, response: error ? { error: text } : { output: text } },
        })),
      }
    }
    const { thinking, text, calls } = message
    const parts = []
    if (thinking) parts.push({ text: thinking.text, thought: true, thoughtSignature: thinking.signature })
    if (text !== undefined) parts.push({ text })
    calls.forEach(({ id, name, input }, index) => {
      const part = { functionCall: { id, name, args: input } }
      if (index === 0) part.thoughtSignature = "c2tpcC10aG91Z2h0LXNpZ25hdHVyZQ=="
      parts.push(part)
    })
    return { role: "model", parts }
  }),
})

/** By name of the format. */
export const renderers = {
  anthropic,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  gemini,
}
