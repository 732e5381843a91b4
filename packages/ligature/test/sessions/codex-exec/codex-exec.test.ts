import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codexExec } from "../../../src/sessions/codex-exec/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { transcript, user, type Wire } from "../../../src/model/index.ts"
import { said } from "../codex-rollout/said.ts"

const { decode, encode, session } = codexExec

const at = (moment: "started" | "updated" | "completed", item: Wire): Wire => ({ type: `item.${moment}`, item })
const command = (id: string, more: Wire = {}): Wire => ({
  id,
  type: "command_execution",
  command: "ls",
  aggregated_output: "",
  exit_code: null,
  status: "in_progress",
  ...more,
})
const done = { aggregated_output: "a.txt\n", exit_code: 0, status: "completed" }

const records: readonly Wire[] = [
  { type: "thread.started", thread_id: "0199a213" },
  { type: "turn.started" },
  at("completed", { id: "item_0", type: "reasoning", text: "**Thinking**" }),
  at("started", command("item_1")),
  at("started", command("item_2")),
  at("updated", command("item_1", { aggregated_output: "a" })),
  at("completed", command("item_1", done)),
  at("completed", command("item_2", { aggregated_output: "", exit_code: 2, status: "failed" })),
  at("completed", { id: "item_3", type: "file_change", changes: [{ path: "a", kind: "add" }], status: "completed" }),
  at("started", { id: "item_4", type: "todo_list", items: [{ text: "one", completed: false }] }),
  at("started", { id: "item_5", type: "mcp_tool_call", server: "docs", tool: "search", arguments: { q: "x" } }),
  at("completed", {
    id: "item_5",
    type: "mcp_tool_call",
    server: "docs",
    tool: "search",
    arguments: { q: "x" },
    result: { content: [{ type: "text", text: "found" }] },
    error: null,
    status: "completed",
  }),
  at("completed", { id: "item_6", type: "web_search", query: "weather" }),
  at("completed", { id: "item_7", type: "error", message: "a warning" }),
  at("updated", { id: "item_4", type: "todo_list", items: [{ text: "one", completed: true }] }),
  at("completed", { id: "item_8", type: "agent_message", text: "Done." }),
  { type: "turn.completed", usage: { input_tokens: 1 } },
]

describe("the stream of codex exec", () => {
  it("is read item by item, the last word on each at the place of its first", () => {
    const read = decode(records)
    expect(said(read)).toEqual([
      "assistant: **Thinking** | command_execution(item_1) | command_execution(item_2)",
      "tool: item_1=a.txt\n",
      "tool: item_2=[exit code 2]",
      "assistant: file_change(item_3)",
      "tool: item_3=[completed]",
      "assistant: - [x] one | docs__search(item_5)",
      "tool: item_5=found",
      "assistant: [web search: weather] | Done.",
    ])
    expect(read.diagnostics).toBeUndefined()
    expect(read.messages[2]?.blocks[0]).toMatchObject({ error: true })
    expect(settle(read).report.entries).toEqual([])
  })

  it("has a call without result where an item never completed, and knows what was declined", () => {
    const read = decode([...records.slice(0, 2), at("started", command("item_1"))])
    expect(said(read)).toEqual(["assistant: command_execution(item_1)"])
    const declined = decode([at("completed", command("item_1", { status: "declined" }))])
    expect(declined.messages[1]?.blocks[0]).toMatchObject({ type: "result", denied: true, error: true })
    const refusal = { id: "i", type: "mcp_tool_call", error: { message: "no" }, status: "failed" }
    const failed = decode([at("completed", refusal)])
    expect(said(failed)[1]).toBe("tool: i=no")
  })

  it("tells items of two runs in one file apart", () => {
    const run = [records[0], at("started", command("item_0")), at("completed", command("item_0", done))]
    expect(said(decode([...run, ...run.map((record) => structuredClone(record))]))).toHaveLength(4)
  })

  it("says who it is, has a pulse, and is recognised", () => {
    expect(session.outline(records)).toEqual({
      id: "0199a213",
      paths: [{ id: "0199a213", kind: "active", messages: 8, first: 0 }],
      compactions: [],
    })
    expect(decode(records, { branch: "0199a213" }).diagnostics).toBeUndefined()
    expect(decode(records, { branch: "x" }).diagnostics?.map(({ rule }) => rule)).toEqual(["unknown-record"])
    expect(records.slice(0, 8).map((record) => session.pulse?.(record))).toEqual([
      {},
      { starts: true },
      {},
      { calls: ["item_1"] },
      { calls: ["item_2"] },
      { calls: ["item_1"] },
      { calls: ["item_1"], results: ["item_1"] },
      { calls: ["item_2"], results: ["item_2"] },
    ])
    expect(session.recognise({ syntax: "lines", records })?.certainty).toBe("certain")
    expect(session.recognise({ syntax: "lines", records: records.slice(2) })?.certainty).toBe("likely")
    expect(session.recognise({ syntax: "lines", records: [{ type: "turn.started" }] })).toBeUndefined()
  })

  it("is given back as it came and never rewritten", () => {
    expect(encode(settle(decode(records)).conversation)["records"]).toBe(records)
    expect(() => encode(settle(transcript(user("hi"))).conversation)).toThrow("are only read")
  })

  it("names what it does not know, each type once, and never throws", () => {
    const strange = [{ type: "x" }, { type: "x" }, 7, at("started", { id: "1", type: "y" }), { type: "item.started" }]
    expect(decode(strange).diagnostics?.map(({ rule }) => rule)).toEqual([
      "malformed-record",
      "malformed-record",
      "unknown-record",
      "unknown-record",
    ])
    const item = fc.record({
      id: fc.constantFrom("a", "b", 1, null),
      type: fc.constantFrom("command_execution", "mcp_tool_call", "file_change", "collab_tool_call", "todo_list", 3),
      arguments: fc.jsonValue(),
      result: fc.jsonValue(),
      error: fc.jsonValue(),
      items: fc.jsonValue(),
      command: fc.jsonValue(),
      text: fc.jsonValue(),
    })
    const record = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constantFrom("item.started", "item.updated", "item.completed", "thread.started"), item }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(record)), (value) => {
        encode(settle(decode(value)).conversation)
        session.outline(value)
      }),
    )
  })
})
