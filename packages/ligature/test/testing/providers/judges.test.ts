import { readFileSync, readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { enforcedRules, rememberedRules } from "../../../src/testing/providers/enforced-rules.ts"
import { judges, type ProfileName } from "../../../src/testing/providers/index.ts"
import { suites } from "./suites.ts"

const profiles = Object.keys(suites) as readonly ProfileName[]

describe.each(profiles)("the judge of %s", (profile) => {
  const { healthy, rejected } = suites[profile]

  it.each(Object.entries(healthy))("accepts %s", (_name, body) => {
    const before = JSON.stringify(body)
    expect(judges[profile](body)).toEqual({ ok: true })
    expect(JSON.stringify(body)).toBe(before)
  })

  it.each(rejected.map((example) => [example.rule, example] as const))("refuses by %s", (rule, example) => {
    const verdict = judges[profile](example.body, example.options)
    expect(verdict).toMatchObject({ ok: false, rule, message: example.message, status: example.status ?? 400 })
    expect(JSON.stringify(verdict)).toContain(JSON.stringify(example.message).slice(1, -1))
  })

  it("has a refused example for every rule it claims, and claims every rule it refuses by", () => {
    expect([...new Set(rejected.map(({ rule }) => rule))].sort()).toEqual([...enforcedRules[profile]].sort())
  })
})

describe("the judges together", () => {
  it("mention no rule that the list of enforced rules lacks", () => {
    const claimed = new Set([...Object.values(enforcedRules).flat(), ...rememberedRules])
    const root = new URL("../../../src/testing/providers/", import.meta.url)
    const mentioned = readdirSync(root, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [...readFileSync(new URL(name, root), "utf8").matchAll(/rule: (?:[^"\n]*\? )?"([a-z0-9-]+)"/g)])
      .map((match) => match[1] ?? "")
    expect([...new Set(mentioned)].filter((rule) => !claimed.has(rule))).toEqual([])
    expect(mentioned.length).toBeGreaterThan(100)
  })

  it("say nothing against bodies of any JSON shape but a verdict", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { messages: {} },
      { messages: [null] },
      { messages: [1] },
      { input: [null] },
      { contents: [null] },
      { contents: [{ parts: [null] }] },
      { messages: [{ role: "assistant", tool_calls: [null] }] },
      { messages: [{ role: "user", content: [null] }] },
      { messages: [{ role: "user", content: [[]] }] },
    ]
    for (const profile of profiles) for (const body of odd) expect(judges[profile](body).ok).toBe(false)
  })

  it("take an unanswered call at an open tip", () => {
    const { healthy } = suites.anthropic
    expect(Object.keys(healthy).length).toBeGreaterThan(0)
    const chat = {
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "x", arguments: "{}" } }],
        },
      ],
    }
    const anthropic = {
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "a", name: "x", input: {} }],
        },
      ],
    }
    const gemini = {
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "x" } }],
        },
      ],
    }
    const responses = { input: [{ type: "function_call", call_id: "a", name: "x", arguments: "{}" }] }
    const open = { tip: "open" } as const
    expect(judges["openai-chat"](chat, open)).toEqual({ ok: true })
    expect(judges.anthropic(anthropic, open)).toEqual({ ok: true })
    expect(judges.gemini(gemini, open)).toEqual({ ok: true })
    expect(judges["openai-responses"](responses, open)).toEqual({ ok: true })
  })

  it("judge 100,000 messages in linear time", () => {
    const messages: unknown[] = [{ role: "user", content: "hi" }]
    while (messages.length < 100_000) {
      const id = `call_${messages.length}`
      messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: "ls", input: {} }] })
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] })
    }
    // In quadratic time this would outlast the test.
    expect(judges.anthropic({ messages })).toEqual({ ok: true })
  })
})
