import { describe, expect, it } from "vitest"
import { gemini } from "../../../src/formats/gemini/index.ts"
import { type CallBlock, type Item, type Outcome, type ResultBlock, syntheticResult, text } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const call = (id: string, name = "ls", more: Partial<CallBlock> = {}): CallBlock => ({
  type: "call",
  id,
  name,
  arguments: { path: id },
  ...more,
})
const result = (callId: string, words: string, more: Partial<ResultBlock> = {}): ResultBlock => ({
  type: "result",
  callId,
  content: [text(words)],
  ...more,
})
const done = (id: string, words: string): Outcome => ({ kind: "done", result: result(id, words) })
const user = (...words: readonly string[]): Item => ({ role: "user", blocks: words.map(text) })
const assistant = (...words: readonly string[]) => ({ role: "assistant" as const, blocks: words.map(text) })

const encode = (items: readonly Item[], options = {}) => gemini.encode(byHand({ items }), options)

describe("gemini encode of conversations from elsewhere", () => {
  it("writes all responses of an exchange in call order into the content with the user's next words", () => {
    const items: readonly Item[] = [
      { role: "system", blocks: [text("Be brief.")] },
      user("go"),
      {
        role: "exchange",
        message: { role: "assistant", blocks: [text("Looking."), call("a"), call("b", "cat")] },
        outcomes: [done("a", "x"), { kind: "failed", result: result("b", "no such file", { error: true }) }],
      },
      user("and now?"),
    ]
    expect(encode(items)).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        {
          role: "model",
          parts: [
            { text: "Looking." },
            { functionCall: { id: "a", name: "ls", args: { path: "a" } } },
            { functionCall: { id: "b", name: "cat", args: { path: "b" } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "a", name: "ls", response: { output: "x" } } },
            { functionResponse: { id: "b", name: "cat", response: { error: "no such file" } } },
            { text: "and now?" },
          ],
        },
      ],
    })
  })

  it("joins neighbours of one role and keeps their parts apart", () => {
    const items: readonly Item[] = [
      user("one"),
      user("two"),
      { role: "exchange", message: assistant("three"), outcomes: [] },
      {
        role: "exchange",
        message: { role: "assistant", blocks: [call("a")] },
        outcomes: [done("a", "x")],
        reply: assistant("four"),
      },
      { role: "exchange", message: assistant("five"), outcomes: [] },
    ]
    expect(encode(items)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "one" }, { text: "two" }] },
        { role: "model", parts: [{ text: "three" }, { functionCall: { id: "a", name: "ls", args: { path: "a" } } }] },
        { role: "user", parts: [{ functionResponse: { id: "a", name: "ls", response: { output: "x" } } }] },
        { role: "model", parts: [{ text: "four" }, { text: "five" }] },
      ],
    })
  })

  it("does not say ids that were assigned, and writes a pending call without response", () => {
    const items: readonly Item[] = [
      user("go"),
      {
        role: "exchange",
        message: { role: "assistant", blocks: [call("call_1_0", "ls", { assigned: true }), call("b")] },
        outcomes: [done("call_1_0", "x"), { kind: "pending" }],
      },
    ]
    expect(encode(items)["contents"]).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "ls", args: { path: "call_1_0" } } },
          { functionCall: { id: "b", name: "ls", args: { path: "b" } } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "x" } } }] },
    ])
  })

  it("puts media of a result beside its response, and says in words what Google cannot reach", () => {
    const content: ResultBlock["content"] = [
      text("shot"),
      { type: "media", kind: "image", source: { type: "base64", data: "AAAA" } },
      { type: "media", kind: "document", mediaType: "text/html", source: { type: "url", url: "https://e.com/a" } },
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "file", id: "file_9" } },
      { type: "opaque", kind: "search", text: "found it", native: { other: {} } },
    ]
    const items: readonly Item[] = [
      user("go"),
      {
        role: "exchange",
        message: { role: "assistant", blocks: [call("a")] },
        outcomes: [{ kind: "done", result: { type: "result", callId: "a", content } }],
      },
    ]
    expect((encode(items)["contents"] as readonly unknown[])[2]).toEqual({
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "a",
            name: "ls",
            response: { output: "shot\n[image: image/png]\nfound it" },
            parts: [
              { inlineData: { mimeType: "image/png", data: "AAAA" } },
              { fileData: { mimeType: "text/html", fileUri: "https://e.com/a" } },
            ],
          },
        },
      ],
    })
  })

  it("writes empty and invented results", () => {
    const items: readonly Item[] = [
      user("go"),
      {
        role: "exchange",
        message: { role: "assistant", blocks: [call("a"), call("b"), call("c")] },
        outcomes: [
          { kind: "done", result: { type: "result", callId: "a", content: [] } },
          { kind: "failed", result: { type: "result", callId: "b", content: [], error: true } },
          { kind: "lost", result: syntheticResult("c", "ls", "lost") },
        ],
      },
    ]
    const contents = encode(items)["contents"] as readonly { readonly parts: readonly unknown[] }[]
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: "a", name: "ls", response: { output: "" } } },
      { functionResponse: { id: "b", name: "ls", response: { error: "" } } },
      {
        functionResponse: {
          id: "c",
          name: "ls",
          response: { error: "[ligature:lost] This call ran, but its result is no longer in the history." },
        },
      },
    ])
  })

  it("leaves out what has nothing to say here, and the contents that would be empty", () => {
    const silent = { type: "opaque", kind: "cache", text: "", native: { other: {} } } as const
    const items: readonly Item[] = [
      user("go"),
      { role: "exchange", message: { role: "assistant", blocks: [text("one"), silent] }, outcomes: [] },
      { role: "user", blocks: [silent] },
      { role: "exchange", message: assistant("two"), outcomes: [] },
    ]
    expect(encode(items)["contents"]).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ text: "one" }, { text: "two" }] },
    ])
  })

  it("renders thinking from its fields, and says system text in the middle as the user", () => {
    const items: readonly Item[] = [
      user("go"),
      {
        role: "exchange",
        message: {
          role: "assistant",
          blocks: [
            { type: "thinking", text: "Hm.", signature: "s" },
            { type: "thinking", text: "", signature: "withheld", redacted: true },
            text("one"),
          ],
        },
        outcomes: [],
      },
      { role: "system", blocks: [text("Be kind.")] },
    ]
    expect(encode(items)["contents"]).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ text: "Hm.", thought: true, thoughtSignature: "s" }, { text: "one" }] },
      { role: "user", parts: [{ text: "Be kind." }] },
    ])
  })

  it("says in words what the system instruction cannot hold", () => {
    const image = { type: "media", kind: "image", source: { type: "base64", data: "AAAA" } } as const
    expect(encode([{ role: "system", blocks: [text("Be brief."), image] }])).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "[image: unknown type, 3 bytes]" }] },
      contents: [],
    })
  })

  it("puts the sentinel on the first call of each content that has no signature, in the spelling of the part", () => {
    const signed = { functionCall: { name: "ls", args: {} }, thoughtSignature: "real" }
    const snake = { function_call: { name: "ls", args: {} } }
    const none = signed.functionCall.args
    const exchange = (id: string, wire: unknown): Item => ({
      role: "exchange",
      message: {
        role: "assistant",
        blocks: [call(id, "ls", { arguments: none, assigned: true, native: { gemini: wire } }), call(`${id}2`)],
      },
      outcomes: [done(id, "x"), done(`${id}2`, "y")],
    })
    const items: readonly Item[] = [user("go"), exchange("a", signed), exchange("b", snake), exchange("c", undefined)]
    const contents = encode(items, { thoughtSignatures: true })["contents"] as readonly {
      readonly role: string
      readonly parts: readonly unknown[]
    }[]
    const plain = (id: string) => ({ functionCall: { id: `${id}2`, name: "ls", args: { path: `${id}2` } } })
    expect(contents.filter(({ role }) => role === "model").map(({ parts }) => parts)).toEqual([
      [signed, plain("a")],
      [{ ...snake, thought_signature: "skip_thought_signature_validator" }, plain("b")],
      [{ functionCall: { name: "ls", args: {} }, thoughtSignature: "skip_thought_signature_validator" }, plain("c")],
    ])
    expect((contents[1]?.parts ?? [])[0]).toBe(signed)
  })
})
