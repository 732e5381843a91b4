import { describe, expect, it } from "vitest"
import { openDocument } from "../../../src/document/index.ts"
import { openhandsV0 } from "../../../src/sessions/openhands-v0/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { type Message, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { resultWords, wordsOf } from "../tau-bench/chat-messages.ts"
import { describeNeverThrows, describeOwnWriter, gist } from "../tau-bench/own-writer.ts"

const timestamp = "2025-03-01T10:00:00.000000"

const said = (id: number, source: "user" | "agent", content: string): Wire => ({
  id,
  timestamp,
  source,
  message: content,
  action: "message",
  args: {
    content,
    image_urls: null,
    wait_for_response: false,
  },
})

interface Made {
  readonly id: string
  readonly name?: string
  readonly text?: string
}

/** The response is a copy in each event, as the real files have it. */
const metadata = (response: string, call: Made, all: readonly Made[], words: string | null): Wire => ({
  function_name: call.name ?? "execute_bash",
  tool_call_id: call.id,
  total_calls_in_response: all.length,
  model_response: {
    id: response,
    choices: [
      {
        message: {
          role: "assistant",
          content: words,
          tool_calls: all.map(({ id, name = "execute_bash", text = '{"command":"ls"}' }) => ({
            id,
            type: "function",
            function: { name, arguments: text },
          })),
        },
      },
    ],
  },
})

const run = (id: number, response: string, call: Made, all: readonly Made[] = [call], words: string | null = null): Wire => ({
  id,
  timestamp,
  source: "agent",
  message: "Running",
  action: "run",
  args: { command: "ls", thought: words ?? "" },
  tool_call_metadata: metadata(response, call, all, words),
})

const output = (id: number, cause: number, response: string, call: Made, content: string, more: Wire = {}): Wire => ({
  id,
  timestamp,
  source: "agent",
  message: "",
  cause,
  observation: "run",
  content,
  extras: { command: "ls" },
  tool_call_metadata: metadata(response, call, [call], null),
  ...more,
})

const read = (events: unknown, view: "whole" | "effective" = "whole"): unknown => gist(openhandsV0.decode(events, { view }).messages)

describe("OpenHands trajectories", () => {
  it("join the calls of one response and say its words once", () => {
    const both = [{ id: "a" }, { id: "b" }]
    const events = [
      said(1, "user", "go"),
      run(2, "r", { id: "a" }, both, "I look."),
      run(3, "r", { id: "b" }, both, "I look."),
      output(4, 2, "r", { id: "a" }, "one", { extras: { metadata: { exit_code: 0, working_dir: "/w" } } }),
      output(5, 3, "r", { id: "b" }, "two"),
      {
        id: 6,
        timestamp,
        source: "environment",
        message: "",
        observation: "agent_state_changed",
        content: "",
        extras: {},
      },
    ]
    expect(read(events)).toEqual([
      { user: "go" },
      { assistant: "I look." },
      { call: "a", name: "execute_bash", arguments: { command: "ls" } },
      { call: "b", name: "execute_bash", arguments: { command: "ls" } },
      { result: "a", says: "one\n[Current working directory: /w]\n[Command finished with exit code 0]", error: false },
      { result: "b", says: "two", error: false },
    ])
    expect(openhandsV0.encode(settle(openhandsV0.decode(events)).conversation)["history"]).toBe(events)
    const evaluation = { instance_id: "django-1", history: events, metrics: {} }
    expect(openhandsV0.encode(settle(openhandsV0.decode(evaluation)).conversation)).toBe(evaluation)
  })

  it("take the last words from the call that said them where the action has none", () => {
    const call = { id: "a", name: "finish", text: '{"message":"Fixed it"}' }
    const finish = { ...run(1, "r", call, [call], "So."), action: "finish", args: { thought: "", outputs: {} } }
    expect(read([finish])).toEqual([{ assistant: "So.\n\nFixed it" }])
  })

  it("do not take the argument of a thinking tool for words beside it", () => {
    const call = { id: "a", name: "think", text: '{"thought":"hm"}' }
    const event = { ...run(1, "r", call), action: "think", args: { thought: "hm" } }
    expect(read([event])).toEqual([{ call: "a", name: "think", arguments: { thought: "hm" } }])
  })

  it("pair actions of old by the event that caused the observation", () => {
    const events = [
      { id: 1, source: "agent", action: "run", args: { command: "ls", thought: "look" } },
      { id: 2, source: "agent", cause: 1, observation: "run", content: "a.py", extras: {} },
    ]
    expect(read(events)).toEqual([
      { assistant: "look" },
      { call: "event_1", name: "run", arguments: { command: "ls" } },
      { result: "event_1", says: "a.py", error: false },
    ])
    expect(read([events])).toEqual(read(events))
  })

  it("say failures, refusals, the last words and commands of the user", () => {
    const call = { id: "a" }
    const events = [
      output(1, 0, "r", call, "bad", { observation: "error" }),
      output(2, 0, "r", call, "no", { observation: "user_rejected" }),
      { id: 3, source: "user", action: "run", args: { command: "git status" } },
      { id: 4, source: "user", cause: 3, observation: "run", content: "clean", extras: {} },
      { id: 5, source: "agent", action: "finish", args: { final_thought: "All done", thought: "", outputs: {} } },
      { id: 6, source: "user", action: "recall", args: { query: "x" } },
      { id: 7, source: "agent", action: "system", args: { content: "Be careful" } },
    ]
    expect(read(events)).toEqual([
      { result: "a", says: "bad\n[Error occurred in processing last action]", error: true },
      { result: "a", says: "no", error: true },
      { user: "User executed the command:\ngit status" },
      { user: "\nObserved result of command executed by user:\nclean" },
      { assistant: "All done" },
      { system: "Be careful" },
    ])
  })

  it.each([{ forgotten_event_ids: [2, 3] }, { forgotten_events_start_id: 2, forgotten_events_end_id: 3 }])(
    "forget what a condensation says, but only in the effective view: %o",
    (forgotten) => {
      const events = [
        said(1, "user", "one"),
        said(2, "agent", "two"),
        said(3, "user", "three"),
        said(4, "agent", "four"),
        { id: 5, source: "agent", action: "condensation", args: { ...forgotten, summary: "short", summary_offset: 1 } },
      ]
      expect(read(events)).toEqual([{ user: "one" }, { assistant: "two" }, { user: "three" }, { assistant: "four" }, { user: "short" }])
      expect(read(events, "effective")).toEqual([{ user: "one" }, { user: "short" }, { assistant: "four" }])
      for (const view of ["whole", "effective"] as const) {
        expect(openhandsV0.encode(settle(openhandsV0.decode(events, { view })).conversation)["history"]).toBe(events)
      }
      expect(openhandsV0.session.outline(events).compactions).toEqual([{ record: 4, kind: "summary", summary: "short" }])
    },
  )

  it("get an observation after a call that nobody answered", () => {
    const events = [said(1, "user", "go"), run(2, "r", { id: "a" }), said(3, "user", "on")]
    const history = openhandsV0.encode(settle(openhandsV0.decode(events)).conversation)["history"] as readonly Wire[]
    expect(history).toEqual([
      events[0],
      events[1],
      {
        timestamp,
        source: "agent",
        cause: 2,
        observation: "error",
        content: syntheticTexts.interrupted,
        extras: { error_id: "" },
        tool_call_metadata: (events[1] as Wire)["tool_call_metadata"],
      },
      events[2],
    ])
    expect(settle(openhandsV0.decode(history)).report.entries).toEqual([])
  })

  it("are found in trajectory files, in evaluations and in joined lines", () => {
    const events = [said(1, "user", "go"), run(2, "r", { id: "a" })]
    const lines = [
      { instance_id: "a", history: events },
      { instance_id: "b", history: [] },
    ]
    expect(openhandsV0.session.sessionsIn?.(events)).toEqual([{ path: [], value: events }])
    expect(openhandsV0.session.sessionsIn?.(lines)).toEqual([{ path: [0, "history"], value: events }])
    expect(openhandsV0.session.recognise({ syntax: "value", records: [events] })?.certainty).toBe("certain")
    expect(openhandsV0.session.recognise({ syntax: "lines", records: events })?.certainty).toBe("certain")
    // Among lines of something else too: a repair that leaves out an observation changes nothing about it.
    const mixed = [...events.slice(0, 1), { role: "tool" }, { role: "tool" }]
    expect(openhandsV0.session.recognise({ syntax: "lines", records: mixed })?.certainty).toBe("certain")
    expect(openhandsV0.session.recognise({ syntax: "lines", records: lines })).toBeUndefined()
    expect(openhandsV0.session.recognise({ syntax: "value", records: lines.slice(0, 1) })?.certainty).toBe("certain")
    const evaluation = openDocument(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
    expect(evaluation.parts.map(({ format, path, line }) => [format, path, line])).toEqual([["openhands-v0", "/history", 1]])
    for (const root of [
      [],
      [{ role: "user", content: "x" }],
      { history: [{ role: "user" }] },
      { trajectory: [{ action: "ls", observation: "x" }] },
    ]) {
      expect(openhandsV0.session.recognise({ syntax: "value", records: [root] })).toBeUndefined()
    }
  })

  it("are recognised also where an event is a line", () => {
    const events = [said(1, "user", "go"), run(2, "r", { id: "a" })]
    const document = openDocument(events.map((event) => `${JSON.stringify(event)}\n`).join(""))
    expect(document.parts.map(({ format, lines }) => [format, lines])).toEqual([["openhands-v0", [1, 2]]])
    for (const records of [[], [{ role: "user", content: "x" }]]) {
      expect(openhandsV0.session.recognise({ syntax: "lines", records })).toBeUndefined()
    }
  })

  it("tell a reader of windows where calls begin and end", () => {
    expect(openhandsV0.session.pulse?.(said(1, "user", "x"))).toEqual({ starts: true })
    expect(openhandsV0.session.pulse?.(run(1, "r", { id: "a" }))).toEqual({ calls: ["a"] })
    expect(openhandsV0.session.pulse?.(output(1, 0, "r", { id: "a" }, "x"))).toEqual({ results: ["a"] })
  })
})

const build = (messages: readonly Message[]): readonly Wire[] => {
  let next = 1
  return messages.flatMap((one, index): readonly Wire[] => {
    const words = wordsOf(one)
    const calls = one.blocks.filter((block) => block.type === "call")
    const results = one.blocks.flatMap((block): Wire[] => {
      if (block.type !== "result") return []
      const kind =
        block.error === true
          ? {
              observation: "mcp",
              extras: { error: true },
            }
          : { observation: "mcp", extras: {} }
      return [output(next++, 0, "r", { id: block.callId }, resultWords(block), kind)]
    })
    if (one.role === "system") return [{ id: next++, source: "agent", action: "system", args: { content: words } }]
    if (one.role === "assistant" && calls.length > 0) {
      const all = calls.map(({ id, name, raw, arguments: args }) => ({ id, name, text: raw ?? JSON.stringify(args) }))
      return [...all.map((call) => run(next++, `response-${index}`, call, all, words === "" ? null : words)), ...results]
    }
    if (words === "" && results.length > 0) return results
    return [said(next++, one.role === "assistant" ? "agent" : "user", words), ...results]
  })
}

describeOwnWriter({
  codec: openhandsV0,
  build: (messages) => ({ instance_id: "x", history: build(messages) }),
  recordsOf: (value) => (value as Wire)["history"] as readonly unknown[],
})
describeNeverThrows(openhandsV0, ["history"])
