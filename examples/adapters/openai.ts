/**
 * OpenAI SDK: a turn was interrupted, so a call has no result, and every later request with this history is refused.
 * One line makes it valid on its way out: plain, streamed, and for both APIs.
 */
import { validFetch } from "ligature/adapters/openai"
import { startFakeProvider } from "ligature/testing"
import OpenAI from "openai"

const chat = await startFakeProvider({
  api: "openai-chat",
  script: [{ text: "Shall I run them again?" }, { text: "Still here." }],
})
const responses = await startFakeProvider({ api: "openai-responses", script: [{ text: "Yes, both APIs." }] })

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "Run the tests." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"npm test"}' } }],
  },
  { role: "user", content: "Are you still there?" },
]
const model = "gpt-4o"
const access = { apiKey: "none", maxRetries: 0 }

const bare = new OpenAI({ ...access, baseURL: `${chat.url}/v1` })
await bare.chat.completions.create({ model, messages }).catch((error: unknown) => {
  console.log(`without: ${String(error)}`)
})

const fetchValid = validFetch(fetch, {
  onRepair: ({ report }) => console.log(`repaired: ${report.entries.map(({ rule }) => rule).join(", ")}`),
})
const client = new OpenAI({ ...access, baseURL: `${chat.url}/v1`, fetch: fetchValid })

const answer = await client.chat.completions.create({ model, messages })
console.log(`plain: ${answer.choices[0]?.message.content}`)

let streamed = ""
for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
  streamed += chunk.choices[0]?.delta.content ?? ""
}
console.log(`streamed: ${streamed}`)

const other = new OpenAI({ ...access, baseURL: `${responses.url}/v1`, fetch: fetchValid })
const response = await other.responses.create({
  model,
  input: [
    { role: "user", content: "Run the tests." },
    { type: "function_call_output", call_id: "call_gone", output: "42 passed" },
    { role: "user", content: "Well?" },
  ],
})
console.log(`responses: ${response.output_text}`)

await Promise.all([chat.close(), responses.close()])
