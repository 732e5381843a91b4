/** Libraries people use for this, called as their documentation says, on their own message classes. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { tokensOf, tokensOfAll } from "../../tokens.mjs"

const peers = createRequire(join(dirname(fileURLToPath(import.meta.url)), "../../../peers/package.json"))
const load = (name) => import(pathToFileURL(peers.resolve(name)).href)

const nameOfCall = (messages) => {
  const names = new Map()
  for (const { calls } of messages) for (const call of calls ?? []) names.set(call.id, call.name)
  return (id) => names.get(id) ?? "unknown"
}

const toLangchain = (message, { AIMessage, HumanMessage, ToolMessage }, nameOf) => {
  const { role, content } = message
  if (role === "user") return new HumanMessage({ content })
  if (role === "tool") return new ToolMessage({ content, tool_call_id: message.call, name: nameOf(message.call) })
  const calls = (message.calls ?? []).map((call) => ({ id: call.id, name: call.name, args: call.arguments, type: "tool_call" }))
  return new AIMessage({ content, tool_calls: calls })
}

const fromLangchain = (message) => {
  const type = message.getType()
  const { content } = message
  if (type === "human") return { role: "user", content }
  if (type === "tool") return { role: "tool", call: message.tool_call_id, content }
  const calls = message.tool_calls.map(({ id, name, args }) => ({ id, name, arguments: args }))
  return { role: "assistant", content, ...(calls.length > 0 && { calls }) }
}

const trim = (options) => async (messages, budget) => {
  const classes = await load("@langchain/core/messages")
  const known = new WeakMap()
  const size = (message) => {
    if (!known.has(message)) known.set(message, tokensOf(fromLangchain(message)))
    return known.get(message)
  }
  const tokenCounter = (list) => list.reduce((sum, message) => sum + size(message), 0)
  const nameOf = nameOfCall(messages)
  const list = messages.map((message) => toLangchain(message, classes, nameOf))
  const kept = await classes.trimMessages(list, { maxTokens: budget, strategy: "last", tokenCounter, ...options })
  return kept.map(fromLangchain)
}

export const trimMessages = trim({})
export const trimMessagesStartOnHuman = trim({ startOn: "human" })

const toModelMessage = (message, nameOf) => {
  const { role, content } = message
  if (role === "user") return { role, content }
  if (role === "tool") {
    const output = { type: "text", value: content }
    return { role, content: [{ type: "tool-result", toolCallId: message.call, toolName: nameOf(message.call), output }] }
  }
  const calls = (message.calls ?? []).map((call) => ({
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  }))
  return { role, content: [...(content === "" ? [] : [{ type: "text", text: content }]), ...calls] }
}

const fromModelMessage = ({ role, content }) => {
  if (typeof content === "string") return [{ role, content }]
  if (role === "tool") {
    return content.map((part) => ({ role, call: part.toolCallId, content: part.output.value }))
  }
  const text = content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n")
  const calls = content
    .filter((part) => part.type === "tool-call")
    .map((part) => ({ id: part.toolCallId, name: part.toolName, arguments: part.input }))
  return [{ role, content: text, ...(calls.length > 0 && { calls }) }]
}

/** pruneMessages has no budget: the largest number of messages whose tools stay is searched. Needs Node 22. */
export const pruneMessages = async (messages, budget) => {
  const ai = await load("ai")
  const nameOf = nameOfCall(messages)
  const list = messages.map((message) => toModelMessage(message, nameOf))
  const prune = (count) => {
    const toolCalls = count === 0 ? "all" : `before-last-${count}-messages`
    return ai.pruneMessages({ messages: list, toolCalls, emptyMessages: "remove" }).flatMap(fromModelMessage)
  }
  let [fits, tooMany] = [0, messages.length + 1]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (tokensOfAll(prune(middle)) <= budget) fits = middle
    else tooMany = middle
  }
  return prune(fits)
}
