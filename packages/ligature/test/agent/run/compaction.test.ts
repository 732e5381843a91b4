/** The compaction hook: called between requests, may hide and summarise through the store, and never costs the history. */
import { describe, expect, it } from "vitest"
import { wantsTopic } from "../../../src/debug/wants-topic.ts"
import { debugLog } from "../../../src/agent/events.ts"
import type { Compact } from "../../../src/agent/index.ts"
import { cover } from "../../../src/store/index.ts"
import { apis, says, startAgent } from "./agent.ts"

const summarise: Compact = async ({ entries }, { append }) => {
  const old = entries.slice(0, -1).filter(({ kind }) => kind !== "summary")
  if (old.length < 3) return
  const message = { role: "user", blocks: [{ type: "text", text: "Before: it was looked at." }], summary: true } as const
  await append([{ kind: "summary", message, covers: cover(old) }])
}

describe.each(apis)("%s", (api) => {
  it("a summary takes the place of what it covers, in the next request", async () => {
    const agent = await startAgent(api, { script: [{ calls: [says("secret")] }, { text: "Done." }, { text: "More." }] })
    await agent.run({ prompt: "go" })
    const result = await agent.run({ prompt: "and now?", compact: summarise })
    expect([result.stop, result.text]).toEqual(["done", "More."])
    const body = JSON.stringify(agent.provider.requests.at(-1)?.body)
    expect([body.includes("secret"), body.includes("Before: it was looked at."), body.includes("and now?")]).toEqual([false, true, true])
    expect((await agent.load()).entries.filter(({ kind }) => kind === "result")).toHaveLength(1)
  })
})

describe("the hook", () => {
  it("sees what the last answer cost, also from the run before", async () => {
    const seen: (number | undefined)[] = []
    const compact: Compact = (_, { usage, reason, conversation }) => {
      expect([reason, conversation.items.length > 0]).toEqual(["between", true])
      seen.push(usage?.inputTokens)
    }
    const agent = await startAgent("anthropic", { script: [{ calls: [says("x")] }, { text: "Done." }] })
    await agent.run({ prompt: "go", compact })
    await agent.run({ prompt: "again", compact })
    expect(seen).toEqual([undefined, 10, 10])
  })

  it("that fails changes nothing", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "Done." }] })
    const result = await agent.run({ prompt: "go", compact: () => Promise.reject(new Error("no summary")) })
    expect(result.stop).toBe("done")
    expect(agent.events.flatMap((event) => (event.type === "compaction-end" ? [String(event.error)] : []))).toEqual(["Error: no summary"])
  })

  it("is asked once more when the provider finds the request too long", async () => {
    const long = { error: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" } }
    const agent = await startAgent("anthropic", { script: [{ calls: [says("x")] }, { text: "Done." }, long, { text: "Short." }] })
    await agent.run({ prompt: "go" })
    const reasons: string[] = []
    const compact: Compact = async (loaded, context) => {
      reasons.push(context.reason)
      if (context.reason === "overflow") await summarise(loaded, context)
    }
    expect(await agent.run({ prompt: "and now?", compact })).toMatchObject({ stop: "done", text: "Short." })
    expect(reasons).toEqual(["between", "overflow"])
  })

  it("that cannot help lets the refusal stand", async () => {
    const agent = await startAgent("anthropic", { script: () => ({ error: { status: 400, message: "prompt is too long" } }) })
    const result = await agent.run({ prompt: "go", compact: () => {} })
    expect([result.stop, result.error?.reason, agent.provider.requests.length]).toEqual(["error", "rejected", 1])
  })
})

describe("DEBUG=ligature:loop", () => {
  it("is one setting among others", () => {
    const wantsLoop = (setting: string | undefined): boolean => wantsTopic(setting, "loop")
    expect(["ligature:loop", "a,ligature:loop", "ligature:*", "* b"].map(wantsLoop)).toEqual([true, true, true, true])
    expect([undefined, "", "ligature", "ligature:store", "express:*", "*,-ligature:loop"].map(wantsLoop)).toEqual(Array(6).fill(false))
    expect(debugLog(() => 0, "")).toBe(undefined)
  })

  it("writes one JSON line per event, and nothing of what was said", async () => {
    const lines: string[] = []
    const agent = await startAgent("anthropic", {
      script: [{ error: { status: 500, message: "hiccup" } }, { text: "My secret.", calls: [says("secret")] }, { text: "Done." }],
    })
    const log = debugLog(
      () => 7,
      "ligature:loop",
      (line) => lines.push(line),
    )
    await agent.run({ prompt: "secret", approve: () => "approve", compact: () => {}, ...(log && { onEvent: log }) })
    expect(lines.every((line) => line.endsWith("\n") && !line.slice(0, -1).includes("\n"))).toBe(true)
    const events = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly scope: string; readonly conversation: string })
    expect(new Set(events.map(({ scope, conversation }) => `${scope} ${conversation}`))).toEqual(new Set(["ligature:loop c"]))
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["retry-start", "tool-end", "approval-end", "compaction-end", "run-end"]),
    )
    expect(lines.join("")).not.toContain("secret")
    const commits = lines
      .map((line) => JSON.parse(line) as { type: string; entries?: readonly { kind: string }[] })
      .filter(({ type }) => type === "commit-end")
    const facts = commits.flatMap(({ entries = [] }) => entries).filter(({ kind }) => kind !== "note")
    expect(facts).toEqual([
      { kind: "message", role: "user", hasText: true, toolCalls: 0, callIds: [], contentLength: 6 },
      { kind: "message", role: "assistant", hasText: true, toolCalls: 1, callIds: [expect.any(String)], contentLength: 10 },
      { kind: "result", callId: expect.any(String), contentLength: 6 },
      { kind: "message", role: "assistant", hasText: true, toolCalls: 0, callIds: [], contentLength: 5 },
    ])
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ name: "echo", outcome: "done", contentLength: 6 })
  })
})
