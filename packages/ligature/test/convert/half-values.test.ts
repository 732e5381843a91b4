/** Values with half their fields, as torn files have them: what cannot be sent is said in words, and the rest is kept. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../src/convert/index.ts"
import { text } from "../../src/model/index.ts"
import { judges } from "../../src/testing/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

describe("half values", () => {
  it("lose an item id that is no text", () => {
    const input = [{ type: "message", id: 5, role: "user", content: "Hi" }]
    const { value } = convert({ input }, { from: "openai-responses", to: "openai-responses", extras: "strip" })
    expect(judges["openai-responses"](value)).toEqual({ ok: true })
    expect(value["input"]).toEqual([{ type: "message", role: "user", content: "Hi" }])
  })

  it("say an image without its bytes in words", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png" } }
    const messages = [{ role: "user", content: [{ type: "text", text: "Look" }, image] }]
    const { value } = convert({ max_tokens: 1, messages }, { from: "anthropic", to: "anthropic", extras: "strip" })
    expect(judges.anthropic(value)).toEqual({ ok: true })
    expect(value["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "text", text: JSON.stringify(image) },
        ],
      },
    ])
  })

  it("are found in long texts and in arguments, also where a healthy transcript was changed later", () => {
    const long = "x".repeat(400)
    const messages = (half: string) => [
      { role: "user", content: long + half },
      {
        role: "assistant",
        content: [
          { type: "text", text: long + half },
          { type: "tool_use", id: "a", name: "f", input: { of: long + half } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: long + half }] },
    ]
    const rules = (found: ReturnType<typeof check>) => found.map(({ rule }) => rule)
    expect(rules(check(decode("anthropic", messages("\ud800"))))).toEqual(Array.from({ length: 4 }, () => "lone-surrogate"))
    const healthy = decode("anthropic", messages("好"))
    expect(check(healthy)).toEqual([])
    const edited = healthy.messages.map((message) => ({
      ...message,
      blocks: message.blocks.map((block) => {
        if (block.type === "text") return { ...block, text: `${block.text}\ud800` }
        if (block.type === "call") return { ...block, arguments: { of: "\ud800" } }
        return block.type === "result" ? { ...block, content: [text(`${long}\ud800`)] } : block
      }),
    }))
    expect(rules(check({ ...healthy, messages: edited }))).toEqual(Array.from({ length: 4 }, () => "lone-surrogate"))
  })

  it("lose half a character also in the reasoning beside a message", () => {
    for (const field of ["reasoning_content", "reasoning"]) {
      const spoken = { role: "assistant", content: "y", [field]: "a\ud800b" }
      const request = { messages: [{ role: "user", content: "x" }, spoken, { role: "user", content: "z" }] }
      const { value } = repair(request, { from: "openai-chat" })
      expect((value["messages"] as readonly unknown[])[1]).toEqual({ ...spoken, [field]: "a\ufffdb" })
    }
  })

  it("show a thought that is no text, and leave it out nowhere", () => {
    const thought = { type: "thinking", thinking: { steps: ["look", "run"] }, signature: "c2ln" }
    const value = {
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [thought, { type: "text", text: "ok" }] },
      ],
    }
    expect(check(decode("anthropic", value)).map(({ rule }) => rule)).toEqual(["malformed-message"])
    for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"]) {
      expect(JSON.stringify(convert(value, { from: "anthropic", to: resolveCodec(to) }).value)).toContain("steps")
    }
  })

  it("keep a part that is newer than this reader with Gemini, and show it elsewhere", () => {
    const part = { hologram: { beam: "blue" } }
    const value = { contents: [{ role: "user", parts: [{ text: "go" }, part] }] }
    expect(check(decode("gemini", value))).toEqual([])
    expect(repair(value, { from: "gemini" }).value).toEqual(value)
    expect(JSON.stringify(convert(value, { from: "gemini", to: "openai-chat" }).value)).toContain("blue")
  })

  it("keep a value that is no content of Gemini at all", () => {
    const value = { contents: [{ role: "user", parts: [{ text: "go" }] }, { note: "the user left" }] }
    expect(check(decode("gemini", value)).map(({ rule }) => rule)).toEqual(["malformed-message"])
    for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"]) {
      expect(JSON.stringify(convert(value, { from: "gemini", to: resolveCodec(to) }).value)).toContain("the user left")
    }
  })

  it("keep a source of a kind nobody here knows", () => {
    const image = { type: "image", source: { type: "s3", uri: "s3://b/k" } }
    const messages = [{ role: "user", content: [image] }]
    expect(convert({ messages }, { from: "anthropic", to: "anthropic" }).value).toEqual({ messages })
  })
})
