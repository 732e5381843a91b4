import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sharegpt } from "../../../src/formats/sharegpt/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Item, type ResultBlock, text } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const { decode, encode } = sharegpt

const turn = (value: unknown) => encode(settle(decode(value)).conversation)

const native = (wire: unknown) => ({ native: { sharegpt: wire } })

describe("decoding", () => {
  it("reads speakers, calls and results into one transcript without ids", () => {
    const conversations = [
      { from: "human", value: "go" },
      { from: "function_call", value: '{"name": "f", "arguments": {"x": 1}}' },
      { from: "observation", value: "[tool error] no" },
      { from: "gpt", value: "done" },
    ]
    const body = { conversations, system: "sys", tools: "[]" }
    expect(decode(body, { source: "x" })).toEqual({
      format: "sharegpt",
      source: "x",
      ids: "optional",
      ...native(body),
      messages: [
        { role: "system", blocks: [text("sys")], ...native({ system: "sys" }) },
        { role: "user", blocks: [text("go")], ...native(conversations[0]) },
        {
          role: "assistant",
          blocks: [{ type: "call", id: "", name: "f", arguments: { x: 1 }, ...native({ name: "f", arguments: { x: 1 } }) }],
          ...native(conversations[1]),
        },
        {
          role: "tool",
          blocks: [{ type: "result", callId: "", content: [text("no")], error: true, ...native(conversations[2]) }],
          ...native(conversations[2]),
        },
        { role: "assistant", blocks: [text("done")], ...native(conversations[3]) },
      ],
    })
  })

  it("reads a list of calls, and a list of as many results as theirs", () => {
    const value = '[{"name":"f","arguments":{}},{"name":"g","arguments":"{\\"a\\":1}"}]'
    const calls = { from: "function_call", value }
    const results = { from: "observation", value: '["one", {"two": 2}]' }
    const read = decode([{ from: "human", value: "go" }, calls, results])
    expect(read.messages[1]?.blocks.map((block) => block.type === "call" && [block.name, block.arguments])).toEqual([
      ["f", {}],
      ["g", { a: 1 }],
    ])
    expect(read.messages[2]?.blocks.map((block) => block.type === "result" && block.content)).toEqual([[text("one")], [text('{"two":2}')]])
    expect(check(read)).toEqual([])
  })

  it("keeps a call that is no JSON as text of the assistant, and reports it", () => {
    const read = decode({ conversations: [{ from: "function_call", value: "f(1)" }] })
    expect(read.messages).toEqual([{ role: "assistant", blocks: [{ type: "opaque", kind: "malformed", text: "f(1)", ...native("f(1)") }] }])
    expect(read.diagnostics?.map(({ rule, place }) => ({ rule, place }))).toEqual([
      { rule: "malformed-message", place: { message: 0, path: "conversations[0]" } },
    ])
  })

  it.each([["constructor"], [null], ["narrator"]])("keeps an entry of speaker %j verbatim", (from) => {
    const wire = { from, value: "x" }
    expect(decode([wire]).messages).toEqual([
      { role: "user", blocks: [{ type: "opaque", kind: "malformed", text: JSON.stringify(wire), ...native(wire) }] },
    ])
  })
})

describe("a healthy conversation in its own format", () => {
  const body = {
    id: 7,
    conversations: [
      { from: "system", value: "early" },
      { from: "human", value: "go", weight: 0 },
      { from: "function_call", value: '{"name": "f", "arguments": {"x": 1}}', loss: true },
      { from: "observation", value: "" },
      { from: "gpt", value: "next" },
      { from: "user", value: "two" },
      { from: "function_call", value: '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": "{ }"}]' },
      { from: "observation", value: '["one",  "two"]' },
      { from: "assistant", value: "done" },
    ],
    tools: "[]",
    system: "sys",
  }

  it("comes back with the same bytes and the very same entries", () => {
    expect(check(decode(body))).toEqual([])
    const out = turn(body)
    expect(JSON.stringify(out)).toBe(JSON.stringify(body))
    const entries = out["conversations"] as readonly unknown[]
    expect(entries.every((entry, index) => entry === body.conversations[index])).toBe(true)
  })

  it("appending never changes what was encoded before the tip", () => {
    for (let length = 1; length < body.conversations.length; length++) {
      const encoded = [length, length + 1].map((end) => {
        const { conversation } = settle(decode(body.conversations.slice(0, end)), { tip: "open" })
        return encode(conversation)["conversations"] as readonly unknown[]
      })
      const [shorter = [], longer = []] = encoded
      expect(longer.slice(0, shorter.length - 1)).toEqual(shorter.slice(0, -1))
    }
  })
})

describe("a conversation of another format", () => {
  const call = { type: "call", id: "a", name: "f", arguments: { x: 1 } } as const
  const result: ResultBlock = { type: "result", callId: "a", content: [text("r")] }

  it("says words and calls in entries of their own, and several results in one", () => {
    const thinking = { type: "thinking", text: "hm" } as const
    const items: readonly Item[] = [
      { role: "system", blocks: [text("sys")] },
      { role: "user", blocks: [text("a"), text("b")] },
      {
        role: "exchange",
        message: { role: "assistant", blocks: [thinking, text("I will"), call, { ...call, id: "b" }] },
        outcomes: [
          { kind: "done", result },
          { kind: "failed", result: { ...result, callId: "b", error: true } },
        ],
        reply: { role: "assistant", blocks: [text("done")] },
      },
      { role: "exchange", message: { role: "assistant", blocks: [call] }, outcomes: [{ kind: "pending" }] },
    ]
    const conversation = byHand({ items })
    expect(encode(conversation)).toEqual({
      conversations: [
        { from: "human", value: "a\n\nb" },
        { from: "gpt", value: "I will" },
        { from: "function_call", value: '[{"name":"f","arguments":{"x":1}},{"name":"f","arguments":{"x":1}}]' },
        { from: "observation", value: '["r","[tool error] r"]' },
        { from: "gpt", value: "done" },
        { from: "function_call", value: '{"name":"f","arguments":{"x":1}}' },
      ],
      system: "sys",
    })
  })

  it("marks a result that is not there yet, so that the others keep their calls", () => {
    const items: readonly Item[] = [
      {
        role: "exchange",
        message: { role: "assistant", blocks: [call, { ...call, id: "b" }] },
        outcomes: [{ kind: "pending" }, { kind: "done", result: { ...result, callId: "b" } }],
      },
    ]
    const entries = encode(byHand({ items }))["conversations"] as readonly unknown[]
    expect(entries[1]).toEqual({ from: "observation", value: '[null,"r"]' })
  })

  it("extras strip leaves speaker and text", () => {
    const body = { conversations: [{ from: "human", value: "x", weight: 1 }], id: 3, tools: "[]" }
    expect(encode(settle(decode(body)).conversation, { extras: "strip" })).toEqual({
      conversations: [{ from: "human", value: "x" }],
      tools: "[]",
    })
  })
})

const entry = fc.record({
  from: fc.constantFrom("human", "gpt", "function_call", "observation", "system", "nobody"),
  value: fc.oneof(
    fc.string(),
    fc.constantFrom('{"name":"f","arguments":{}}', '[{"name":"f"},{"name":"g","arguments":""}]', '["a",null]', "[]"),
  ),
})

describe("whatever comes in", () => {
  it("never throws, and what goes out is settled", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.anything())), (list) => {
        const once = turn(list)
        expect(check(decode(once))).toEqual([])
        expect(turn(once)).toEqual(once)
      }),
    )
  })

  it("never throws on values that are no conversations", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ conversations: fc.anything(), system: fc.anything() })), (value) => void turn(value)),
    )
  })
})

const corpus = process.env["LIGATURE_CORPUS"]
const folder = corpus === undefined ? "" : join(corpus, "sharegpt")

describe.skipIf(!existsSync(folder))("the corpus (skipped without LIGATURE_CORPUS)", () => {
  it("comes back deep-equal where it is healthy, and settled where not", () => {
    let healthy = 0
    for (const name of readdirSync(folder)) {
      for (const body of JSON.parse(readFileSync(join(folder, name), "utf8")) as readonly unknown[]) {
        const found = check(decode(body))
        const out = turn(body)
        if (found.length === 0) {
          healthy++
          expect(JSON.stringify(out)).toBe(JSON.stringify(body))
        }
        expect(check(decode(out))).toEqual([])
      }
    }
    expect(healthy).toBeGreaterThan(0)
  })
})

describe("a blank system text", () => {
  it("does not come back with the envelope once it was left out", () => {
    const back = turn({ system: "\n", tools: "[]", conversations: [{ from: "human", value: "hi" }] })
    expect(back).toEqual({ tools: "[]", conversations: [{ from: "human", value: "hi" }] })
  })
})
