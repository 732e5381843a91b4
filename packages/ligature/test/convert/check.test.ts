import { describe, expect, it } from "vitest"
import { check, decode, encode } from "../../src/convert/index.ts"
import { profiles, settle, resolveProfile } from "../../src/rules/index.ts"
import { Choices, generateHistory } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const rulesFor = (profile: string, messages: readonly unknown[]): readonly string[] =>
  check(decode("openai-chat", { messages }), { profile: resolveProfile(profile) }).map((diagnostic) => diagnostic.rule)

const called = { id: "call_1", type: "function", function: { name: "ls", arguments: "{}" } }
const answered = [
  { role: "tool", tool_call_id: "call_1", content: "x" },
  { role: "user", content: "go on" },
]

describe("check with a profile", () => {
  it("names fields that a server does not know", () => {
    expect(rulesFor("groq", [{ role: "user", content: "hi", custom_field: 1 }])).toEqual(["unknown-field"])
  })

  it("names reasoning that one server forbids and another demands", () => {
    const forbidden = { role: "assistant", content: "x", reasoning_content: "hm" }
    expect(rulesFor("groq", [{ role: "user", content: "hi" }, forbidden])).toContain("foreign-thinking")
    const missing = { role: "assistant", content: "", tool_calls: [called] }
    expect(rulesFor("kimi", [{ role: "user", content: "hi" }, missing, ...answered])).toEqual(["thinking-required"])
  })

  it("names content that is null where text is wanted", () => {
    const silent = { role: "assistant", content: null, tool_calls: [called] }
    expect(rulesFor("xai", [{ role: "user", content: "hi" }, silent, ...answered])).toEqual(["call-content"])
    expect(rulesFor("openai-chat", [{ role: "user", content: "hi" }, silent, ...answered])).toEqual([])
  })

  it("names a system prompt that is among messages where the provider wants it beside them", () => {
    const request = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "hi" }] },
      ],
    }
    expect(check(decode("anthropic", request))).toEqual([])
    expect(check(decode("anthropic", request), { profile: "anthropic" }).map(({ rule }) => rule)).toEqual(["wire-shape"])
  })

  it("names the last message where it is not the one that a provider wants there", () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "", tool_calls: [{ ...called, id: "abcdefgh1" }] },
      { role: "tool", tool_call_id: "abcdefgh1", content: "x" },
      { role: "assistant", content: "done" },
    ]
    const [found] = check(decode("openai-chat", { messages }), { profile: "mistral" })
    expect(found).toMatchObject({ rule: "last-role", place: { message: 3 } })
    expect(found?.what).toContain('it is the assistant\'s ("done")')
  })

  it("names unknown fields also in a history that is damaged", () => {
    const lost = { role: "assistant", content: null, tool_calls: [called] }
    expect(rulesFor("groq", [{ role: "user", content: "hi", custom_field: 1 }, lost, { role: "user", content: "go on" }])).toEqual([
      "unanswered-call",
      "unknown-field",
    ])
  })

  it("finds nothing in what was encoded for that profile", () => {
    for (const profile of Object.values(profiles)) {
      for (let seed = 0; seed < 40; seed++) {
        const { messages } = generateHistory(new Choices(numbersFromSeed(seed, 200)))
        const { value: request } = encode(settle({ format: "ligature", messages }).conversation, profile)
        const found = check(decode(resolveCodec(profile.format), JSON.parse(JSON.stringify(request))), { profile })
        expect(found, `${profile.name} ${seed}`).toEqual([])
      }
    }
  })
})
