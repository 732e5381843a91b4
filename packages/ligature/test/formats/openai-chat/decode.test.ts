import { describe, expect, it } from "vitest"
import { openaiChat } from "../../../src/formats/openai-chat/index.ts"
import { syntheticTexts } from "../../../src/model/index.ts"

const { decode } = openaiChat

/** The blocks of the only message. */
const blocksOf = (message: unknown) => decode([message]).messages[0]?.blocks

const native = (wire: unknown) => ({ native: { "openai-chat": wire } })

describe("decoding a healthy request", () => {
  it("reads every role into one transcript and keeps the envelope", () => {
    const call = { id: "call_1", type: "function", function: { name: "ls", arguments: '{"path": "."}' } }
    const system = { role: "developer", content: "be brief" }
    const user = { role: "user", name: "ann", content: "list" }
    const assistant = { role: "assistant", content: null, tool_calls: [call] }
    const tool = { role: "tool", tool_call_id: "call_1", name: "ls", content: "a b" }
    const reply = { role: "assistant", content: "a and b" }
    const body = { model: "gpt-x", messages: [system, user, assistant, tool, reply], temperature: 0 }
    expect(decode(body, { source: "x.json" })).toEqual({
      format: "openai-chat",
      source: "x.json",
      origin: { provider: "openai-chat", model: "gpt-x" },
      ...native(body),
      messages: [
        { role: "system", blocks: [{ type: "text", text: "be brief" }], ...native(system) },
        { role: "user", name: "ann", blocks: [{ type: "text", text: "list" }], ...native(user) },
        {
          role: "assistant",
          blocks: [{ type: "call", id: "call_1", name: "ls", arguments: { path: "." }, raw: '{"path": "."}', ...native(call) }],
          ...native(assistant),
        },
        {
          role: "tool",
          blocks: [{ type: "result", callId: "call_1", name: "ls", content: [{ type: "text", text: "a b" }], ...native(tool) }],
          ...native(tool),
        },
        { role: "assistant", blocks: [{ type: "text", text: "a and b" }], ...native(reply) },
      ],
    })
  })

  it("refers to the wire values it read, without copies", () => {
    const part = { type: "text", text: "x" }
    const message = { role: "user", content: [part] }
    const read = decode([message]).messages[0]
    expect(read?.native?.["openai-chat"]).toBe(message)
    expect(read?.blocks[0]?.native?.["openai-chat"]).toBe(part)
  })

  it("notes the line of each message of a JSONL source", () => {
    const list = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ]
    expect(decode(list, { lines: [1, 4] }).messages.map((message) => message.line)).toEqual([1, 4])
  })
})

describe("content parts", () => {
  it("reads text, images, audio and files", () => {
    const parts = [
      { type: "text", text: "look", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
      { type: "image_url", image_url: { url: "https://x/y.png" } },
      { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CCCC" } },
      { type: "file", file: { file_id: "file-1" } },
    ]
    expect(blocksOf({ role: "user", content: parts })).toEqual([
      { type: "text", text: "look", ...native(parts[0]) },
      {
        type: "media",
        kind: "image",
        mediaType: "image/png",
        source: { type: "base64", data: "AAAA" },
        ...native(parts[1]),
      },
      { type: "media", kind: "image", source: { type: "url", url: "https://x/y.png" }, ...native(parts[2]) },
      {
        type: "media",
        kind: "audio",
        mediaType: "audio/mpeg",
        source: { type: "base64", data: "BBBB" },
        ...native(parts[3]),
      },
      {
        type: "media",
        kind: "document",
        mediaType: "application/pdf",
        name: "a.pdf",
        source: { type: "base64", data: "CCCC" },
        ...native(parts[4]),
      },
      { type: "media", kind: "file", source: { type: "file", id: "file-1" }, ...native(parts[5]) },
    ])
  })

  it("reads thinking that servers put among the parts", () => {
    const parts = [
      { type: "think", think: "hm", encrypted: "sig" },
      {
        type: "thinking",
        thinking: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]
    expect(blocksOf({ role: "assistant", content: parts })).toEqual([
      { type: "thinking", text: "hm", signature: "sig", ...native(parts[0]) },
      { type: "thinking", text: "ab", ...native(parts[1]) },
    ])
  })

  it("keeps a part of unknown type verbatim", () => {
    const part = { type: "hologram", depth: 3 }
    expect(blocksOf({ role: "user", content: [part] })).toEqual([
      { type: "opaque", kind: "hologram", text: '{"type":"hologram","depth":3}', ...native(part) },
    ])
  })
})

describe("what is beside the content", () => {
  it("reads a refusal as text, in its field and as a part", () => {
    const part = { type: "refusal", refusal: "never" }
    expect(blocksOf({ role: "assistant", content: [part], refusal: "no" })).toEqual([
      { type: "text", text: "never", ...native(part) },
      { type: "text", text: "no", ...native({ refusal: "no" }) },
    ])
  })

  it("keeps a reference to audio for its origin, and its words for others", () => {
    const audio = { id: "audio_1", transcript: "hello" }
    expect(blocksOf({ role: "assistant", content: null, audio })).toEqual([
      { type: "opaque", kind: "audio", text: "hello", ...native({ audio }) },
    ])
  })

  it("reads reasoning_content before text and calls", () => {
    expect(blocksOf({ role: "assistant", content: "x", reasoning_content: "why" })).toEqual([
      { type: "thinking", text: "why", ...native({ reasoning_content: "why" }) },
      { type: "text", text: "x" },
    ])
  })

  it("reads all reasoning fields of a message as one thinking block, the detailed one first", () => {
    const reasoning_details = [
      { type: "reasoning.text", text: "a", signature: "s" },
      { type: "reasoning.summary", summary: "b" },
      { type: "reasoning.encrypted", data: "e" },
    ]
    expect(blocksOf({ role: "assistant", content: "x", reasoning: "a b", reasoning_details })?.[0]).toEqual({
      type: "thinking",
      text: "a\nb",
      signature: "s",
      ...native({ reasoning_details, reasoning: "a b" }),
    })
  })

  it("says that reasoning is withheld where only its proof is there", () => {
    const reasoning_details = [{ type: "reasoning.encrypted", data: "e" }]
    expect(blocksOf({ role: "assistant", content: "x", reasoning_details })?.[0]).toEqual({
      type: "thinking",
      text: "",
      signature: "e",
      redacted: true,
      ...native({ reasoning_details }),
    })
  })

  it.each([{ reasoning_content: "" }, { reasoning: null }, { reasoning_details: [] }, { thinking_blocks: null }])(
    "finds no thinking in %j",
    (fields) => {
      expect(blocksOf({ role: "assistant", content: "x", ...fields })).toEqual([{ type: "text", text: "x" }])
    },
  )
})

describe("calls", () => {
  const callOf = (call: unknown) => blocksOf({ role: "assistant", content: "", tool_calls: [call] })?.[0]

  it("reads a free-text call with its text as argument", () => {
    const wire = { id: "c", type: "custom", custom: { name: "sh", input: "ls -l" } }
    expect(callOf(wire)).toEqual({
      type: "call",
      id: "c",
      name: "sh",
      arguments: { input: "ls -l" },
      raw: "ls -l",
      custom: true,
      ...native(wire),
    })
  })

  it.each([
    ['{"a', {}, "unparsable"],
    ["[1]", {}, "not-object"],
    ["", {}, "empty"],
    ['"{\\"a\\":1}"', { a: 1 }, "encoded"],
  ])("keeps the unsound arguments %j as they are", (raw, value, fault) => {
    const wire = { id: "c", type: "function", function: { name: "f", arguments: raw } }
    expect(callOf(wire)).toEqual({ type: "call", id: "c", name: "f", arguments: value, raw, fault, ...native(wire) })
  })

  it("takes arguments that are an object, and reports them", () => {
    const wire = { id: "c", type: "function", function: { name: "f", arguments: { a: 1 } } }
    expect(callOf(wire)).toEqual({ type: "call", id: "c", name: "f", arguments: { a: 1 }, ...native(wire) })
    const read = decode([{ role: "assistant", content: "", tool_calls: [wire] }])
    expect(read.diagnostics?.map(({ rule, severity }) => [rule, severity])).toEqual([["malformed-message", "warning"]])
  })

  it("gives a call without id the empty id, for the invariants to see", () => {
    const wire = { type: "function", function: { name: "f", arguments: "{}" } }
    expect(callOf(wire)).toEqual({ type: "call", id: "", name: "f", arguments: {}, raw: "{}", ...native(wire) })
  })

  it("reads the function_call of old and its result, which need no ids", () => {
    const function_call = { name: "f", arguments: "{}" }
    const assistant = { role: "assistant", content: null, function_call }
    const result = { role: "function", name: "f", content: "r" }
    const read = decode([assistant, result])
    expect(read.ids).toBe("optional")
    expect(read.messages).toEqual([
      {
        role: "assistant",
        blocks: [{ type: "call", id: "", name: "f", arguments: {}, raw: "{}", ...native(function_call) }],
        ...native(assistant),
      },
      {
        role: "tool",
        blocks: [{ type: "result", callId: "", name: "f", content: [{ type: "text", text: "r" }], ...native(result) }],
        ...native(result),
      },
    ])
  })

  it("wants ids as soon as the first call is of the present style", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } }
    expect(
      decode([
        { role: "assistant", tool_calls: [call] },
        { role: "function", name: "f" },
      ]).ids,
    ).toBeUndefined()
  })
})

describe("results", () => {
  const resultOf = (message: object) => {
    const block = blocksOf({ role: "tool", tool_call_id: "c", ...message })?.[0]
    if (block?.type !== "result") throw new Error("expected a result")
    return { ...block, native: undefined }
  }
  const result = { type: "result", callId: "c", native: undefined }

  it("takes the mark of a failure off its text", () => {
    expect(resultOf({ content: "[tool error] no such file" })).toEqual({
      ...result,
      content: [{ type: "text", text: "no such file" }],
      error: true,
    })
  })

  it("recognises an outcome that was invented", () => {
    expect(resultOf({ content: syntheticTexts.lost })).toEqual({
      ...result,
      content: [{ type: "text", text: syntheticTexts.lost }],
      error: true,
      synthetic: "lost",
    })
  })

  it("reads text parts", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]
    expect(resultOf({ content: parts }).content).toEqual(parts.map((part) => ({ ...part, ...native(part) })))
  })

  it.each([
    [{ a: 1 }, '{"a":1}'],
    [7, "7"],
    [true, "true"],
  ])("shows %j as JSON text", (content, text) => {
    expect(resultOf({ content }).content).toEqual([{ type: "text", text }])
  })

  it.each([[""], [null], [undefined], [[]]])("reads %j as nothing said", (content) => {
    expect(resultOf({ content }).content).toEqual([])
  })

  it("takes the id from tool_call_ids, and answers each of several", () => {
    expect(resultOf({ content: "r", tool_call_id: undefined, tool_call_ids: ["d"] }).callId).toBe("d")
    const several = blocksOf({ role: "tool", content: "r", tool_call_ids: ["d", "e"] })
    expect(several?.map((block) => block.type === "result" && block.callId)).toEqual(["d", "e"])
  })

  it("takes the name Ollama gives", () => {
    expect(resultOf({ content: "r", tool_name: "f" }).name).toBe("f")
  })
})

describe("what is not of the format", () => {
  it("keeps a message of unknown role verbatim and reports it", () => {
    const wire = { role: "narrator", content: "x" }
    const read = decode([{ role: "user", content: "a" }, wire], { lines: [1, 2] })
    expect(read.messages[1]).toEqual({
      role: "user",
      blocks: [{ type: "opaque", kind: "malformed", text: JSON.stringify(wire), ...native(wire) }],
      line: 2,
    })
    expect(read.diagnostics?.map(({ rule, place }) => ({ rule, place }))).toEqual([
      { rule: "malformed-message", place: { message: 1, path: "messages[1]", line: 2 } },
    ])
  })

  it("reads the role agent as assistant and reports it", () => {
    const read = decode([{ role: "agent", content: "x" }])
    expect(read.messages[0]?.role).toBe("assistant")
    expect(read.diagnostics).toHaveLength(1)
  })

  it("leaves records of bookkeeping out of the messages, keeps them, and reports them once", () => {
    const usage = { role: "_usage", token_count: 3 }
    const read = decode([{ role: "user", content: "a" }, usage, usage])
    expect(read.messages).toHaveLength(1)
    expect(read.native?.["openai-chat-records"]).toEqual([
      { index: 1, record: usage },
      { index: 2, record: usage },
    ])
    expect(read.diagnostics).toHaveLength(1)
  })

  it.each([["__proto__"], ["constructor"], [null], [7]])("does not take %j for a role", (role) => {
    expect(decode([{ role, content: "x" }]).messages[0]?.blocks[0]).toMatchObject({ type: "opaque", kind: "malformed" })
  })

  it.each([[[]], [null]])("finds no calls in tool_calls: %j", (tool_calls) => {
    expect(blocksOf({ role: "assistant", content: "x", tool_calls })).toEqual([{ type: "text", text: "x" }])
  })

  it("keeps calls that are no calls", () => {
    expect(blocksOf({ role: "assistant", tool_calls: [{}, "f()"] })).toEqual([
      { type: "opaque", kind: "malformed", text: "{}", ...native({}) },
      { type: "opaque", kind: "malformed", text: "f()", ...native("f()") },
    ])
  })
})
