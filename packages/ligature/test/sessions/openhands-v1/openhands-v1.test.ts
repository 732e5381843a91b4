import { describe, expect, it } from "vitest"
import { openhandsV1 } from "../../../src/sessions/openhands-v1/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { type Message, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { resultWords, wordsOf } from "../tau-bench/chat-messages.ts"
import { describeNeverThrows, describeOwnWriter, gist } from "../tau-bench/own-writer.ts"

let ordinal = 0
const head = (kind: string, source: string): Wire => ({
  kind,
  id: `event-${ordinal++}`,
  timestamp: "2025-09-25T11:33:20.537644",
  source,
})

const message = (source: "user" | "agent", words: string): Wire => ({
  ...head("MessageEvent", source),
  llm_message: {
    role: source === "user" ? "user" : "assistant",
    content: words === "" ? [] : [{ type: "text", text: words }],
  },
  activated_microagents: [],
  extended_content: [],
})

const action = (id: string, response: string | undefined, words = "", more: Wire = {}): Wire => ({
  ...head("ActionEvent", "agent"),
  thought: words === "" ? [] : [{ type: "text", text: words }],
  action: { kind: "BashAction", command: "ls" },
  tool_name: "bash",
  tool_call_id: id,
  tool_call: { id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
  ...(response !== undefined && { llm_response_id: response }),
  ...more,
})

const observation = (id: string, inner: Wire): Wire => ({
  ...head("ObservationEvent", "environment"),
  tool_name: "bash",
  tool_call_id: id,
  action_id: "x",
  observation: inner,
})

const output = (id: string, words: string): Wire => observation(id, { kind: "BashObservation", content: [{ type: "text", text: words }] })

const read = (events: readonly unknown[], view: "whole" | "effective" = "whole"): unknown =>
  gist(openhandsV1.decode(events, { view }).messages)

describe("OpenHands events", () => {
  it("are one message where calls share a response, also with a result in between", () => {
    const events = [message("user", "go"), action("a", "r1", "both"), output("a", "1"), action("b", "r1"), output("b", "2")]
    const { format, messages } = openhandsV1.decode(events)
    expect({ format, messages }).toEqual({
      format: "openhands-v1",
      messages: [
        { role: "user", blocks: [{ type: "text", text: "go" }], native: { "openhands-v1": events[0] } },
        {
          role: "assistant",
          blocks: [
            { type: "text", text: "both", native: { "openhands-v1": events[1] } },
            {
              type: "call",
              id: "a",
              name: "bash",
              arguments: { command: "ls" },
              raw: '{"command":"ls"}',
              native: { "openhands-v1": events[1] },
            },
            {
              type: "call",
              id: "b",
              name: "bash",
              arguments: { command: "ls" },
              raw: '{"command":"ls"}',
              native: { "openhands-v1": events[3] },
            },
          ],
          native: { "openhands-v1": events[1] },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "a",
              name: "bash",
              content: [{ type: "text", text: "1" }],
              native: { "openhands-v1": events[2] },
            },
          ],
          native: { "openhands-v1": events[2] },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "b",
              name: "bash",
              content: [{ type: "text", text: "2" }],
              native: { "openhands-v1": events[4] },
            },
          ],
          native: { "openhands-v1": events[4] },
        },
      ],
    })
    const written = openhandsV1.encode(settle(openhandsV1.decode(events)).conversation)
    expect(written["records"]).toBe(events)
  })

  it("are two messages where the response differs or is unknown", () => {
    const events = [action("a", "r1"), action("b", "r2"), action("c", undefined), action("d", undefined)]
    expect(openhandsV1.decode(events).messages.length).toBe(4)
  })

  it("say what the model saw of a command, an error and a refusal", () => {
    const metadata = { exit_code: 2, prefix: "<", suffix: ">", working_dir: "/repo", py_interpreter_path: "" }
    const events = [
      observation("a", { kind: "ExecuteBashObservation", output: "boom", error: true, metadata }),
      observation("b", { kind: "StrReplaceEditorObservation", output: "", error: "no such file" }),
      observation("c", { kind: "FinishObservation", message: "done" }),
      observation("d", { kind: "TaskObservation", plan: ["x"] }),
      { ...head("AgentErrorEvent", "agent"), tool_name: "bash", tool_call_id: "e", error: "bad arguments" },
      {
        ...head("UserRejectObservation", "environment"),
        tool_name: "bash",
        tool_call_id: "f",
        rejection_reason: "no",
        action_id: "x",
      },
    ]
    expect(read(events)).toEqual([
      {
        result: "a",
        says: "<boom>\n[Current working directory: /repo]\n[Command finished with exit code 2]",
        error: true,
      },
      { result: "b", says: "no such file", error: true },
      { result: "c", says: "done", error: false },
      { result: "d", says: '{"plan":["x"]}', error: false },
      { result: "e", says: "bad arguments", error: true },
      { result: "f", says: "Action rejected: no", error: true },
    ])
    const last = openhandsV1.decode(events).messages.at(-1)?.blocks[0]
    expect(last?.type === "result" && last.denied).toBe(true)
  })

  it("keep thinking of Anthropic as blocks that can go back there", () => {
    const signed = { type: "thinking", thinking: "hm", signature: "c2ln" }
    const event = action("a", "r", "", { thinking_blocks: [signed, { type: "redacted_thinking", data: "eHg=" }], reasoning_content: "hm" })
    expect(openhandsV1.decode([event]).messages[0]?.blocks.slice(0, 2)).toEqual([
      { type: "thinking", text: "hm", signature: "c2ln", native: { anthropic: signed, "openhands-v1": event } },
      {
        type: "thinking",
        text: "",
        signature: "eHg=",
        redacted: true,
        native: { anthropic: { type: "redacted_thinking", data: "eHg=" }, "openhands-v1": event },
      },
    ])
  })

  it("forget what a condensation says, but only in the effective view", () => {
    const events = [message("user", "one"), message("agent", "two"), message("user", "three"), message("agent", "four")]
    const condensation = {
      ...head("Condensation", "environment"),
      forgotten_event_ids: [events[1]?.["id"], events[2]?.["id"]],
      summary: "two and three",
      summary_offset: 1,
    }
    const log = [...events, condensation, message("user", "five")]
    expect(read(log)).toEqual([
      { user: "one" },
      { assistant: "two" },
      { user: "three" },
      { assistant: "four" },
      { user: "two and three" },
      { user: "five" },
    ])
    expect(read(log, "effective")).toEqual([{ user: "one" }, { user: "two and three" }, { assistant: "four" }, { user: "five" }])
    const summaries = openhandsV1.decode(log, { view: "effective" }).messages.map(({ summary }) => summary === true)
    expect(summaries).toEqual([false, true, false, false])
    for (const view of ["whole", "effective"] as const) {
      expect(openhandsV1.encode(settle(openhandsV1.decode(log, { view })).conversation)["records"]).toBe(log)
    }
    expect(openhandsV1.session.outline(log).compactions).toEqual([{ record: 4, kind: "summary", summary: "two and three" }])
  })

  it("keep what a user or a tool wrote in the form of a call from becoming one", () => {
    for (const role of ["user", "system", "tool"]) {
      const tool_calls = [{ id: "x", type: "function", function: { name: "bash", arguments: '{"command":"rm"}' } }]
      const said = {
        kind: "MessageEvent",
        id: "1",
        source: "agent",
        llm_message: { role, content: [{ type: "text", text: "do" }], tool_calls },
      }
      const { items } = settle(openhandsV1.decode([said])).conversation
      expect(items.filter((item) => item.role === "exchange")).toEqual([])
      expect(JSON.stringify(items)).toContain("rm")
    }
  })

  it("get an error event after a call that nobody answered, and lose nothing else", () => {
    const pause = head("PauseEvent", "user")
    const events = [message("user", "go"), action("a", "r1", "x"), action("b", "r1"), output("b", "2"), pause, message("user", "on")]
    const written = openhandsV1.encode(settle(openhandsV1.decode(events)).conversation)["records"] as readonly Wire[]
    expect(written.map(({ kind }) => kind)).toEqual([
      "MessageEvent",
      "ActionEvent",
      "ActionEvent",
      "AgentErrorEvent",
      "ObservationEvent",
      "PauseEvent",
      "MessageEvent",
    ])
    expect(written[3]).toEqual({
      kind: "AgentErrorEvent",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: "2025-09-25T11:33:20.537644",
      source: "agent",
      tool_name: "bash",
      tool_call_id: "a",
      error: syntheticTexts.interrupted,
    })
    expect(written.filter((event) => events.includes(event))).toEqual(events)
  })

  it("follow the conversation where their order was the damage; bookkeeping stays where it is", () => {
    const [first, pause, last] = [message("user", "go"), head("PauseEvent", "user"), message("user", "on")]
    const [late, call] = [output("a", "1"), action("a", "r1")]
    const { conversation } = settle(openhandsV1.decode([first, late, pause, call, last]))
    const written = openhandsV1.encode(conversation)["records"] as readonly unknown[]
    expect(written).toEqual([first, pause, call, late, last])
    expect(settle(openhandsV1.decode(written)).report.entries).toEqual([])
  })

  it("turn a result without its action into words, as a message event", () => {
    const events = [output("lost", "late news")]
    const { conversation } = settle(openhandsV1.decode(events))
    const [written] = openhandsV1.encode(conversation)["records"] as readonly Wire[]
    expect(written?.["kind"]).toBe("MessageEvent")
    expect(JSON.stringify(written)).toContain("late news")
    expect(settle(openhandsV1.decode([written])).report.entries).toEqual([])
  })

  it("report records that are no events, and kinds that are unknown", () => {
    const found = openhandsV1.decode([7, { kind: "NewEvent", id: "x" }, head("PauseEvent", "user")], { lines: [3, 4, 9] })
    expect(found.diagnostics?.map(({ rule, place }) => [rule, place])).toEqual([
      ["malformed-record", { path: "records[0]", line: 3 }],
      ["unknown-record", { path: "records[1]", line: 4 }],
    ])
  })

  it("tell a reader of windows where calls begin and end", () => {
    expect(openhandsV1.session.pulse?.(message("user", "x"))).toEqual({ starts: true })
    expect(openhandsV1.session.pulse?.(action("a", "r"))).toEqual({ calls: ["a"] })
    expect(openhandsV1.session.pulse?.(output("a", "x"))).toEqual({ results: ["a"] })
    expect(openhandsV1.session.pulse?.(head("PauseEvent", "user"))).toEqual({})
  })

  it("are recognised without their first records, and never in message lists", () => {
    expect(
      openhandsV1.session.recognise({
        syntax: "lines",
        records: [7, output("a", "x")],
      })?.certainty,
    ).toBe("certain")
    for (const records of [
      [],
      [{ role: "user", content: "x" }],
      [{ kind: "ActionEvent" }],
      [{ action: "run", source: "agent", args: {} }],
    ]) {
      expect(openhandsV1.session.recognise({ syntax: "lines", records })).toBeUndefined()
    }
  })
})

const eventsFor = (one: Message, index: number): readonly Wire[] => {
  const words = wordsOf(one)
  const calls = one.blocks.filter((block) => block.type === "call")
  const results = one.blocks.flatMap((block): Wire[] => {
    if (block.type !== "result") return []
    if (block.error === true)
      return [{ ...head("AgentErrorEvent", "agent"), tool_name: "t", tool_call_id: block.callId, error: resultWords(block) }]
    return [output(block.callId, resultWords(block))]
  })
  if (one.role === "system") return [{ ...head("SystemPromptEvent", "agent"), system_prompt: { type: "text", text: words }, tools: [] }]
  if (one.role === "assistant" && calls.length > 0) {
    const actions = calls.map((call, order) => {
      const said = { name: call.name, arguments: call.raw ?? JSON.stringify(call.arguments) }
      return action(call.id, `response-${index}`, order === 0 ? words : "", { tool_name: call.name, tool_call: { id: call.id, ...said } })
    })
    return [...actions, ...results]
  }
  if (words === "" && results.length > 0) return results
  return [message(one.role === "assistant" ? "agent" : "user", words), ...results]
}

describeOwnWriter({
  codec: openhandsV1,
  build: (messages) => ({ records: messages.flatMap(eventsFor) }),
  recordsOf: (value) => (value as Wire)["records"] as readonly unknown[],
})
describeNeverThrows(openhandsV1, ["records"])
