import { describe, expect, it } from "vitest"
import { convert, repair } from "../../../src/convert/index.ts"
import { openDocument } from "../../../src/document/index.ts"
import { otelMessages } from "../../../src/formats/otel-messages/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { callsOf, text } from "../../../src/model/index.ts"

const { decode, encode } = otelMessages

const turn = (value: unknown) => encode(settle(decode(value), { tip: "open" }).conversation)

const native = (wire: unknown) => ({ native: { "otel-messages": wire } })

const part = {
  ask: { type: "text", content: "Which port?" },
  think: { type: "reasoning", content: "I look it up." },
  call: { type: "tool_call", id: "c1", name: "read_file", arguments: { path: "a.ts" } },
  answer: { type: "tool_call_response", id: "c1", response: "port 8080" },
  reply: { type: "text", content: "8080" },
} as const

const asked = { role: "user", parts: [part.ask] }
const called = { role: "assistant", parts: [part.think, part.call] }
const answered = { role: "tool", parts: [part.answer] }
const replied = { role: "assistant", parts: [part.reply], finish_reason: "stop" }
const input = [asked, called, answered]

describe("decoding", () => {
  it("reads parts into blocks", () => {
    expect(decode(input, { source: "x" })).toEqual({
      format: "otel-messages",
      source: "x",
      ids: "optional",
      ...native({}),
      messages: [
        { role: "user", blocks: [{ ...text("Which port?"), ...native(part.ask) }], ...native(asked) },
        {
          role: "assistant",
          blocks: [
            { type: "thinking", text: "I look it up.", ...native(part.think) },
            { type: "call", id: "c1", name: "read_file", arguments: { path: "a.ts" }, ...native(part.call) },
          ],
          ...native(called),
        },
        {
          role: "tool",
          blocks: [{ type: "result", callId: "c1", content: [text("port 8080")], ...native(part.answer) }],
          ...native(answered),
        },
      ],
    })
  })

  it("reads media by its data, its address and its id", () => {
    const parts = [
      { type: "blob", modality: "image", mime_type: "image/png", content: "AAAA" },
      { type: "uri", modality: "video", uri: "https://example.com/v.mp4" },
      { type: "file", modality: "document", file_id: "file_1" },
    ]
    expect(decode([{ role: "user", parts }]).messages[0]?.blocks).toEqual([
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "AAAA" }, ...native(parts[0]) },
      { type: "media", kind: "video", source: { type: "url", url: "https://example.com/v.mp4" }, ...native(parts[1]) },
      { type: "media", kind: "document", source: { type: "file", id: "file_1" }, ...native(parts[2]) },
    ])
  })

  it("keeps server tools, compactions and parts of tomorrow as opaque blocks", () => {
    const parts = [
      { type: "server_tool_call", id: "s1", name: "web_search", server_tool_call: { type: "web_search", query: "x" } },
      { type: "server_tool_call_response", id: "s1", server_tool_call_response: { type: "web_search", found: 1 } },
      { type: "compaction", content: "What happened before." },
      { type: "hologram", depth: 3 },
    ]
    const value = [asked, { role: "assistant", parts }]
    expect(decode(value).messages[1]?.blocks.map((block) => block.type === "opaque" && [block.kind, block.span, block.half])).toEqual([
      ["server_tool_call", "s1", "call"],
      ["server_tool_call_response", "s1", "result"],
      ["compaction", undefined, undefined],
      ["hologram", undefined, undefined],
    ])
    expect(turn(value)["gen_ai.input.messages"]).toEqual(value)
  })

  it("reads arguments that are JSON text, or missing, without finding fault", () => {
    const calls = [
      { type: "tool_call", name: "a", arguments: '{"x":1}' },
      { type: "tool_call", name: "b", arguments: null },
      { type: "tool_call", name: "c" },
    ]
    const value = [asked, { role: "assistant", parts: calls }]
    expect(decode(value).messages[1]?.blocks.map((block) => block.type === "call" && block.arguments)).toEqual([{ x: 1 }, {}, {}])
    expect(check(decode(value), { tip: "open" })).toEqual([])
    expect(turn(value)["gen_ai.input.messages"]).toEqual(value)
  })

  it("shows a structured response as JSON, and what a tool printed in the shape of a call stays text", () => {
    for (const response of [{ ok: true }, [{ type: "tool_call", id: "x", name: "rm", arguments: {} }], 7, false]) {
      const value = [asked, called, { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response }] }]
      const [result] = decode(value).messages[2]?.blocks ?? []
      expect(result).toMatchObject({ type: "result", content: [text(JSON.stringify(response))], structured: true })
      expect(turn(value)["gen_ai.input.messages"]).toEqual(value)
    }
  })
})

describe("shapes that are not of the format", () => {
  const repaired = (messages: readonly unknown[]) => repair({ "gen_ai.input.messages": messages }, { from: "otel-messages" })

  it.each([
    ["a text in place of parts", { role: "user", parts: "hello there" }],
    ["one part in place of a list", { role: "user", parts: { type: "text", content: "hello there" } }],
    ["a part without its type", { role: "user", parts: [{ content: "hello there", tyPe: "text" }] }],
    ["the content of another API", { role: "user", content: "hello there" }],
  ])("are written as the format has them, once: %s", (_, message) => {
    const { value, report } = repaired([message])
    expect(report.entries.map(({ rule }) => rule)).toEqual(["malformed-message"])
    expect(JSON.stringify(value)).toContain('"content":"hello there"')
    expect(repair(value, { from: "otel-messages" })).toMatchObject({ value, report: { entries: [] } })
  })

  it("are ids that are no text: the call gets that of its result", () => {
    const { value } = repaired([
      asked,
      { role: "assistant", parts: [{ ...part.call, id: ["c1"] }] },
      { role: "tool", parts: [part.answer] },
    ])
    expect(value["gen_ai.input.messages"]).toEqual([asked, { role: "assistant", parts: [part.call] }, answered])
  })

  it("are bytes of which nobody says what they are: they stay, and reach no provider as media", () => {
    const blob = { type: "blob", content: "AAAA" }
    expect(decode([{ role: "user", parts: [part.ask, blob] }]).messages[0]?.blocks[1]).toMatchObject({ type: "opaque", kind: "blob" })
  })

  it("keep the reason for which an answer ended", () => {
    const answer = { role: "assistant", content: "8080", finish_reason: "stop" }
    const { value } = repair({ "gen_ai.input.messages": [asked], "gen_ai.output.messages": [answer] }, { from: "otel-messages" })
    expect(value["gen_ai.output.messages"]).toEqual([replied])
  })
})

describe("attributes of a span", () => {
  const instructions = [{ type: "text", content: "Be brief." }]
  const attributes = {
    "gen_ai.system_instructions": instructions,
    "gen_ai.input.messages": input,
    "gen_ai.output.messages": [replied],
    "gen_ai.request.model": "m",
  }

  it("are one history, and go back into the lists they came in", () => {
    const { messages } = decode(attributes)
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant"])
    expect(turn(attributes)).toEqual(attributes)
    expect(turn({ traceId: "t", attributes })).toEqual({ traceId: "t", attributes })
  })

  it("say nothing where they are empty, and stay so", () => {
    const empty = { "gen_ai.system_instructions": "", "gen_ai.input.messages": [asked] }
    expect(repair(empty, { from: "otel-messages" })).toMatchObject({ value: empty, report: { entries: [] } })
  })

  it("are read from JSON text, which stays as it was written where nothing changed", () => {
    const written = {
      "gen_ai.system_instructions": JSON.stringify(instructions, null, 1),
      "gen_ai.input.messages": JSON.stringify(input, null, 1),
      "gen_ai.output.messages": JSON.stringify([replied], null, 1),
    }
    expect(turn(written)).toEqual(written)
    const orphaned = { ...written, "gen_ai.input.messages": JSON.stringify([asked, answered]) }
    const { value, report } = repair(orphaned, { from: "otel-messages" })
    expect(report.entries.map(({ rule }) => rule)).toEqual(["orphan-result"])
    expect(typeof value["gen_ai.input.messages"]).toBe("string")
    expect(value["gen_ai.output.messages"]).toBe(written["gen_ai.output.messages"])
  })

  it("are found in files of spans, and rebuilt in place", () => {
    const span = { name: "chat", attributes: { ...attributes, "gen_ai.input.messages": JSON.stringify([asked, called]) } }
    const file = JSON.stringify({ resourceSpans: [{ spans: [span, { name: "other", attributes: { a: 1 } }] }] }, null, 2)
    const document = openDocument(file)
    expect(document.parts.map(({ format, certainty }) => [format, certainty])).toEqual([["otel-messages", "certain"]])
    const [found] = document.parts
    if (!found) throw new Error("expected a part")
    expect(document.rebuild(new Map([[found, found.value]]))).toBe(file)
    const { value } = repair(found.value, { from: "otel-messages" })
    const rebuilt = JSON.parse(document.rebuild(new Map([[found, value]]))) as { resourceSpans: [{ spans: [typeof span] }] }
    const messages = JSON.parse(rebuilt.resourceSpans[0].spans[0].attributes["gen_ai.input.messages"]) as unknown[]
    expect(messages.length).toBe(3)
    expect(rebuilt.resourceSpans[0].spans[0].attributes["gen_ai.request.model"]).toBe("m")
  })
})

describe("detection", () => {
  it("takes typed parts with content for this format and for no other", () => {
    expect(openDocument(JSON.stringify(input)).parts.map(({ format, certainty }) => `${format} ${certainty}`)).toEqual([
      "otel-messages certain",
    ])
    expect(openDocument(JSON.stringify([asked])).parts.map(({ format }) => format)).toEqual(["otel-messages"])
    expect(openDocument(JSON.stringify(attributesText)).parts.map(({ format }) => format)).toEqual(["otel-messages"])
  })
})

const attributesText = { "gen_ai.output.messages": JSON.stringify([replied]) }

describe("converting", () => {
  it("makes calls of calls and results of results, to a provider and back", () => {
    const { value, conversation } = convert(input, { from: "otel-messages", to: "anthropic" })
    expect(conversation.items.flatMap((item) => (item.role === "exchange" ? callsOf(item).map(({ name }) => name) : []))).toEqual([
      "read_file",
    ])
    expect(JSON.stringify(value)).toContain('"tool_use"')
    const back = convert(value, { from: "anthropic", to: "otel-messages" }).value["gen_ai.input.messages"]
    expect(back).toEqual([asked, { role: "assistant", parts: [part.call] }, answered])
  })

  it("says by a mark that a result failed, and puts media of a result into a list of parts", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" }
    const messages = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "x", input: {} },
          { type: "tool_use", id: "b", name: "y", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "no", is_error: true },
          {
            type: "tool_result",
            tool_use_id: "b",
            content: [
              { type: "text", text: "see" },
              { type: "image", source },
            ],
          },
        ],
      },
    ]
    const { value } = convert({ messages }, { from: "anthropic", to: "otel-messages" })
    const [, , results] = value["gen_ai.input.messages"] as readonly { parts: readonly unknown[] }[]
    expect(results?.parts).toEqual([
      { type: "tool_call_response", id: "a", response: "[tool error] no" },
      {
        type: "tool_call_response",
        id: "b",
        response: [
          { type: "text", content: "see" },
          { type: "blob", mime_type: "image/png", modality: "image", content: "AAAA" },
        ],
      },
    ])
    const [, read] = decode(value).messages.slice(1)
    expect(read?.blocks.map((block) => block.type === "result" && [block.error, block.content.map(({ type }) => type)])).toEqual([
      [true, ["text"]],
      [undefined, ["text", "media"]],
    ])
  })
})
