/** Roles of Anthropic messages: which the API takes, which are repaired, and system messages in the middle. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../../src/convert/index.ts"
import { judges } from "../../../src/testing/providers/server/apis.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: {} }] }
const answer = { type: "tool_result", tool_use_id: "toolu_1", content: "x" }

const withAnswerAs = (role: string) => ({
  model: "claude-opus-5",
  max_tokens: 10,
  messages: [{ role: "user", content: "hi" }, call, { role, content: [answer] }, { role: "user", content: "go on" }],
})

const repaired = {
  model: "claude-opus-5",
  max_tokens: 10,
  messages: [{ role: "user", content: "hi" }, call, { role: "user", content: [answer, { type: "text", text: "go on" }] }],
}

describe("a result in a message of a role that the API does not take there", () => {
  it.each([
    ["tool", "malformed-message"],
    ["system", "misplaced-block"],
  ])("%s: is found, and repaired into a user message", (role, rule) => {
    const request = withAnswerAs(role)
    expect(judges.anthropic(request)).toMatchObject({ ok: false })
    expect(check(decode("anthropic", request)).map((finding) => finding.rule)).toEqual([rule])
    for (const { value, report } of [repair(request, { from: "anthropic" }), convert(request, { from: "anthropic", to: "anthropic" })]) {
      expect(report.entries.map((entry) => [entry.rule, entry.kind])).toEqual([[rule, "safe"]])
      const blocks = (value["messages"] as readonly { role: string; content: unknown }[]).map(({ role: said }) => said)
      expect(blocks).not.toContain(role)
      expect(judges.anthropic(value)).toEqual({ ok: true })
      expect(repair(value, { from: "anthropic" })).toMatchObject({ value, report: { entries: [] } })
    }
    expect(JSON.stringify(convert(request, { from: "anthropic", to: "anthropic" }).value)).toContain(
      JSON.stringify(repaired.messages[2]?.content).slice(1, 60),
    )
  })
})

describe("a system message in the middle", () => {
  const reminder = { role: "system", content: "Stay in the folder." }
  const request = (model: string, ...more: readonly unknown[]) => ({
    model,
    max_tokens: 10,
    messages: [
      { role: "user", content: "hi" },
      call,
      { role: "user", content: [answer] },
      reminder,
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
      { role: "user", content: "go on" },
      ...more,
    ],
  })

  it("survives on the way to its own provider", () => {
    const sent = request("claude-opus-5", reminder)
    expect(judges.anthropic(sent)).toEqual({ ok: true })
    expect(check(decode("anthropic", sent), { profile: "anthropic" })).toEqual([])
    expect(repair(sent, { from: "anthropic" }).value).toEqual(sent)
    expect(convert(sent, { from: "anthropic", to: "anthropic" }).value).toEqual(sent)
  })

  it.each(["claude-sonnet-4-5", "claude-opus-4-20250514", "claude-opus-4-1", "claude-3-5-haiku-latest", "claude-sonnet-5"])(
    "is said as user text where the model takes none: %s",
    (model) => {
      const { value, report } = convert(request(model), { from: "anthropic", to: "anthropic" })
      expect(report.entries.map(({ rule }) => rule)).toEqual(["system-position"])
      expect(JSON.stringify(value)).toContain("Stay in the folder.")
      expect(judges.anthropic(value)).toEqual({ ok: true })
    },
  )

  it("is said as user text where it does not follow the user's turn", () => {
    const sent = request("claude-opus-5")
    const misplaced = { ...sent, messages: [...sent.messages.slice(0, 5), reminder, ...sent.messages.slice(5)] }
    expect(judges.anthropic(misplaced)).toMatchObject({ ok: false })
    expect(judges.anthropic(convert(misplaced, { from: "anthropic", to: "anthropic" }).value)).toEqual({ ok: true })
  })

  it("is a system message for Chat Completions and Responses, and user text for Gemini and Bedrock", () => {
    const to = (format: string): string =>
      JSON.stringify(convert(request("claude-opus-5"), { from: "anthropic", to: resolveCodec(format) }).value)
    expect(to("openai-chat")).toContain('{"role":"system","content":"Stay in the folder."}')
    expect(to("openai-responses")).toContain('{"role":"system","content":"Stay in the folder."}')
    for (const format of ["gemini", "bedrock-converse"]) expect(to(format)).toMatch(/\[System message\].*Stay in the folder\./)
  })
})
