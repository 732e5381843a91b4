/** Messages of the model as plain Chat Completions messages, damage included. */
import type { Message, ResultBlock, Wire } from "../../../src/model/index.ts"

export const wordsOf = ({ blocks }: Message): string => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

export const resultWords = (result: ResultBlock): string => result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")

const callsOf = ({ blocks }: Message): readonly Wire[] =>
  blocks.flatMap((block): Wire[] => {
    if (block.type !== "call") return []
    const called = { name: block.name, arguments: block.raw ?? JSON.stringify(block.arguments) }
    return [{ ...(block.id !== "" && { id: block.id }), type: "function", function: called }]
  })

const resultsOf = ({ blocks }: Message): readonly Wire[] =>
  blocks.flatMap((block): Wire[] => {
    if (block.type !== "result") return []
    const content = `${block.error === true ? "[tool error] " : ""}${resultWords(block)}`
    return [{ role: "tool", ...(block.callId !== "" && { tool_call_id: block.callId }), content }]
  })

export const chatMessages = (messages: readonly Message[]): readonly Wire[] =>
  messages.flatMap((message): readonly Wire[] => {
    const role = message.role === "tool" ? "user" : message.role
    const words = wordsOf(message)
    const calls = callsOf(message)
    const results = resultsOf(message)
    if (words === "" && calls.length === 0) return results.length > 0 ? results : [{ role, content: "" }]
    const spoken = { role, content: words === "" ? null : words, ...(calls.length > 0 && { tool_calls: calls }) }
    return [spoken, ...results]
  })
