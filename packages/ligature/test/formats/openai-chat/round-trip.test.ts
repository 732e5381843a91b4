import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openaiChat } from "../../../src/formats/openai-chat/index.ts"
import type { EncodeOptions } from "../../../src/formats/engine/codec.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { judgeOpenaiChat } from "../../../src/testing/providers/chat/variants.ts"

const { decode, encode } = openaiChat

const turn = (value: unknown, options?: EncodeOptions) => encode(settle(decode(value)).conversation, options)

const call = (id: string, text = "{}") => ({ id, type: "function", function: { name: "f", arguments: text } })

/** One of everything a healthy request may hold, with fields nobody knows in every place. */
const request = {
  vendor_flag: { a: [1] },
  model: "m",
  messages: [
    { role: "developer", content: "sys", weight: 0 },
    { role: "system", content: [{ type: "text", text: "more", cache_control: { type: "ephemeral" } }] },
    { content: "key order is kept", role: "user", name: "ann", id: "u1" },
    {
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
        { type: "input_audio", input_audio: { data: "BB", format: "wav" } },
        { type: "file", file: { file_id: "file-9" } },
        { type: "hologram", depth: 3 },
      ],
    },
    {
      role: "assistant",
      content: "",
      refusal: null,
      annotations: [],
      reasoning: "short",
      reasoning_details: [{ type: "reasoning.encrypted", data: "E", index: 0 }],
      tool_calls: [
        { ...call("c1", '{ "b": 1,  "a": 2 }'), index: 0, extra_content: { google: { thought_signature: "T" } } },
        { id: "c2", type: "custom", custom: { name: "sh", input: "ls\n" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", name: "f", content: "[tool error] it failed", took_ms: 3 },
    {
      role: "tool",
      tool_call_id: "c2",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b", n: 1 },
      ],
    },
    { role: "assistant", content: null, function_call: null, tool_calls: [call("c3")], thinking_blocks: null },
    { role: "tool", tool_call_id: "c3", content: "" },
    { role: "assistant", tool_calls: [call("c4")] },
    { role: "tool", tool_call_id: "c4", content: "done", tool_calls: null },
    { role: "assistant", content: "text", reasoning_content: "because", tool_calls: null, name: null },
    { role: "assistant", content: null, refusal: "no" },
    { role: "assistant", content: null, audio: { id: "audio_1" } },
    { role: "assistant", content: [{ type: "refusal", refusal: "part" }] },
    { role: "user", content: "bye" },
  ],
  tools: [],
}

describe("a healthy request in its own format", () => {
  it("has no findings", () => {
    expect(check(decode(request))).toEqual([])
  })

  it("comes back with the same bytes", () => {
    expect(JSON.stringify(turn(request))).toBe(JSON.stringify(request))
  })

  it("comes back with the very same message objects", () => {
    const { messages } = turn(request) as { messages: readonly unknown[] }
    expect(messages.every((message, index) => message === request.messages[index])).toBe(true)
  })

  it("keeps the style of old where it came in it", () => {
    const list = [
      { role: "user", content: "go" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "r" },
      { role: "assistant", content: "done" },
    ]
    expect(check(decode(list))).toEqual([])
    expect(turn(list)).toEqual({ messages: list })
  })
})

describe("a damaged request in its own format", () => {
  it("keeps unknown fields of what it has to patch", () => {
    const list = [
      { role: "assistant", content: "", seq: 1, tool_calls: [{ ...call("c"), index: 0 }] },
      { role: "tool", tool_call_id: "c", content: "1", seq: 2 },
      { role: "assistant", content: "", seq: 3, tool_calls: [{ ...call("c", '{"x":1}'), index: 0 }] },
      { role: "tool", tool_call_id: "c", content: "2", seq: 4 },
    ]
    const { messages } = turn(list) as { messages: readonly Record<string, unknown>[] }
    expect(messages.slice(0, 2)).toEqual(list.slice(0, 2))
    const id = messages[3]?.["tool_call_id"]
    expect(id).not.toBe("c")
    expect(messages.slice(2)).toEqual([
      { ...list[2], tool_calls: [{ ...call("c", '{"x":1}'), id, index: 0 }] },
      { ...list[3], tool_call_id: id },
    ])
  })

  it("writes shapes that strict servers refuse as they want them", () => {
    const list = [
      { role: "user", content: "go", tool_calls: null },
      { role: "agent", content: [], tool_calls: [{ id: "c", function: { name: "f", arguments: { a: 1 } } }] },
      { role: "tool", tool_call_ids: ["c"], content: { ok: true } },
      { role: "assistant", content: "done", tool_calls: [] },
    ]
    expect(turn(list)).toEqual({
      messages: [
        { role: "user", content: "go", tool_calls: null },
        { role: "assistant", content: null, tool_calls: [call("c", '{"a":1}')] },
        { role: "tool", tool_call_id: "c", content: '{"ok":true}' },
        { role: "assistant", content: "done" },
      ],
    })
  })

  it("says malformed values as text, whole", () => {
    const long = "x".repeat(5000)
    const list = [
      { role: "narrator", content: long },
      { role: "user", content: ["a", { type: "text", text: "b" }] },
    ]
    expect(turn(list)).toEqual({
      messages: [
        { role: "user", content: JSON.stringify(list[0]) },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    })
  })

  it("takes reasoning out of a message whose thinking was removed, in every field", () => {
    const message = { role: "assistant", content: "x", reasoning: "a", reasoning_details: [{ text: "a" }] }
    const { conversation } = settle(decode([message]))
    const [item] = conversation.items
    if (item?.role !== "exchange") throw new Error("expected an exchange")
    const blocks = item.message.blocks.filter((block) => block.type !== "thinking")
    const without = { ...conversation, items: [{ ...item, message: { ...item.message, blocks } }] }
    expect(encode(without as typeof conversation)).toEqual({ messages: [{ role: "assistant", content: "x" }] })
  })
})

const messageWith = (ids: readonly string[], functionCalls: readonly unknown[]) =>
  fc.oneof(
    fc.record({ role: fc.constantFrom("user", "system", "developer"), content: fc.constantFrom("x", "", null, []) }),
    fc.record(
      {
        role: fc.constantFrom("assistant", "agent"),
        content: fc.constantFrom("x", "", null, [], [{ type: "text", text: "p" }]),
        reasoning_content: fc.constantFrom("", "why"),
        refusal: fc.constantFrom(null, "no"),
        tool_calls: fc.array(
          fc.constantFrom(...ids).map((id) => call(id)),
          { maxLength: 3 },
        ),
        function_call: fc.constantFrom(...functionCalls),
      },
      { requiredKeys: ["role"] },
    ),
    fc.record({ role: fc.constant("tool"), tool_call_id: fc.constantFrom(...ids), content: fc.string() }),
    fc.record({ role: fc.constant("function"), name: fc.constant("f"), content: fc.string() }),
    fc.anything(),
  )

/** Missing ids, or calls in the style of old, which have none: not both in one list. */
const wireList = fc.oneof(
  fc.array(messageWith(["a", "b", ""], [null])),
  fc.array(messageWith(["a", "b"], [null, { name: "f", arguments: "{}" }])),
)

describe("whatever comes in", () => {
  it("never throws, and what goes out is settled", () => {
    fc.assert(
      fc.property(wireList, (list) => {
        const once = turn(list)
        expect(check(decode(once))).toEqual([])
        expect(turn(once)).toEqual(once)
        const strict = turn(list, { extras: "strip", reasoning: "omit" })
        const { messages } = strict as { messages: readonly unknown[] }
        if (messages.length > 0) expect(judgeOpenaiChat(strict)).toEqual({ ok: true })
      }),
      { numRuns: 500 },
    )
  })

  it("never throws on values that are no requests", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ messages: fc.anything() })), (value) => {
        turn(value)
        turn(value, { extras: "strip", plainContent: true, objectArguments: true, reasoning: "require" })
      }),
    )
  })

  it("leaves its input as it was", () => {
    fc.assert(
      fc.property(wireList, (list) => {
        const before = structuredClone(list)
        turn(list)
        expect(list).toEqual(before)
      }),
    )
  })
})

describe("appending", () => {
  it("never changes what was encoded before the tip", () => {
    const { messages } = request
    for (let length = 1; length < messages.length; length++) {
      const prefix = settle(decode({ messages: messages.slice(0, length) }), { tip: "open" })
      const whole = settle(decode({ messages: messages.slice(0, length + 1) }), { tip: "open" })
      const shorter = (encode(prefix.conversation)["messages"] as readonly unknown[]).slice(0, -1)
      const longer = encode(whole.conversation)["messages"] as readonly unknown[]
      expect(JSON.stringify(longer.slice(0, shorter.length))).toBe(JSON.stringify(shorter))
    }
  })
})
