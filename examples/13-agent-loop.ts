/**
 * An agent with two tools that is stopped in the middle of them. What was finished is in the store, what was not says
 * so, and the next run goes on: with the same conversation, and here with another provider. A process that is killed
 * leaves the same, since every step is stored before the next one depends on it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anthropicModel, chatModel, LoopError, run as runAgent, type Tool } from "ligature/agent"
import { outcomeKind } from "ligature/model"
import { jsonlStore } from "ligature/store"
import { startFakeProvider } from "ligature/testing"

const readFile: Tool = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  run: ({ path }) => `contents of ${String(path)}`,
}

/** Never comes to its end; gives up when it is told to. */
const deploy = (onStart: () => void): Tool => ({
  name: "deploy",
  description: "Deploys the service.",
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
      onStart()
    }),
})

export const run = async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-example-"))
  const calls = [
    { name: "read_file", arguments: { path: "a.ts" } },
    { name: "deploy", arguments: {} },
  ]
  const claude = await startFakeProvider({ api: "anthropic", script: [{ text: "I read it and deploy.", calls }] })
  const answer = "The deployment was interrupted; shall I look?"
  const gpt = await startFakeProvider({ api: "openai-chat", script: [{ text: answer }] })
  const store = jsonlStore({ folder })
  try {
    // The user presses stop while `deploy` runs: no answer, so the run rejects, with everything it did in the error.
    const stop = new AbortController()
    const first = await runAgent({
      model: anthropicModel({ model: "claude-sonnet-4-5", key: "secret", baseUrl: `${claude.url}/v1` }),
      store,
      conversation: "release",
      system: "You are a careful engineer.",
      prompt: "Read a.ts, then deploy.",
      tools: [readFile, deploy(() => stop.abort())],
      signal: stop.signal,
    }).catch((error: unknown) => {
      if (error instanceof LoopError && error.reason === "aborted") return { stop: error.reason }
      throw error
    })

    // Later, with another provider: the history is valid there, and says honestly what is not known.
    const second = await runAgent({
      model: chatModel({ model: "gpt-5", key: "secret", baseUrl: `${gpt.url}/v1` }),
      store,
      conversation: "release",
      prompt: "What happened?",
      tools: [readFile],
    })

    const { entries } = await store.load("release")
    return {
      first: first.stop,
      outcomes: entries.flatMap((entry) => (entry.kind === "result" ? [`${entry.result.name ?? ""}: ${outcomeKind(entry.result)}`] : [])),
      second: second.stop,
      answer: second.text,
      accepted: [...claude.requests, ...gpt.requests].map(({ verdict }) => verdict?.ok),
    }
  } finally {
    await store.close()
    await claude.close()
    await gpt.close()
    rmSync(folder, { recursive: true })
  }
}
