import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openaiResponses } from "../../../src/formats/openai-responses/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const { decode, encode } = openaiResponses
const through = (value: unknown): Wire => encode(settle(decode(value)).conversation)
const itemsOf = (body: Wire): readonly unknown[] => body["input"] as readonly unknown[]

const healthy = {
  model: "gpt-5.1",
  vendor_field: { a: 1 },
  instructions: "Be brief.",
  input: [
    { role: "developer", content: "Use tools." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "Look", prompt_cache_breakpoint: {} },
        { type: "input_image", image_url: "https://example.com/a.png", detail: "high" },
      ],
      x_field: 1,
    },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAA" },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "commentary",
      content: [
        { type: "output_text", text: "One.", annotations: [] },
        { type: "output_text", text: "Two.", annotations: [] },
      ],
    },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
    { type: "function_call", id: "fc_1", call_id: "a", name: "ls", arguments: '{ "path" : "." }', namespace: "fs" },
    { type: "custom_tool_call", id: "ctc_1", call_id: "b", name: "patch", input: "*** Begin" },
    { type: "shell_call", call_id: "c", action: { commands: ["ls"] }, status: "completed" },
    { type: "computer_call", call_id: "d", actions: [{ type: "screenshot" }], pending_safety_checks: [] },
    { type: "function_call_output", id: null, call_id: "a", output: "[tool error] denied" },
    { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "done", y: 1 }] },
    {
      type: "shell_call_output",
      call_id: "c",
      output: [{ stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 0 } }],
    },
    {
      type: "computer_call_output",
      call_id: "d",
      output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" },
      acknowledged_safety_checks: [],
    },
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
    { role: "assistant", content: "Done." },
    { role: "user", content: "Thanks" },
  ],
}

describe("a healthy request", () => {
  it("has no findings and comes back deep-equal, keys in order, items the very same", () => {
    expect(check(decode(healthy))).toEqual([])
    const back = through(healthy)
    expect(JSON.stringify(back)).toBe(JSON.stringify(healthy))
    itemsOf(back).forEach((item, index) => expect(item).toBe(healthy.input[index]))
  })

  it("comes back deep-equal after its conversation went through JSON", () => {
    const { conversation } = settle(decode(healthy))
    expect(encode(JSON.parse(JSON.stringify(conversation)))).toEqual(healthy)
  })

  it("keeps a text input as text", () => {
    const body = { model: "gpt-4.1", input: "Hello", instructions: null }
    expect(through(body)).toEqual(body)
  })

  it("only ever grows at its end", () => {
    const whole = itemsOf(through(healthy))
    for (let length = 1; length < healthy.input.length; length++) {
      const { conversation } = settle(decode({ ...healthy, input: healthy.input.slice(0, length) }), { tip: "open" })
      const part = itemsOf(encode(conversation))
      expect(part.slice(0, -1)).toEqual(whole.slice(0, part.length - 1))
    }
  })
})

describe("a request that was changed", () => {
  it("keeps unknown fields on items whose words changed", () => {
    const { conversation } = settle(
      decode([
        { type: "message", role: "user", content: "a\uD800", x_field: 1 },
        { type: "function_call", call_id: "a", name: "ls", arguments: "", x_field: 2 },
        { type: "function_call_output", call_id: "a", output: "x", x_field: 3 },
      ]),
    )
    expect(encode(conversation)["input"]).toEqual([
      { type: "message", role: "user", content: "a\uFFFD", x_field: 1 },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}", x_field: 2 },
      { type: "function_call_output", call_id: "a", output: "x", x_field: 3 },
    ])
  })

  it("is written without unknown fields when asked", () => {
    const { conversation } = settle(decode(healthy))
    const [, user, , , , , , , , , custom] = itemsOf(encode(conversation, { extras: "strip" }))
    expect(user).toEqual({ type: "message", role: "user", content: healthy.input[1]?.content })
    expect(custom).toEqual({ ...healthy.input[10], output: [{ type: "input_text", text: "done" }] })
  })

  it("drops the instructions with the system message that held them", () => {
    const { conversation } = settle(decode(healthy))
    const without = byHand({ ...conversation, items: conversation.items.slice(1) })
    expect("instructions" in encode(without)).toBe(false)
  })

  it("writes regular shapes for irregular ones, and finds nothing wrong with them afterwards", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "g" }
    const body = {
      input: [
        { role: "user", content: [{ type: "text", text: "Go" }] },
        { ...reasoning, content: [{ type: "reasoning_text", text: "Hm." }] },
        { type: "function_call", id: "call_1", call_id: "call_1", name: "ls", arguments: { path: "." } },
        { type: "function_call_output", call_id: "call_1", output: { files: 3 } },
      ],
    }
    const back = through(body)
    expect(back["input"]).toEqual([
      { role: "user", content: [{ type: "input_text", text: "Go" }] },
      reasoning,
      { type: "function_call", call_id: "call_1", name: "ls", arguments: '{"path":"."}' },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: '{"files":3}' }] },
    ])
    expect(check(decode(back))).toEqual([])
  })

  it("settles whatever it is given, and settles it once", () => {
    const text = fc.string()
    const part = fc.record({ type: fc.constantFrom("input_text", "output_text", "refusal", "text", "odd"), text })
    const content = fc.oneof(text, fc.array(part, { maxLength: 3 }))
    const id = fc.constantFrom("a", "b", "c", "")
    const item = fc.oneof(
      fc.record({ role: fc.constantFrom("user", "assistant", "system", "developer"), content }),
      fc.record({ type: fc.constant("function_call"), call_id: id, name: fc.constant("ls"), arguments: text }),
      fc.record({ type: fc.constant("function_call_output"), call_id: id, output: fc.oneof(content, fc.anything()) }),
      fc.record({ type: fc.constant("custom_tool_call"), call_id: id, name: fc.constant("p"), input: text }),
      fc.record({ type: fc.constant("reasoning"), id: fc.constantFrom("rs_1", "x"), summary: fc.constant([]) }),
      fc.record({ type: fc.constantFrom("web_search_call", "compaction"), id: fc.constantFrom("ws_1", "ws_2") }),
      fc.anything(),
    )
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), (input) => {
        const once = through({ input })
        expect(through(JSON.parse(JSON.stringify(once)))).toEqual(JSON.parse(JSON.stringify(once)))
      }),
    )
  })
})
