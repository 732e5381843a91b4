import { describe, expect, it } from "vitest"
import { convert, repair } from "../../src/convert/index.ts"
import { judges } from "../../src/testing/index.ts"

const request = (model: string) => ({
  model,
  max_tokens: 100,
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: "I am" },
  ],
})

describe("a request that ends with the assistant", () => {
  it.each(["claude-opus-4-6", "claude-sonnet-4-6-20260301", "claude-haiku-5", "anthropic.claude-opus-4-10-v1:0", "claude-mythos-preview"])(
    "gets a user message at the end for %s, which takes no prefill",
    (model) => {
      const { value, report } = convert(request(model), { from: "anthropic", to: "anthropic" })
      expect(report.entries.map(({ rule }) => rule)).toEqual(["last-role"])
      expect(judges.anthropic(value)).toEqual({ ok: true })
    },
  )

  it.each(["claude-opus-4-20250514", "claude-3-5-sonnet-20241022", "claude-sonnet-4-5", "claude-opus-4-1", "unknown"])(
    "stays as it is for %s",
    (model) => {
      const body = request(model)
      expect(convert(body, { from: "anthropic", to: "anthropic" }).value).toBe(body)
      expect(judges.anthropic(body)).toEqual({ ok: true })
    },
  )

  it("stays as it is in a repair, since the next message is the user's", () => {
    const body = request("claude-opus-4-6")
    expect(repair(body, { from: "anthropic" }).value).toBe(body)
  })
})
