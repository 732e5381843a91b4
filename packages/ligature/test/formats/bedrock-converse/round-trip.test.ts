import { describe, expect, it } from "vitest"
import { bedrockConverse } from "../../../src/formats/bedrock-converse/index.ts"
import { check } from "../../../src/rules/judge/check.ts"
import { settle } from "../../../src/rules/judge/settle.ts"

const again = (body: unknown, options = {}) => bedrockConverse.encode(settle(bedrockConverse.decode(body)).conversation, options)

const healthy = {
  modelId: "anthropic.claude",
  messages: [
    { content: [{ text: "hi" }, { cachePoint: { type: "default" } }], role: "user", seen: 1 },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } },
        { reasoningContent: { redactedContent: "cmVk" } },
        { citationsContent: { content: [{ text: "So." }], citations: [] } },
        { toolUse: { name: "ls", toolUseId: "a", input: { z: 1, b: 2 }, extra: true } },
        { toolUse: { toolUseId: "b", name: "cat", input: {} } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { content: [{ json: { z: [1, null], a: "é" } }], toolUseId: "a", status: "success" } },
        { toolResult: { toolUseId: "b", content: [{ text: "[tool error] boom" }] } },
        { text: "go on" },
        { document: { name: "d", format: "pdf", source: { bytes: "AA" } } },
      ],
    },
    { role: "assistant", content: [{ text: "Done." }] },
    { role: "user", content: [{ hologram: { depth: 3 } }] },
  ],
  system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
  inferenceConfig: { maxTokens: 5 },
}

describe("bedrock-converse round trip", () => {
  it("gives a healthy request back deep-equal, byte for byte, and each message as the very same object", () => {
    expect(check(bedrockConverse.decode(healthy))).toEqual([])
    const written = again(healthy)
    expect(JSON.stringify(written)).toBe(JSON.stringify(healthy))
    const messages = written["messages"] as readonly unknown[]
    healthy.messages.forEach((message, index) => expect(messages[index]).toBe(message))
    expect(written["system"]).toBe(healthy.system)
  })

  it("takes the status away where the model takes none, and says failures in words", () => {
    const results = (status?: string, text = "boom") => [
      { role: "user", content: [{ text: "go" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "f", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text }], ...(status && { status }) } }] },
    ]
    const marked = results(undefined, "[tool error] boom")
    expect(again(results("error"), { resultStatus: false })).toEqual({ messages: marked })
    expect(again(results("success"), { resultStatus: false })).toEqual({ messages: results() })
    expect(again(results("error"))).toEqual({ messages: results("error") })
  })

  it("joins messages of one role and tells documents of one name apart", () => {
    const document = (name: string) => ({ document: { name, format: "pdf", source: { bytes: "AA" } } })
    const messages = [
      { role: "user", content: [{ text: "a" }, document("d")] },
      { role: "user", content: [{ text: "b" }, document("d")] },
    ]
    expect(again(messages)).toEqual({
      messages: [{ role: "user", content: [{ text: "a" }, document("d"), { text: "b" }, document("d-1")] }],
    })
  })

  it("gathers results that were sent one by one, in call order", () => {
    const call = (id: string) => ({ toolUse: { toolUseId: id, name: "f", input: {} } })
    const result = (id: string) => ({ toolResult: { toolUseId: id, content: [{ text: id }] } })
    const calls = { role: "assistant", content: [call("a"), call("b")] }
    const go = { role: "user", content: [{ text: "go" }] }
    const messages = [go, calls, { role: "user", content: [result("b")] }, { role: "user", content: [result("a")] }]
    expect(again(messages)).toEqual({
      messages: [go, calls, { role: "user", content: [result("a"), result("b")] }],
    })
  })

  it("writes what the API rejects as the API wants it", () => {
    const body = {
      system: "S",
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ text: "a", toolUse: { toolUseId: "t", name: "f", input: {} } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t" } }] },
        7,
      ],
    }
    expect(again(body)).toEqual({
      system: [{ text: "S" }],
      messages: [
        { role: "user", content: [{ text: "hi" }] },
        { role: "assistant", content: [{ text: "a" }, { toolUse: { toolUseId: "t", name: "f", input: {} } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t", content: [] } }, { text: "7" }] },
      ],
    })
  })

  it("leaves out unknown fields when asked, and nothing else", () => {
    const stripped = again({ ...healthy, sessionId: "s" }, { extras: "strip" })
    const expected = structuredClone(healthy) as { messages: { seen?: number; content: object[] }[] }
    delete expected.messages[0]?.seen
    const call = expected.messages[1]?.content[3] as { toolUse: { extra?: boolean } }
    delete call.toolUse.extra
    expect(stripped).toEqual(expected)
  })
})
