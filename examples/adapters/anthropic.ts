/**
 * Anthropic SDK: the user spoke while two tools were running, and one result was lost in a crash. The provider refuses
 * the history; one line makes it valid on its way out, plain and streamed.
 */
import Anthropic from "@anthropic-ai/sdk"
import { validFetch } from "ligature/adapters/anthropic"
import { startFakeProvider } from "ligature/testing"

const provider = await startFakeProvider({
  api: "anthropic",
  script: [{ text: "One is done." }, { text: "Still here." }],
})

const request = {
  model: "claude-opus-4-6",
  max_tokens: 100,
  messages: [
    { role: "user", content: "Read both files." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I read them." },
        { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "a.ts" } },
        { type: "tool_use", id: "toolu_2", name: "read_file", input: { path: "b.ts" } },
      ],
    },
    { role: "user", content: "Hurry." },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "export const a = 1" }] },
  ],
} satisfies Anthropic.MessageCreateParamsNonStreaming

const access = { apiKey: "none", baseURL: provider.url, maxRetries: 0 }
await new Anthropic(access).messages.create(request).catch((error: unknown) => {
  console.log(`without: ${String(error).slice(0, 160)}`)
})

const client = new Anthropic({
  ...access,
  fetch: validFetch(fetch, {
    onRepair: ({ report }) => console.log(`repaired: ${report.entries.map(({ what }) => what).join("; ")}`),
  }),
})

const answer = await client.messages.create(request)
console.log(`plain: ${answer.content.map((block) => (block.type === "text" ? block.text : "")).join("")}`)

const stream = client.messages.stream(request)
let streamed = ""
stream.on("text", (text) => (streamed += text))
await stream.finalMessage()
console.log(`streamed: ${streamed}`)

await provider.close()
