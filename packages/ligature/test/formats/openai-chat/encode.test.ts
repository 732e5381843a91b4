import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import type { EncodeOptions } from "../../../src/formats/engine/codec.ts"
import { openaiChat } from "../../../src/formats/openai-chat/index.ts"
import type { AssistantBlock, Item, ResultBlock, UserBlock } from "../../../src/model/index.ts"
import { text } from "../../../src/model/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { judges, type ProfileName } from "../../../src/testing/index.ts"
import { byHand } from "../../by-hand.ts"

const messagesOf = (items: readonly Item[], options?: EncodeOptions) => openaiChat.encode(byHand({ items }), options)["messages"]

const user = (...blocks: readonly UserBlock[]): Item => ({ role: "user", blocks })

const exchange = (blocks: readonly AssistantBlock[], ...results: readonly ResultBlock[]): Item => ({
  role: "exchange",
  message: { role: "assistant", blocks },
  outcomes: results.map((result) => ({ kind: "done", result })),
})

const call = { type: "call", id: "a", name: "f", arguments: { x: 1 } } as const
const result: ResultBlock = { type: "result", callId: "a", name: "f", content: [text("r")] }
const wireCall = { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }
const foreign = { elsewhere: { type: "text" } }
const bytes = { type: "base64", data: "AAAA" } as const
const image = { type: "media", kind: "image", mediaType: "image/png", source: bytes } as const

describe("a refusal", () => {
  it("is text for servers that have no refusals", () => {
    const said = { role: "assistant", refusal: "I will not." }
    const part = { role: "assistant", content: [{ type: "refusal", refusal: "Nor that." }] }
    const { conversation } = settle(openaiChat.decode([{ role: "user", content: "go" }, said, { role: "user", content: "and" }, part]))
    const written = (options: EncodeOptions) =>
      (openaiChat.encode(conversation, options)["messages"] as readonly unknown[]).filter((_, index) => index % 2 === 1)
    expect(written({})).toEqual([said, part])
    expect(written({ refusals: "text" })).toEqual([
      { role: "assistant", content: [{ type: "text", text: "I will not." }] },
      { role: "assistant", content: [{ type: "text", text: "Nor that." }] },
    ])
  })
})

describe("a part that OpenAI does not have", () => {
  const parts = [
    { type: "video_url", video_url: { url: "https://x/v.mp4" } },
    { type: "document_url", document_url: "https://x/a.pdf" },
  ]
  const { conversation } = settle(openaiChat.decode([{ role: "user", content: [{ type: "text", text: "look" }, ...parts] }]))
  const takers: Readonly<Record<string, readonly string[]>> = {
    kimi: ["video_url"],
    openrouter: ["video_url"],
    mistral: ["document_url"],
    "openai-chat": [],
    azure: [],
    groq: [],
    cerebras: [],
    xai: [],
    litellm: [],
  }

  it.each(Object.entries(takers))("goes to %s only where that takes it, and is described elsewhere", (name, taken) => {
    const { value } = encode(conversation, name as ProfileName)
    const [{ content }] = (value as { readonly messages: readonly [{ readonly content: readonly { readonly type: string }[] }] }).messages
    expect(content.map(({ type }) => type).filter((type) => type !== "text")).toEqual(taken)
    expect(JSON.stringify(content)).toMatch(/v\.mp4.*a\.pdf/)
    expect(judges[name as ProfileName](value)).toMatchObject({ ok: true })
  })
})

describe("a conversation of another format", () => {
  it("becomes one message per message and per result, the reply apart", () => {
    const items: readonly Item[] = [
      { role: "system", blocks: [text("sys")] },
      { role: "user", name: "ann", blocks: [{ ...text("go"), native: foreign }] },
      {
        role: "exchange",
        message: { role: "assistant", blocks: [text("I will"), call, { ...call, id: "b" }, text("look")] },
        outcomes: [
          { kind: "done", result },
          { kind: "failed", result: { ...result, callId: "b", error: true } },
        ],
        reply: { role: "assistant", blocks: [text("done")] },
      },
    ]
    expect(openaiChat.encode(byHand({ items, native: { elsewhere: { model: "m" } } }))).toEqual({
      messages: [
        { role: "system", content: "sys" },
        { role: "user", name: "ann", content: "go" },
        { role: "assistant", content: "I will\n\nlook", tool_calls: [wireCall, { ...wireCall, id: "b" }] },
        { role: "tool", tool_call_id: "a", content: "r" },
        { role: "tool", tool_call_id: "b", content: "[tool error] r" },
        { role: "assistant", content: "done" },
      ],
    })
  })

  it("writes a pending call without result", () => {
    const items: readonly Item[] = [{ role: "exchange", message: { role: "assistant", blocks: [call] }, outcomes: [{ kind: "pending" }] }]
    expect(messagesOf(items)).toEqual([{ role: "assistant", content: null, tool_calls: [wireCall] }])
  })

  it("uses the raw text of sound arguments, and only of those", () => {
    const raw = '{ "x": 1 }'
    const calls = [
      { ...call, raw },
      { ...call, raw: '"{}"', fault: "encoded" as const },
    ]
    const [message] = messagesOf([exchange(calls, result, result)]) as { tool_calls: { function: unknown }[] }[]
    expect(message?.tool_calls.map((each) => each.function)).toEqual([
      { name: "f", arguments: raw },
      { name: "f", arguments: '{"x":1}' },
    ])
  })

  it("writes a free-text call as one", () => {
    const custom = { ...call, arguments: { input: "ls" }, raw: "ls", custom: true } as const
    expect(messagesOf([exchange([custom], result)])).toMatchObject([
      { tool_calls: [{ id: "a", type: "custom", custom: { name: "f", input: "ls" } }] },
      { role: "tool" },
    ])
  })

  it("writes media of a user as parts, with the text around them", () => {
    const document = { ...image, kind: "document", mediaType: "application/pdf", name: "a.pdf" } as const
    const audio = { ...image, kind: "audio", mediaType: "audio/mpeg" } as const
    expect(messagesOf([user(text("see"), image, document, audio)])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
        ],
      },
    ])
  })

  it("leaves a note where media cannot go", () => {
    const video = { ...image, kind: "video", mediaType: "video/mp4" } as const
    const stored = { ...image, source: { type: "file", id: "file_of_elsewhere" } } as const
    expect(messagesOf([user(video, stored)])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "[video: video/mp4, 3 bytes]" },
          { type: "text", text: "[image: image/png]" },
        ],
      },
    ])
    expect(messagesOf([exchange([call], { ...result, content: [text("r"), image] })])).toMatchObject([
      {},
      { content: "r\n[image: image/png, 3 bytes]" },
    ])
  })

  it("shows the text of opaque blocks, and leaves out those without", () => {
    const opaque = { type: "opaque", kind: "search", text: "[search: x]", native: { elsewhere: {} } } as const
    const silent = { ...opaque, text: "" }
    expect(messagesOf([exchange([opaque, silent, text("y")]), exchange([silent]), user(silent)])).toEqual([
      { role: "assistant", content: "[search: x]\n\ny" },
    ])
  })

  it("says an empty result as empty text, and an invented one in its own words", () => {
    const empty = { ...result, content: [] }
    const failed = { ...empty, error: true } as const
    const invented = { ...result, content: [text("[ligature:lost] x")], error: true, synthetic: "lost" } as const
    const written = messagesOf([exchange([call, call, call], empty, failed, invented)]) as { content: unknown }[]
    expect(written.slice(1).map((message) => message.content)).toEqual(["", "[tool error] ", "[ligature:lost] x"])
  })
})

describe("options of the wire", () => {
  const bare = exchange([call], result)
  const thinking = { type: "thinking", text: "why" } as const

  it.each([
    [undefined, null],
    ["null", null],
    ["empty", ""],
    ["filler", "(empty)"],
  ] as const)("callContent %s writes %j where a call is alone", (callContent, content) => {
    const options = callContent === undefined ? {} : { callContent }
    expect(messagesOf([bare], options)).toMatchObject([{ role: "assistant", content }, {}])
  })

  it("reasoning: kept, required on every message, or left out", () => {
    const items = [exchange([thinking, text("x")]), exchange([text("y")]), bare]
    const fields = (options: EncodeOptions) =>
      (messagesOf(items, options) as Record<string, unknown>[])
        .filter((message) => message["role"] === "assistant")
        .map((message) => message["reasoning_content"])
    expect(fields({})).toEqual(["why", undefined, undefined])
    expect(fields({ reasoning: "require" })).toEqual(["why", "", " "])
    expect(fields({ reasoning: "omit" })).toEqual([undefined, undefined, undefined])
  })

  it("reasoning: where one field is required, the others go", () => {
    const message = { role: "assistant", content: "x", reasoning: "why", reasoning_details: [{ text: "why" }] }
    const native = { "openai-chat": message }
    const [block] = openaiChat.decode([message]).messages[0]?.blocks ?? []
    const item = { role: "exchange", message: { role: "assistant", blocks: [block, text("x")], native }, outcomes: [] }
    expect(messagesOf([item as Item], { reasoning: "require" })).toEqual([{ role: "assistant", content: "x", reasoning_content: "why" }])
    expect(messagesOf([item as Item])).toEqual([message])
  })

  it("plainContent joins parts into one text", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]
    const blocks = parts.map((part) => ({ ...text(part.text), native: { "openai-chat": part } }))
    expect(messagesOf([user(...blocks)])).toEqual([{ role: "user", content: parts }])
    expect(messagesOf([user(...blocks, image)], { plainContent: true })).toEqual([
      { role: "user", content: "a\n\nb\n\n[image: image/png, 3 bytes]" },
    ])
  })

  it("objectArguments writes objects and names the tool on results", () => {
    expect(messagesOf([bare], { objectArguments: true })).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: { x: 1 } } }],
      },
      { role: "tool", tool_call_id: "a", tool_name: "f", content: "r" },
    ])
  })

  it("resultName names the tool on results", () => {
    expect(messagesOf([bare], { resultName: true })).toMatchObject([{}, { role: "tool", name: "f" }])
  })

  it("extras strip leaves only what the format knows", () => {
    const list = [
      { role: "user", content: [{ type: "text", text: "a", cache_control: {} }, { type: "hologram" }], id: "1" },
      {
        role: "assistant",
        content: [
          { type: "think", think: "hm" },
          { type: "text", text: "b" },
        ],
        tool_calls: [{ ...wireCall, index: 0 }],
        thinking_blocks: null,
        refusal: null,
      },
      { role: "tool", tool_call_id: "a", content: "r", took_ms: 1 },
    ]
    const read = openaiChat.decode({ messages: list, cost: 1, temperature: 0 })
    const [first, second, third] = read.messages
    const outcome = { kind: "done", result: third?.blocks[0] }
    const items = [first, { role: "exchange", message: second, outcomes: [outcome] }] as unknown as readonly Item[]
    const conversation = byHand({ items, ...(read.native && { native: read.native }) })
    expect(openaiChat.encode(conversation, { extras: "strip" })).toEqual({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: '{"type":"hologram"}' },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "text", text: "b" }],
          reasoning_content: "hm",
          tool_calls: [wireCall],
        },
        { role: "tool", tool_call_id: "a", content: "r" },
      ],
      temperature: 0,
    })
  })
})

it("writes the name of a result as it is now, where the message had one", () => {
  const wire = { role: "tool", tool_call_id: "a", name: "g", content: "r" }
  const [, said] = messagesOf([exchange([call], { ...result, native: { "openai-chat": wire } })]) as readonly unknown[]
  expect(said).toEqual({ ...wire, name: "f" })
})
