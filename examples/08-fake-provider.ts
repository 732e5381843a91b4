/**
 * A provider on 127.0.0.1 that refuses what the real one refuses, in its own words, and answers the rest from a script.
 * For tests of agents, without network and key.
 */
import { convert } from "ligature"
import { startFakeProvider } from "ligature/testing"

const request = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [
    { role: "user", content: "Run the tests." },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_01", name: "bash", input: { command: "npm test" } }],
    },
    { role: "user", content: "Are you still there?" },
  ],
}

export const run = async () => {
  const provider = await startFakeProvider({ api: "anthropic", script: [{ text: "Yes. Shall I run them again?" }] })
  const post = async (body: unknown) => {
    const response = await fetch(`${provider.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
  }
  try {
    const refused = await post(request)
    const accepted = await post(convert(request, { from: "anthropic", to: "anthropic" }).value)
    return { refused, accepted, seen: provider.requests.map(({ verdict }) => verdict?.ok) }
  } finally {
    await provider.close()
  }
}
