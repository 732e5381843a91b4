import { describe, expect, it } from "vitest"
import { codecs, convert } from "../../src/convert/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

/** One request that says everything the Messages API can say, against every other format. */
const request = {
  messages: [
    { role: "user", content: [{ type: "text", text: "Look", cache_control: { type: "ephemeral" } }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "eHg=" },
        { type: "text", text: "I look.", citations: [{ type: "char_location", cited_text: "x" }] },
        { type: "tool_use", id: "toolu_1", name: "shot", input: {} },
        { type: "text", text: "And I read." },
        { type: "tool_use", id: "toolu_2", name: "read", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
        },
        { type: "tool_result", tool_use_id: "toolu_2", content: "no such file", is_error: true },
      ],
    },
  ],
}

const lossesTo = (to: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    convert(request, { from: "anthropic", to: resolveCodec(to) }).report.losses.map(({ feature, degree }) => [feature, degree]),
  )

describe("losses", () => {
  it("are none on the way home", () => {
    expect(lossesTo("anthropic")).toEqual({})
  })

  it("are exactly what the target has no native home for", () => {
    for (const codec of Object.values(codecs)) {
      if (codec.format === "anthropic") continue
      for (const [feature, degree] of Object.entries(lossesTo(codec.format))) {
        // A signature is worth something only where it was made, whatever fields the target has.
        if (feature === "thinking-signature") continue
        const home = codec.capabilities.homes[feature as keyof typeof codec.capabilities.homes]
        expect({ format: codec.format, feature, degree }).toEqual({
          format: codec.format,
          feature,
          degree: home === "none" ? "lost" : "weakened",
        })
      }
    }
  })

  it("name every piece of information that Chat Completions cannot say", () => {
    expect(lossesTo("openai-chat")).toEqual({
      "result-error": "weakened",
      "block-order": "lost",
      "cache-marks": "lost",
      citations: "weakened",
      "result-image": "weakened",
      thinking: "weakened",
      "thinking-signature": "lost",
      "redacted-thinking": "lost",
    })
  })

  it("name the item fields, raw arguments and free-text calls that the Messages API cannot say", () => {
    const items = [
      { role: "user", content: "go" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAx" },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "ls", arguments: '{ "path": "." }' },
      { type: "function_call_output", call_id: "call_1", output: "a" },
      { type: "custom_tool_call", call_id: "call_2", name: "sh", input: "ls -l" },
      { type: "custom_tool_call_output", call_id: "call_2", output: "b" },
    ]
    const { losses } = convert({ input: items }, { from: "openai-responses", to: "anthropic" }).report
    expect([...new Set(losses.map(({ feature }) => feature))].sort()).toEqual([
      "free-text-call",
      "item-id",
      "raw-arguments",
      "thinking-signature",
    ])
  })

  it.each([
    ["more digits than a double holds", '{"channel":1234567890123456789}', 1],
    ["no end", '{"deep":[{"far":1e400}]}', 1],
    ["digits enough", '{"channel":123456789012345,"share":0.25,"id":"1234567890123456789"}', 0],
  ])("name a number of %s, which was rounded when its request was parsed", (_, input, count) => {
    const call = { type: "tool_use", id: "toolu_1", name: "send", input: JSON.parse(input) as unknown }
    const answer = { type: "tool_result", tool_use_id: "toolu_1", content: "sent" }
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [call] },
      { role: "user", content: [answer] },
    ]
    for (const to of ["openai-chat", "openai-responses", "gemini"]) {
      const { losses } = convert({ messages }, { from: "anthropic", to: resolveCodec(to) }).report
      expect(losses.filter(({ feature }) => feature === "raw-arguments").map(({ degree, place }) => [degree, place])).toEqual(
        Array.from({ length: count }, () => ["lost", { item: 1 }]),
      )
    }
    expect(convert({ messages }, { from: "anthropic", to: "anthropic" }).report.losses).toEqual([])
  })
})
