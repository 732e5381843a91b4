import { describe, expect, it } from "vitest"
import { bedrockConverse } from "../../../src/formats/bedrock-converse/index.ts"
import { anthropic } from "../../../src/formats/anthropic/index.ts"
import { settle } from "../../../src/rules/judge/settle.ts"
import { type Item, type MediaBlock, type Outcome, text } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const user = (...words: readonly string[]): Item => ({ role: "user", blocks: words.map(text) })
const call = (id: string) => ({ type: "call" as const, id, name: "ls", arguments: { path: id } })
const wireCall = (id: string) => ({ toolUse: { toolUseId: id, name: "ls", input: { path: id } } })
const failed: Outcome = {
  kind: "failed",
  result: { type: "result", callId: "b", content: [text("boom")], error: true },
}
const encode = (items: readonly Item[], options = {}) => bedrockConverse.encode(byHand({ items }), options)

const items: readonly Item[] = [
  { role: "system", blocks: [text("Be brief.")] },
  user("go"),
  {
    role: "exchange",
    message: { role: "assistant", blocks: [text("Looking."), call("a"), call("b")] },
    outcomes: [{ kind: "done", result: { type: "result", callId: "a", content: [text("x"), text("y")] } }, failed],
  },
  user("and now?"),
]

describe("bedrock-converse encode of conversations from elsewhere", () => {
  it("writes results and the user's next words into one message", () => {
    expect(encode(items)).toEqual({
      system: [{ text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "go" }] },
        { role: "assistant", content: [{ text: "Looking." }, wireCall("a"), wireCall("b")] },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "a", content: [{ text: "x" }, { text: "y" }] } },
            { toolResult: { toolUseId: "b", content: [{ text: "boom" }], status: "error" } },
            { text: "and now?" },
          ],
        },
      ],
    })
  })

  it("says a failure in words where the model takes no status, and reads it back", () => {
    const body = encode(items, { resultStatus: false })
    const [, , answers] = body["messages"] as readonly { readonly content: readonly unknown[] }[]
    expect(answers?.content[1]).toEqual({ toolResult: { toolUseId: "b", content: [{ text: "[tool error] boom" }] } })
    const { conversation } = settle(bedrockConverse.decode(body))
    const outcomes = conversation.items.flatMap((item) => (item.role === "exchange" ? item.outcomes : []))
    expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "failed"])
    expect(bedrockConverse.encode(conversation, { resultStatus: false })).toEqual(body)
    expect(bedrockConverse.encode(conversation)).toEqual(body)
  })

  it("gives documents valid names that are unique", () => {
    const document = (name?: string): MediaBlock => ({
      type: "media",
      kind: "document",
      mediaType: "text/plain",
      ...(name !== undefined && { name }),
      source: { type: "base64", data: "eA==" },
    })
    const own = { document: { name: "document-1", format: "pdf", source: { bytes: "AA" } } }
    const named = [
      document(),
      document("a  b/c.txt"),
      document("a b-c-txt"),
      document(),
      { ...document("document-1"), native: { "bedrock-converse": own } },
    ]
    const [message] = encode([{ role: "user", blocks: named }])["messages"] as readonly {
      readonly content: readonly { readonly document: { readonly name: string } }[]
    }[]
    expect(message?.content.map((block) => block.document.name)).toEqual([
      "document-1",
      "a b-c-txt",
      "a b-c-txt-1",
      "document-2",
      "document-1-1",
    ])
    expect(message?.content[0]).toEqual({ document: { name: "document-1", format: "txt", source: { bytes: "eA==" } } })
  })

  it("says in words what Converse cannot hold, and what an assistant may not show", () => {
    const picture: MediaBlock = { type: "media", kind: "image", source: { type: "base64", data: "AAAA" } }
    const link: MediaBlock = { type: "media", kind: "image", source: { type: "url", url: "https://e.com/a.png" } }
    const odd: MediaBlock = { ...picture, mediaType: "image/tiff" }
    const written = encode([
      { role: "user", blocks: [picture, link, odd] },
      { role: "exchange", message: { role: "assistant", blocks: [picture] }, outcomes: [] },
    ])
    expect(written["messages"]).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "png", source: { bytes: "AAAA" } } },
          { text: "[image: unknown type, https://e.com/a.png]" },
          { text: "[image: image/tiff, 3 bytes]" },
        ],
      },
      { role: "assistant", content: [{ text: "[image: unknown type, 3 bytes]" }] },
    ])
  })

  it("carries signed thinking between Anthropic's API and this one unchanged", () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "thinking", thinking: "", signature: "sig2" },
      { type: "redacted_thinking", data: "cmVk" },
      { type: "text", text: "Hello." },
    ]
    const messages = [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content },
    ]
    const there = bedrockConverse.encode(settle(anthropic.decode(messages)).conversation)
    expect(there["messages"]).toEqual([
      { role: "user", content: [{ text: "hi" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } },
          { reasoningContent: { reasoningText: { text: "", signature: "sig2" } } },
          { reasoningContent: { redactedContent: "cmVk" } },
          { text: "Hello." },
        ],
      },
    ])
    expect(anthropic.encode(settle(bedrockConverse.decode(there)).conversation)).toEqual({ messages })
  })
})
