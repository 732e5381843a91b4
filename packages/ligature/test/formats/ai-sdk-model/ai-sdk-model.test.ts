import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aiSdkModel } from "../../../src/formats/ai-sdk-model/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Item, result, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const { decode, encode } = aiSdkModel
const native = (wire: unknown) => ({ native: { "ai-sdk-model": wire } })
const through = (value: unknown): Wire => encode(settle(decode(value)).conversation)

const png = { type: "media", data: "AAAA", mediaType: "image/png" }
const healthy = {
  model: "some/model",
  system: "Be brief.",
  messages: [
    { role: "system", content: "Use tools.", providerOptions: { a: { cacheControl: {} } } },
    {
      role: "user",
      content: [
        { type: "text", text: "Look", x_field: 1 },
        { type: "image", image: "https://example.com/a.png" },
        { type: "file", data: "BBBB", mediaType: "application/pdf", filename: "a.pdf" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "sig" } } },
        { type: "text", text: "Looking." },
        { type: "tool-call", toolCallId: "s", toolName: "web_search", input: { q: "x" }, providerExecuted: true },
        { type: "tool-result", toolCallId: "s", toolName: "web_search", output: { type: "json", value: [1] } },
        { type: "tool-call", toolCallId: "a", toolName: "ls", input: { path: "." } },
        { type: "tool-call", toolCallId: "b", toolName: "shot", input: {} },
        { type: "tool-call", toolCallId: "c", toolName: "rm", input: { path: "x" } },
        { type: "tool-approval-request", approvalId: "ap", toolCallId: "c" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap", approved: false, reason: "No." }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "a", toolName: "ls", output: { type: "json", value: { files: 3 } } },
        { type: "tool-result", toolCallId: "b", toolName: "shot", output: { type: "content", value: [png] } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c", toolName: "rm", output: { type: "execution-denied", reason: "No." } }],
    },
    { role: "assistant", content: "Done." },
    { role: "user", content: "Thanks" },
  ],
}

describe("a healthy list of ModelMessages", () => {
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
    for (let length = 1; length < healthy.messages.length; length++) {
      const prefix = decode({ ...healthy, messages: healthy.messages.slice(0, length) })
      const { conversation } = settle(prefix, { tip: "open" })
      const part = encode(conversation)["messages"] as readonly unknown[]
      expect(part.slice(0, -1)).toEqual(whole.slice(0, part.length - 1))
    }
  })

  it("keeps approvals that are beside results", () => {
    const [, , spoken, approval, results] = healthy.messages
    const messages = [spoken, { role: "tool", content: [...(approval?.content ?? []), ...(results?.content ?? [])] }]
    const { conversation } = settle(decode(messages), { tip: "open" })
    expect(encode(conversation)["messages"]).toEqual(messages)
  })
})

describe("decoding ModelMessages", () => {
  it("reads blocks, outcomes and what waits for approval", () => {
    const { messages } = decode(healthy)
    const [, , , spoken, first, second] = messages
    const parts = healthy.messages[2]?.content as readonly unknown[]
    expect(spoken).toEqual({
      role: "assistant",
      blocks: [
        { type: "thinking", text: "Hm.", signature: "sig", ...native(parts[0]) },
        { type: "text", text: "Looking.", ...native(parts[1]) },
        {
          type: "opaque",
          kind: "tool-call",
          span: "s",
          half: "call",
          text: '[web_search: {"q":"x"}]',
          ...native(parts[2]),
        },
        {
          type: "opaque",
          kind: "tool-result",
          span: "s",
          half: "result",
          text: '{"type":"json","value":[1]}',
          ...native(parts[3]),
        },
        { type: "call", id: "a", name: "ls", arguments: { path: "." }, ...native(parts[4]) },
        { type: "call", id: "b", name: "shot", arguments: {}, ...native(parts[5]) },
        { type: "call", id: "c", name: "rm", arguments: { path: "x" }, pending: "approval", ...native(parts[6]) },
        { type: "opaque", kind: "tool-approval-request", text: "", ...native(parts[7]) },
      ],
      ...native([healthy.messages[2], healthy.messages[3]]),
    })
    const results = healthy.messages[4]?.content as readonly unknown[]
    expect(first?.blocks).toEqual([
      {
        type: "result",
        callId: "a",
        name: "ls",
        content: [{ type: "text", text: '{"files":3}' }],
        ...native(results[0]),
      },
      {
        type: "result",
        callId: "b",
        name: "shot",
        content: [
          {
            type: "media",
            kind: "image",
            mediaType: "image/png",
            source: { type: "base64", data: "AAAA" },
            ...native(png),
          },
        ],
        ...native(results[1]),
      },
    ])
    expect(second?.blocks[0]).toMatchObject({
      callId: "c",
      content: [{ type: "text", text: "No." }],
      error: true,
      denied: true,
    })
  })

  it("reads and keeps the spellings of version 4", () => {
    const messages = [
      {
        role: "assistant",
        content: [
          { type: "redacted-reasoning", data: "xyz" },
          { type: "tool-call", toolCallId: "a", toolName: "ls", args: { path: "." } },
          { type: "tool-call", toolCallId: "b", toolName: "ls", args: { path: "/" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "ls", result: { files: 3 } },
          { type: "tool-result", toolCallId: "b", toolName: "ls", result: "denied", isError: true },
        ],
      },
    ]
    expect(through(messages)).toEqual({ messages })
    const [spoken, answered] = decode(messages).messages
    expect(spoken?.blocks[0]).toMatchObject({ type: "thinking", redacted: true, signature: "xyz" })
    expect(spoken?.blocks[1]).toMatchObject({ type: "call", arguments: { path: "." } })
    expect(answered?.blocks[1]).toMatchObject({ content: [{ type: "text", text: "denied" }], error: true })
  })

  it("takes an approved call for running", () => {
    const request = { type: "tool-approval-request", approvalId: "ap", toolCallId: "a" }
    const call = { type: "tool-call", toolCallId: "a", toolName: "rm", input: {} }
    const messages = [
      { role: "assistant", content: [call, request] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap", approved: true }] },
    ]
    expect(decode(messages).messages[0]?.blocks[0]).toMatchObject({ pending: "running" })
    expect(check(decode(messages), { tip: "open" })).toEqual([])
    const { conversation } = settle(decode(messages), { tip: "open" })
    expect(encode(conversation)["messages"]).toEqual(messages)
  })

  it("never throws", () => {
    const types = ["text", "image", "file", "reasoning", "tool-call", "tool-result", "tool-approval-request", "odd"]
    const any = fc.anything()
    const type = fc.constantFrom(...types)
    const part = fc.record({ type, text: any, output: any, input: any, data: any }, { requiredKeys: [] })
    const content = fc.oneof(fc.array(fc.oneof(part, fc.anything())), fc.anything())
    const role = fc.oneof(fc.constantFrom("user", "assistant", "tool", "system"), fc.anything())
    const list = fc.array(fc.oneof(fc.record({ role, content }), fc.anything()))
    const body = fc.record({ system: fc.anything(), messages: fc.oneof(list, fc.anything()) })
    fc.assert(
      fc.property(fc.oneof(list, body, fc.anything()), (value) => {
        encode(settle(decode(value)).conversation)
      }),
    )
  })
})

describe("encoding ModelMessages from another format", () => {
  it("writes parts, outputs by their kind, and the names of tools", () => {
    const source = { type: "base64", data: "AAAA" } as const
    const image = { type: "media", kind: "image", mediaType: "image/png", source } as const
    const items: readonly Item[] = [
      { role: "system", blocks: [{ type: "text", text: "Be brief." }] },
      { role: "user", blocks: [{ type: "text", text: "Look" }, image] },
      {
        role: "exchange",
        message: {
          role: "assistant",
          blocks: [
            { type: "thinking", text: "Hm.", signature: "sig", native: { anthropic: {} } },
            { type: "call", id: "a", name: "ls", arguments: { path: "." } },
            { type: "call", id: "b", name: "rm", arguments: {} },
            { type: "call", id: "c", name: "shot", arguments: {} },
            { type: "call", id: "d", name: "wait", arguments: {} },
          ],
        },
        outcomes: [
          { kind: "done", result: { type: "result", callId: "a", content: [{ type: "text", text: "x" }] } },
          { kind: "failed", result: result("b", "no", { error: true }) },
          { kind: "failed", result: { type: "result", callId: "c", content: [image], error: true } },
          { kind: "pending" },
        ],
        reply: { role: "assistant", blocks: [{ type: "text", text: "Done." }] },
      },
    ]
    expect(encode(byHand({ items }))).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image", image: "AAAA", mediaType: "image/png" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm." },
            { type: "tool-call", toolCallId: "a", toolName: "ls", input: { path: "." } },
            { type: "tool-call", toolCallId: "b", toolName: "rm", input: {} },
            { type: "tool-call", toolCallId: "c", toolName: "shot", input: {} },
            { type: "tool-call", toolCallId: "d", toolName: "wait", input: {} },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "a", toolName: "ls", output: { type: "text", value: "x" } },
            { type: "tool-result", toolCallId: "b", toolName: "rm", output: { type: "error-text", value: "no" } },
            {
              type: "tool-result",
              toolCallId: "c",
              toolName: "shot",
              output: { type: "content", value: [{ type: "text", text: "[tool error] " }, png] },
            },
          ],
        },
        { role: "assistant", content: "Done." },
      ],
    })
  })

  it("closes an open call honestly and reads that back", () => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "ls", input: {} }
    const once = through([{ role: "assistant", content: [call] }])
    const output = { type: "error-text", value: syntheticTexts.interrupted }
    expect(once["messages"]).toEqual([
      { role: "assistant", content: [call] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "ls", output }] },
    ])
    expect(decode(once).messages[1]?.blocks[0]).toMatchObject({ error: true, synthetic: "interrupted" })
    expect(through(once)).toEqual(once)
  })

  it("keeps parts of a system message that are no text when another one has to leave", () => {
    const kept = [
      { type: "custom", note: "kept" },
      { type: "text", text: "Be brief." },
    ]
    const messages = [{ role: "system", content: [{ type: "tool-call", toolCallId: "a", toolName: "b", input: {} }, ...kept] }]
    const once = through({ messages })
    expect((once["messages"] as readonly Wire[])[0]).toEqual({ role: "system", content: kept })
    expect(through(once)).toEqual(once)
  })
})
