import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aiSdkUi } from "../../../src/formats/ai-sdk-ui/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Item, result, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const { decode, encode } = aiSdkUi
const native = (wire: unknown) => ({ native: { "ai-sdk-ui": wire } })
const through = (value: unknown): Wire => encode(settle(decode(value)).conversation)
const open = (value: unknown): Wire => encode(settle(decode(value), { tip: "open" }).conversation)

const step = { type: "step-start" }
const healthy = {
  id: "chat-1",
  trigger: "submit-message",
  messages: [
    { id: "s", role: "system", parts: [{ type: "text", text: "Be brief." }] },
    {
      id: "u1",
      role: "user",
      metadata: { at: 1 },
      parts: [
        { type: "data-mood", data: { happy: true } },
        { type: "text", text: "Look" },
        { type: "file", mediaType: "image/png", filename: "a.png", url: "data:image/png;base64,AAAA" },
      ],
    },
    {
      id: "a1",
      role: "assistant",
      metadata: { tokens: 3 },
      parts: [
        step,
        { type: "reasoning", text: "Hm.", state: "done", providerMetadata: { anthropic: { signature: "sig" } } },
        { type: "text", text: "Looking.", state: "done" },
        { type: "tool-ls", toolCallId: "a", state: "output-available", input: { path: "." }, output: { files: 3 } },
        {
          type: "dynamic-tool",
          toolName: "rm",
          toolCallId: "b",
          state: "output-denied",
          input: { path: "x" },
          approval: { id: "ap", approved: false, reason: "No." },
        },
        { type: "tool-find", toolCallId: "w", state: "output-available", input: {}, output: 1, providerExecuted: true },
        { type: "source-url", sourceId: "1", url: "https://example.com" },
        step,
        { type: "tool-ls", toolCallId: "c", state: "output-error", input: {}, errorText: "denied", x_field: 1 },
        step,
        { type: "text", text: "Done.", state: "done" },
      ],
    },
    { id: "a2", role: "assistant", parts: [{ type: "text", text: "And more." }] },
    { id: "u2", role: "user", parts: [{ type: "text", text: "Thanks" }] },
  ],
}
const parts = healthy.messages[2]?.parts as readonly unknown[]

describe("a healthy list of UIMessages", () => {
  it("has no findings and comes back deep-equal, messages the very same", () => {
    expect(check(decode(healthy))).toEqual([])
    const back = through(healthy)
    expect(JSON.stringify(back)).toBe(JSON.stringify(healthy))
    expect(back["messages"]).toBe(healthy.messages)
  })

  it("comes back deep-equal after its conversation went through JSON", () => {
    const { conversation } = settle(decode(healthy))
    expect(encode(JSON.parse(JSON.stringify(conversation)))).toEqual(healthy)
  })

  it("only ever grows at its end", () => {
    const whole = through(healthy)["messages"] as readonly unknown[]
    for (let length = 1; length <= healthy.messages.length; length++) {
      expect(through(healthy.messages.slice(0, length))["messages"]).toEqual(whole.slice(0, length))
    }
  })
})

describe("decoding UIMessages", () => {
  it("makes an assistant message and a tool message of each step", () => {
    const shared = { id: "a1", ...native(healthy.messages[2]) }
    expect(decode(healthy).messages.slice(2, 7)).toEqual([
      {
        role: "assistant",
        blocks: [
          { type: "thinking", text: "Hm.", signature: "sig", ...native(parts[1]) },
          { type: "text", text: "Looking.", ...native(parts[2]) },
          { type: "call", id: "a", name: "ls", arguments: { path: "." }, ...native(parts[3]) },
          { type: "call", id: "b", name: "rm", arguments: { path: "x" }, ...native(parts[4]) },
          { type: "opaque", kind: "tool-find", text: "[find: {}] 1", ...native(parts[5]) },
        ],
        ...shared,
      },
      {
        role: "tool",
        blocks: [
          {
            type: "result",
            callId: "a",
            name: "ls",
            content: [{ type: "text", text: '{"files":3}' }],
            ...native(parts[3]),
          },
          {
            type: "result",
            callId: "b",
            name: "rm",
            content: [{ type: "text", text: "No." }],
            error: true,
            denied: true,
            ...native(parts[4]),
          },
        ],
        ...shared,
      },
      {
        role: "assistant",
        blocks: [{ type: "call", id: "c", name: "ls", arguments: {}, ...native(parts[8]) }],
        ...shared,
      },
      {
        role: "tool",
        blocks: [
          {
            type: "result",
            callId: "c",
            name: "ls",
            content: [{ type: "text", text: "denied" }],
            error: true,
            ...native(parts[8]),
          },
        ],
        ...shared,
      },
      { role: "assistant", blocks: [{ type: "text", text: "Done.", ...native(parts[10]) }], ...shared },
    ])
  })

  it.each([
    [{ state: "input-available", input: {} }, "running"],
    [{ state: "approval-requested", input: {}, approval: { id: "ap" } }, "approval"],
    [{ state: "approval-responded", input: {}, approval: { id: "ap", approved: true } }, "running"],
    [{ state: "approval-responded", input: {}, approval: { id: "ap", approved: false } }, "approval"],
  ])("takes %j for pending: %s, and keeps it at an open tip", (fields, pending) => {
    const messages = [{ id: "a", role: "assistant", parts: [{ type: "tool-rm", toolCallId: "x", ...fields }] }]
    expect(decode(messages).messages[0]?.blocks[0]).toMatchObject({ type: "call", pending })
    expect(check(decode(messages), { tip: "open" })).toEqual([])
    expect(open(messages)["messages"]).toEqual(messages)
  })

  it("never runs arguments that were still streaming", () => {
    const part = { type: "tool-write", toolCallId: "x", state: "input-streaming", input: { path: "a" } }
    expect(decode([{ id: "a", role: "assistant", parts: [part] }]).messages[0]?.blocks).toEqual([
      {
        type: "call",
        id: "x",
        name: "write",
        arguments: {},
        raw: '{"path":"a"}',
        fault: "unparsable",
        pending: "running",
        ...native(part),
      },
    ])
  })

  it("reads and keeps the shapes of version 4", () => {
    const invocation = { state: "result", step: 0, toolCallId: "a", toolName: "ls", args: { path: "." }, result: "x" }
    const messages = [
      {
        id: "1",
        role: "user",
        content: "Look",
        experimental_attachments: [{ name: "a.png", contentType: "image/png", url: "https://example.com/a.png" }],
      },
      {
        id: "2",
        role: "assistant",
        content: "Done.",
        parts: [{ type: "tool-invocation", toolInvocation: invocation }, step, { type: "text", text: "Done." }],
      },
      { id: "3", role: "assistant", content: "Again.", toolInvocations: [{ ...invocation, toolCallId: "b" }] },
    ]
    expect(through(messages)).toEqual({ messages })
    const [user, spoken, answered] = decode(messages).messages
    expect(user?.blocks[1]).toMatchObject({ type: "media", kind: "image", name: "a.png" })
    expect(spoken?.blocks).toMatchObject([{ type: "call", id: "a", name: "ls", arguments: { path: "." } }])
    expect(answered?.blocks).toMatchObject([{ type: "result", callId: "a", content: [{ type: "text", text: "x" }] }])
  })

  it("never throws", () => {
    const types = ["text", "file", "reasoning", "tool-ls", "dynamic-tool", "tool-invocation", "step-start", "odd"]
    const states = ["input-streaming", "input-available", "output-available", "output-error", "output-denied", "result"]
    const fields = {
      type: fc.constantFrom(...types),
      state: fc.constantFrom(...states),
      text: fc.anything(),
      toolCallId: fc.oneof(fc.constantFrom("a", "b"), fc.anything()),
      input: fc.anything(),
      output: fc.anything(),
      toolInvocation: fc.anything(),
    }
    const part = fc.oneof(fc.record(fields, { requiredKeys: [] }), fc.anything())
    const role = fc.oneof(fc.constantFrom("user", "assistant", "system"), fc.anything())
    const message = fc.record(
      { id: fc.anything(), role, parts: fc.oneof(fc.array(part), fc.anything()), content: fc.anything() },
      { requiredKeys: ["role"] },
    )
    const list = fc.array(fc.oneof(message, fc.anything()))
    fc.assert(
      fc.property(fc.oneof(list, fc.record({ messages: list }), fc.anything()), (value) => {
        encode(settle(decode(value)).conversation)
      }),
    )
  })
})

describe("encoding UIMessages", () => {
  it("closes open calls in their own part, a refused one as denied", () => {
    const running = { type: "tool-ls", toolCallId: "x", state: "input-available", input: {}, title: "List" }
    const asked = { type: "tool-rm", toolCallId: "y", state: "approval-requested", input: {}, approval: { id: "ap" } }
    const once = through([{ id: "a", role: "assistant", parts: [running, asked] }])
    expect(once["messages"]).toEqual([
      {
        id: "a",
        role: "assistant",
        parts: [
          { ...running, state: "output-error", errorText: syntheticTexts.interrupted },
          {
            ...asked,
            state: "output-denied",
            approval: { id: "ap", approved: false, reason: syntheticTexts["not-run"] },
          },
        ],
      },
    ])
    expect(through(once)).toEqual(once)
  })

  it("writes one UIMessage for all steps between two user messages of another format", () => {
    const source = { type: "base64", data: "AAAA" } as const
    const image = { type: "media", kind: "image", mediaType: "image/png", source } as const
    const items: readonly Item[] = [
      { role: "user", blocks: [{ type: "text", text: "Look" }, image] },
      {
        role: "exchange",
        message: {
          role: "assistant",
          blocks: [
            { type: "text", text: "Looking." },
            { type: "call", id: "a", name: "ls", arguments: { path: "." } },
            { type: "call", id: "b", name: "shot", arguments: {} },
          ],
        },
        outcomes: [
          { kind: "failed", result: result("a", "no", { error: true }) },
          { kind: "done", result: { type: "result", callId: "b", content: [image] } },
        ],
      },
      {
        role: "exchange",
        message: { role: "assistant", blocks: [{ type: "call", id: "c", name: "wait", arguments: {} }] },
        outcomes: [{ kind: "pending" }],
      },
    ]
    const encoded = encode(byHand({ items }))
    expect(encoded).toEqual({
      messages: [
        {
          id: "message-1",
          role: "user",
          parts: [
            { type: "text", text: "Look" },
            { type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA" },
          ],
        },
        {
          id: "message-2",
          role: "assistant",
          parts: [
            step,
            { type: "text", text: "Looking." },
            { type: "tool-ls", toolCallId: "a", state: "output-error", input: { path: "." }, errorText: "no" },
            {
              type: "tool-shot",
              toolCallId: "b",
              state: "output-available",
              input: {},
              output: { type: "content", value: [{ type: "media", data: "AAAA", mediaType: "image/png" }] },
            },
            step,
            { type: "tool-wait", toolCallId: "c", state: "input-available", input: {} },
          ],
        },
      ],
    })
    expect(decode(encoded).messages[2]?.blocks[1]).toMatchObject({ content: [{ ...image }] })
  })
})
