import { describe, expect, it } from "vitest"
import { bedrockConverse } from "../../../src/formats/bedrock-converse/index.ts"

const native = (wire: unknown) => ({ "bedrock-converse": wire })
const blocksOf = (...content: readonly unknown[]) => bedrockConverse.decode([{ role: "assistant", content }]).messages[0]?.blocks

describe("bedrock-converse decode", () => {
  it("reads a request with every kind of block", () => {
    const system = [{ text: "Be brief." }, { cachePoint: { type: "default" } }]
    const image = { image: { format: "jpeg", source: { bytes: "AAAA" } } }
    const pdf = { document: { name: "report", format: "pdf", source: { s3Location: { uri: "s3://b/r.pdf" } } } }
    const note = { document: { name: "note", format: "txt", source: { text: "remember" } } }
    const guard = { guardContent: { text: { text: "guarded" } } }
    const user = { role: "user", content: [{ text: "hi" }, image, pdf, note, guard] }
    const thought = { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } }
    const withheld = { reasoningContent: { redactedContent: "cmVk" } }
    const cited = { citationsContent: { content: [{ text: "It is so." }], citations: [{ title: "Book" }] } }
    const call = { toolUse: { toolUseId: "t1", name: "ls", input: { path: "." } } }
    const search = { toolUse: { toolUseId: "s1", name: "search", input: { q: "x" }, type: "server_tool_use" } }
    const found = { toolResult: { toolUseId: "s1", content: [{ text: "hit" }], type: "search_result" } }
    const assistant = { role: "assistant", content: [thought, withheld, cited, search, found, call] }
    const json = { json: { a: [1] } }
    const hit = { searchResult: { title: "T", source: "https://e.com", content: [{ text: "words" }] } }
    const result = { toolResult: { toolUseId: "t1", content: [{ text: "x" }, json, image, hit], status: "error" } }
    const answer = { role: "user", content: [result, { cachePoint: { type: "default" } }] }
    const body = { modelId: "anthropic.claude", system, messages: [user, assistant, answer], toolConfig: {} }
    const picture = {
      type: "media",
      kind: "image",
      mediaType: "image/jpeg",
      source: { type: "base64", data: "AAAA" },
      native: native(image),
    }
    const mark = { type: "opaque", kind: "cachePoint", text: "", native: native({ cachePoint: { type: "default" } }) }
    expect(bedrockConverse.decode(body, { lines: [3, 4, 5] })).toEqual({
      format: "bedrock-converse",
      native: native(body),
      origin: { provider: "bedrock-converse", model: "anthropic.claude" },
      messages: [
        {
          role: "system",
          blocks: [{ type: "text", text: "Be brief.", native: native({ text: "Be brief." }) }, mark],
          native: native({ system }),
        },
        {
          role: "user",
          line: 3,
          native: native(user),
          blocks: [
            { type: "text", text: "hi", native: native({ text: "hi" }) },
            picture,
            {
              type: "media",
              kind: "document",
              mediaType: "application/pdf",
              name: "report",
              source: { type: "file", id: "s3://b/r.pdf" },
              native: native(pdf),
            },
            { type: "opaque", kind: "document", text: "remember", native: native(note) },
            { type: "opaque", kind: "guardContent", text: "guarded", native: native(guard) },
          ],
        },
        {
          role: "assistant",
          line: 4,
          native: native(assistant),
          blocks: [
            { type: "thinking", text: "Hm.", signature: "s", native: native(thought) },
            { type: "thinking", text: "", signature: "cmVk", redacted: true, native: native(withheld) },
            { type: "opaque", kind: "citationsContent", text: "It is so.\n[1] Book", native: native(cited) },
            {
              type: "opaque",
              kind: "toolUse",
              span: "s1",
              half: "call",
              text: '[search: {"q":"x"}]',
              native: native(search),
            },
            { type: "opaque", kind: "toolResult", span: "s1", half: "result", text: "hit", native: native(found) },
            { type: "call", id: "t1", name: "ls", arguments: { path: "." }, native: native(call) },
          ],
        },
        {
          role: "user",
          line: 5,
          native: native(answer),
          blocks: [
            {
              type: "result",
              callId: "t1",
              error: true,
              content: [
                { type: "text", text: "x", native: native({ text: "x" }) },
                { type: "text", text: '{"a":[1]}', native: native(json) },
                picture,
                { type: "opaque", kind: "searchResult", text: "T\nhttps://e.com\nwords", native: native(hit) },
              ],
              native: native(result),
            },
            mark,
          ],
        },
      ],
    })
  })

  it("reads byte arrays, as the SDK holds them", () => {
    const sources = [[], [1], [1, 2], [1, 2, 3], [255, 254, 253, 252]].map((bytes) => new Uint8Array(bytes))
    const blocks = blocksOf(...sources.map((bytes) => ({ image: { format: "png", source: { bytes } } })))
    expect(blocks?.map((block) => block.type === "media" && block.source)).toEqual(
      sources.map((bytes) => ({ type: "base64", data: Buffer.from(bytes).toString("base64") })),
    )
  })

  it("reads an error mark and an invented result", () => {
    const marked = { toolResult: { toolUseId: "a", content: [{ text: "[tool error] boom" }] } }
    const lost = "[ligature:lost] This call ran, but its result is no longer in the history."
    const invented = { toolResult: { toolUseId: "b", content: [{ text: lost }], status: "error" } }
    expect(blocksOf(marked, invented)).toEqual([
      {
        type: "result",
        callId: "a",
        content: [{ type: "text", text: "boom", native: native({ text: "[tool error] boom" }) }],
        error: true,
        native: native(marked),
      },
      {
        type: "result",
        callId: "b",
        content: [{ type: "text", text: lost, native: native({ text: lost }) }],
        error: true,
        synthetic: "lost",
        native: native(invented),
      },
    ])
  })

  it("reads and reports shapes whose meaning is plain", () => {
    const body = {
      system: "S",
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ text: "a", toolUse: { toolUseId: "t", name: "f", input: {} } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t" } }] },
      ],
    }
    const { messages, diagnostics } = bedrockConverse.decode(body)
    expect(messages.map(({ role, blocks }) => [role, ...blocks.map((block) => block.type)])).toEqual([
      ["system", "text"],
      ["user", "text"],
      ["assistant", "text", "call"],
      ["user", "result"],
    ])
    expect(diagnostics?.map(({ what, place }) => `${place.path}: ${what}`)).toEqual([
      "system: Expected a list of blocks, got a string",
      "messages[0]: Expected a list of blocks, got a string",
      "messages[1]: Expected one key in a block, got several",
      "messages[2]: Expected a list as content of result t",
    ])
  })

  it("reports roles that do not alternate and documents of one name", () => {
    const document = { document: { name: "d", format: "pdf", source: { bytes: "AA" } } }
    const { diagnostics } = bedrockConverse.decode([
      { role: "user", content: [{ text: "a" }, document] },
      { role: "user", content: [{ text: "b" }, document] },
    ])
    expect(diagnostics?.map(({ what, repair }) => `${what}: ${repair?.what}`)).toEqual([
      "Expected roles to alternate, got user twice: joined with the one before",
      "Expected document names to be unique, got d again: gave it another name",
    ])
  })

  it("keeps and reports what is not of the format", () => {
    const { messages, diagnostics } = bedrockConverse.decode([7, { role: "assistant", content: [null, {}] }])
    const malformed = (value: unknown) => ({
      type: "opaque",
      kind: "malformed",
      text: JSON.stringify(value),
      native: native(value),
    })
    expect(messages.map(({ blocks }) => blocks)).toEqual([[malformed(7)], [malformed(null), malformed({})]])
    expect(diagnostics?.map(({ rule, place }) => [rule, place.message])).toEqual([
      ["malformed-message", 0],
      ["malformed-message", 1],
      ["malformed-message", 1],
    ])
  })
})
