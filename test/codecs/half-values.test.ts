/** Values with half their fields, as torn files have them: what cannot be sent is said in words, and the rest is kept. */
import { describe, expect, it } from "vitest"
import { convert } from "../../src/codecs/index.ts"
import { judges } from "../../src/testing/index.ts"

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
      { role: "user", content: [{ type: "text", text: "Look" }, { type: "text", text: JSON.stringify(image) }] },
    ])
  })

  it("lose half a character also in the reasoning beside a message", () => {
    for (const field of ["reasoning_content", "reasoning"]) {
      const spoken = { role: "assistant", content: "y", [field]: "a\ud800b" }
      const request = { messages: [{ role: "user", content: "x" }, spoken, { role: "user", content: "z" }] }
      const { value } = convert(request, { from: "openai-chat", to: "openai-chat" })
      expect((value["messages"] as readonly unknown[])[1]).toEqual({ ...spoken, [field]: "a\ufffdb" })
    }
  })

  it("keep a source of a kind nobody here knows", () => {
    const image = { type: "image", source: { type: "s3", uri: "s3://b/k" } }
    const messages = [{ role: "user", content: [image] }]
    expect(convert({ messages }, { from: "anthropic", to: "anthropic" }).value).toEqual({ messages })
  })
})
