/**
 * Mastra: a thread in which a call was left without its result. Mastra leaves such a call out without a word, and the
 * model forgets that it ever asked; the processor says honestly what became of it.
 */
import { Agent } from "@mastra/core/agent"
import { validHistory } from "ligature/adapters/mastra"
import { startFakeProvider } from "ligature/testing"

const provider = await startFakeProvider({ api: "openai-chat", script: () => ({ text: "Shall I deploy again?" }) })
const model = { id: "openai/gpt-4o", url: `${provider.url}/v1`, apiKey: "none" } as const
const settings = { id: "guide", name: "Guide", instructions: "Be brief.", model }

const messages = [
  { id: "1", role: "user" as const, parts: [{ type: "text" as const, text: "Deploy it." }] },
  {
    id: "2",
    role: "assistant" as const,
    parts: [
      { type: "text" as const, text: "I deploy." },
      { type: "tool-deploy" as const, toolCallId: "call_1", state: "input-available" as const, input: {} },
    ],
  },
  { id: "3", role: "user" as const, parts: [{ type: "text" as const, text: "Well?" }] },
]

const sent = (): string => {
  const body = provider.requests.at(-1)?.body as { messages: { role: string; tool_calls?: unknown }[] } | undefined
  return body?.messages.map(({ role, tool_calls: calls }) => (calls ? `${role} with call` : role)).join(", ") ?? ""
}

await new Agent(settings).generate(messages)
console.log(`without: ${sent()}`)

const onRepair = ({ entries }: { entries: readonly { what: string }[] }): void =>
  console.log(`repaired: ${entries.map(({ what }) => what).join("; ")}`)
const agent = new Agent({ ...settings, inputProcessors: [validHistory({ onRepair })] })
const { text } = await agent.generate(messages)
console.log(`with: ${sent()}`)
console.log(`answer: ${text}`)

const stream = await agent.stream(messages)
console.log(`streamed: ${await stream.text}`)
await provider.close()
