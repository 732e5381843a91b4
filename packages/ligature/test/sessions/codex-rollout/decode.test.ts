import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { resultText, type Transcript } from "../../../src/model/index.ts"
import {
  callItem,
  customItem,
  customOutputItem,
  developerItem,
  event,
  item,
  meta,
  outputItem,
  prompt,
  spoken,
  spokenItem,
  userItem,
} from "./records.ts"
import { said } from "./said.ts"

const decode = codexRollout.decode
const rules = ({ diagnostics = [] }: Transcript): readonly string[] => diagnostics.map(({ rule }) => rule)

describe("reading a rollout", () => {
  it("reads the items of the model and not their mirrors on the screen", () => {
    const records = [
      meta(),
      item(developerItem("<permissions instructions>")),
      item(userItem("<environment_context>linux</environment_context>")),
      ...prompt("list files"),
      ...spoken("Looking."),
      item(callItem("c1")),
      item(callItem("c2")),
      item(outputItem("c1", "a.txt")),
      event({ type: "token_count" }),
      item(outputItem("c2", "b.txt")),
      ...spoken("Two files."),
    ]
    const transcript = decode(records)
    expect(said(transcript)).toEqual([
      "system: <permissions instructions>",
      "user: <environment_context>linux</environment_context>",
      "user: list files",
      "assistant: Looking. | exec_command(c1) | exec_command(c2)",
      "tool: c1=a.txt | c2=b.txt",
      "assistant: Two files.",
    ])
    expect(transcript.diagnostics).toBeUndefined()
    expect(check(transcript)).toEqual([])
  })

  it("knows the lines of messages and the origin", () => {
    const turn = { timestamp: "t", type: "turn_context", payload: { model: "gpt-5.5", cwd: "/x" } }
    const transcript = decode([meta(), turn, ...prompt("hi"), ...spoken("hello")], { lines: [1, 2, 3, 4, 5, 6] })
    expect(transcript.messages.map(({ line }) => line)).toEqual([3, 6])
    expect(transcript.origin).toEqual({ provider: "openai", model: "gpt-5.5" })
  })

  it("reads an event whose item is nowhere, in its place", () => {
    const records = [
      meta(),
      event({ type: "user_message", message: "first" }),
      item(callItem("c1")),
      item(outputItem("c1")),
      ...spoken("one"),
      event({ type: "user_message", message: "second", images: ["data:image/png;base64,AAAA"] }),
      event({ type: "agent_message", message: "its item was torn" }),
      ...spoken("two"),
    ]
    expect(said(decode(records))).toEqual([
      "user: first",
      "assistant: exec_command(c1)",
      "tool: c1=ok",
      "assistant: one",
      "user: second | image",
      "assistant: its item was torn",
      "assistant: two",
    ])
  })

  it("takes an event for the mirror of the item beside it, also where the words differ", () => {
    const records = [
      meta(),
      item(userItem("# Context from my IDE\n\nfix it")),
      event({ type: "user_message", message: "fix it" }),
      ...spoken("yes"),
      ...prompt("yes"),
      ...prompt("yes"),
    ]
    expect(said(decode(records))).toEqual(["user: # Context from my IDE\n\nfix it", "assistant: yes", "user: yes", "user: yes"])
  })

  it("reads an output that is an object as the JSON the model saw", () => {
    const output = { output: "Success.", metadata: { exit_code: 0 } }
    const transcript = decode([meta(), ...prompt("go"), item(callItem("c1")), item(outputItem("c1", output))])
    expect(said(transcript).at(-1)).toBe(`tool: c1=${JSON.stringify(output)}`)
    expect(transcript.diagnostics).toBeUndefined()
    const failed = { content: "no such file", success: false }
    const [block] = decode([item(callItem("c1")), item(outputItem("c1", failed))]).messages[1]?.blocks ?? []
    expect(block).toMatchObject({ type: "result", error: true, content: [{ type: "text", text: "no such file" }] })
  })

  it("leaves hollow reasoning and snapshots of the working tree in the file", () => {
    const records = [
      ...prompt("hi"),
      item({ type: "reasoning", summary: [] }),
      item({ type: "reasoning", summary: [], content: null, encrypted_content: "REDACTED" }),
      item({ type: "ghost_snapshot", ghost_commit: { id: "abc" } }),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "thought" }], encrypted_content: "gAAA" }),
      ...spoken("hello"),
    ]
    const transcript = decode(records)
    expect(said(transcript)).toEqual(["user: hi", "assistant: thought | hello"])
    expect(transcript.messages[1]?.blocks[0]).toMatchObject({ type: "thinking", signature: "gAAA" })
    expect(settle(transcript).report.entries).toEqual([])
  })

  it("reads reasoning in the open as thinking that nobody signed", () => {
    const open = { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "hm" }] }
    const transcript = decode([...prompt("hi"), item(open), ...spoken("hello")])
    const [thinking] = transcript.messages[1]?.blocks ?? []
    expect(thinking).toMatchObject({ type: "thinking", text: "hm" })
    expect(thinking).not.toHaveProperty("signature")
  })

  it("leaves NUL characters out of the name of a tool and says so", () => {
    const call = item(callItem("c1", "exec\u0000_command\u0000"))
    const transcript = decode([...prompt("hi"), call, item(outputItem("c1"))])
    expect(said(transcript)[1]).toBe("assistant: exec_command(c1)")
    expect(rules(transcript)).toEqual(["malformed-record"])
  })

  it("reads a repeated record once", () => {
    const call = item(callItem("c1"))
    const copy = structuredClone(call)
    const transcript = decode([...prompt("hi"), call, copy, item(outputItem("c1"))], { lines: [1, 2, 3, 4, 5] })
    expect(said(transcript)).toEqual(["user: hi", "assistant: exec_command(c1)", "tool: c1=ok"])
    expect(transcript.diagnostics).toMatchObject([{ rule: "repeated-record", place: { line: 4 }, ids: ["c1"] }])
  })

  it("does not take equal words at different times for a repetition", () => {
    const transcript = decode([item(userItem("yes"), 1), item(userItem("yes"), 2)])
    expect(said(transcript)).toEqual(["user: yes", "user: yes"])
  })

  it("says which thread and how many records are missing", () => {
    const base = { thread_id: "0198bbbb", end_ordinal_exclusive: 40, end_byte_offset: 9 }
    const records = [meta({ history_base: base }), meta(), ...prompt("go on")]
    expect(decode(records).diagnostics).toMatchObject([
      {
        rule: "missing-history",
        what: "This session begins with the first 40 records of thread 0198bbbb (rollout-…-0198bbbb.jsonl)",
        ids: ["0198bbbb"],
      },
    ])
    expect(codexRollout.session.outline(records).needs).toEqual(["the first 40 records of thread 0198bbbb (rollout-…-0198bbbb.jsonl)"])
  })

  it("names unknown records and items once each, and a record without ordinal among numbered ones", () => {
    const records = [
      { ...meta(), ordinal: 0 },
      { ordinal: 1, type: "sparkle", payload: {} },
      { ordinal: 2, type: "sparkle", payload: {} },
      { ...item({ type: "input_image", image_url: "data:," }), ordinal: 3 },
      item(userItem("hi")),
      { ...item(spokenItem("hello")), ordinal: 4 },
    ]
    const transcript = decode(records)
    expect(rules(transcript)).toEqual(["malformed-record", "unknown-record", "unknown-record"])
    expect(transcript.diagnostics?.[1]?.what).toBe("2 records of type sparkle are not known")
    expect(said(transcript)).toEqual(["user: hi", "assistant: hello"])
  })
})

describe("records of current versions", () => {
  it("are bookkeeping: numbered, paginated sessions are healthy", () => {
    const records = [
      meta({ history_mode: "paginated" }),
      event({ type: "thread_settings_applied", settings: { model: "gpt-5" } }),
      { timestamp: "t", type: "world_state", payload: { cwd: "/x" } },
      item(userItem("list files")),
      event({ type: "item_completed", item: { type: "UserMessage", content: [{ type: "text", text: "list files" }] } }),
      item(callItem("c1")),
      item(outputItem("c1", "a.txt")),
      event({ type: "item_completed", item: { type: "CommandExecution", id: "c1" } }),
      { timestamp: "t", type: "token_usage_record", payload: { total_tokens: 30 } },
      item(spokenItem("One file.")),
    ].map((record, ordinal) => ({ ...record, ordinal }))
    const transcript = decode(records)
    expect(said(transcript)).toEqual(["user: list files", "assistant: exec_command(c1)", "tool: c1=a.txt", "assistant: One file."])
    expect(transcript.diagnostics).toBeUndefined()
    expect(check(transcript)).toEqual([])
  })
})

describe("pairing", () => {
  it("lets shell calls be answered by function outputs", () => {
    const shell = { type: "local_shell_call", call_id: "s1", action: { type: "exec", command: ["ls"] } }
    const transcript = decode([...prompt("go"), item(shell), item(outputItem("s1", "x")), ...spoken("done")])
    expect(check(transcript)).toEqual([])
    expect(transcript.diagnostics).toBeUndefined()
  })

  it("never lets the output of a custom tool answer a function", () => {
    const transcript = decode([...prompt("go"), item(callItem("c1")), item(customOutputItem("c1")), ...spoken("done")])
    expect(transcript.diagnostics).toMatchObject([{ rule: "kind-mismatch", ids: ["c1"] }])
    const repairs = settle(transcript).report.entries.map(({ rule }) => rule)
    expect(repairs.toSorted()).toEqual(["orphan-result", "unanswered-call"])
    expect(transcript.messages[2]?.blocks[0]).toMatchObject({ callId: "c1__custom", providerId: "c1" })
  })

  it("never lets the output of a function answer a custom tool or a search for tools", () => {
    const search = { type: "tool_search_call", call_id: "t1", execution: "client", arguments: {} }
    const records = [item(customItem("c1")), item(outputItem("c1")), item(search), item(outputItem("t1"))]
    expect(rules(decode([...prompt("go"), ...records]))).toEqual(["kind-mismatch", "kind-mismatch"])
  })

  it("keeps two kinds that share an id apart", () => {
    const records = [
      ...prompt("go"),
      item(callItem("c1")),
      item(customItem("c1")),
      item(outputItem("c1", "ran")),
      item(customOutputItem("c1", "patched")),
      ...spoken("done"),
    ]
    const transcript = decode(records)
    const { conversation, report } = settle(transcript)
    expect(report.entries).toEqual([])
    const exchange = conversation.items[1]
    if (exchange?.role !== "exchange") throw new Error("expected an exchange")
    expect(exchange.outcomes.map(({ result }) => result && resultText(result))).toEqual(["ran", "patched"])
    expect(codexRollout.encode(conversation)["records"]).toBe(records)
  })
})

describe("any value", () => {
  it("is read without throwing, and written without throwing", () => {
    const type = fc.constantFrom("session_meta", "response_item", "compacted", "event_msg", "turn_context", "x")
    const itemType = fc.constantFrom(
      "message",
      "reasoning",
      "function_call",
      "function_call_output",
      "custom_tool_call_output",
      "local_shell_call",
      "tool_search_call",
      "user_message",
      "agent_message",
      "thread_rolled_back",
      "compaction",
    )
    const junk = fc.jsonValue({ maxDepth: 2 })
    const replaced = fc.record({ type: itemType, role: fc.constant("user"), content: junk, call_id: fc.constant("a") })
    const payload = fc.oneof(
      junk,
      fc.record({
        type: fc.oneof(itemType, junk),
        role: fc.constantFrom("user", "assistant", "developer", 7, undefined),
        content: fc.oneof(junk, fc.array(fc.oneof(junk, fc.record({ type: fc.constant("input_text"), text: junk })))),
        call_id: fc.constantFrom("a", "b", null, undefined),
        output: junk,
        arguments: junk,
        name: fc.constantFrom("x", "x\u0000", null),
        message: junk,
        num_turns: fc.constantFrom(1, 2, -1, "x", 1e9),
        replacement_history: fc.oneof(fc.constant(undefined), junk, fc.array(replaced)),
      }),
    )
    const record = fc.oneof(junk, fc.record({ type, payload, ordinal: fc.constantFrom(undefined, 1, "x") }))
    fc.assert(
      fc.property(fc.oneof(junk, fc.array(record)), fc.constantFrom("whole", "effective"), (value, view) => {
        const before = JSON.stringify(value)
        const transcript = decode(value, { view })
        const { conversation, report } = settle(transcript)
        const written = codexRollout.encode(conversation)["records"] as readonly unknown[]
        expect(JSON.stringify(value)).toBe(before)
        if (report.entries.length === 0 && transcript.diagnostics === undefined && Array.isArray(value)) {
          expect(written).toEqual(value)
        }
        codexRollout.session.outline(value)
        codexRollout.session.place?.(value)
        if (view === "whole") return
        const again = settle(decode(written))
        const rules = again.report.entries.map(({ rule }) => rule)
        expect(rules.filter((rule) => rule === "unanswered-call" || rule === "orphan-result")).toEqual([])
      }),
    )
  })
})
