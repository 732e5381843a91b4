import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { copilotCli } from "../../../src/sessions/copilot-cli/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { syntheticTexts, text, transcript, type Wire } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { brief } from "../pi/brief.ts"
import { assistant, chain, complete, event, failed, request, start, started, system, user } from "./events.ts"

const { decode, encode } = copilotCli

const recordsOf = (value: Wire) => value["records"] as readonly Wire[]

const repair = (records: readonly unknown[], branch?: string) =>
  recordsOf(encode(settle(decode(records, branch === undefined ? {} : { branch })).conversation))

const parents = (records: readonly Wire[]) => records.map(({ id, parentId }) => `${String(parentId)}<${String(id)}`)

describe("decoding", () => {
  it("reads messages, requests and completed executions, and points back to the events", () => {
    const records = chain(
      start,
      system("be good"),
      user("go", "<time/>\n\ngo"),
      assistant("I look.", [request("c1")], { reasoningText: "hm", reasoningOpaque: "c2Vh" }),
      started("c1"),
      complete("c1", "a.ts"),
    )
    const native = (wire: unknown) => ({ native: { "copilot-cli": wire } })
    expect(decode(records, { lines: [1, 2, 3, 4, 5, 6] })).toEqual({
      format: "copilot-cli",
      origin: { model: "claude-sonnet" },
      ...native(expect.objectContaining({ records, path: [0, 1, 2, 3, 4, 5] })),
      messages: [
        { role: "system", id: "e1", line: 2, blocks: [text("be good")], ...native(records[1]) },
        { role: "user", id: "e2", line: 3, blocks: [text("<time/>\n\ngo")], ...native(records[2]) },
        {
          role: "assistant",
          id: "e3",
          line: 4,
          origin: { model: "claude-sonnet" },
          blocks: [
            { type: "thinking", text: "hm", signature: "c2Vh", ...native(records[3]?.["data"]) },
            text("I look."),
            { type: "call", id: "c1", name: "bash", arguments: { command: "ls" }, ...native(request("c1")) },
          ],
          ...native(records[3]),
        },
        {
          role: "tool",
          id: "e5",
          line: 6,
          blocks: [{ type: "result", callId: "c1", content: [text("a.ts")], ...native(records[5]?.["data"]) }],
          ...native(records[5]),
        },
      ],
    })
  })

  it("gives the results of parallel calls in the order of the calls, and notices after them", () => {
    const records = chain(
      start,
      user("go"),
      assistant("", [request("1"), request("2")]),
      event("system.notification", { content: "shell done", kind: {} }),
      failed("2", "no such file"),
      complete("1", "one"),
      assistant("done"),
    )
    expect(brief(decode(records))).toEqual([
      "user: go",
      "assistant: 1() 2()",
      "tool: 1=one",
      "tool: 2=no such file!",
      "user: shell done",
      "assistant: done",
    ])
    expect(check(decode(records))).toEqual([])
    expect(repair(records)).toBe(records)
  })

  it("hears the system prompt once while it stays the same", () => {
    const records = chain(
      start,
      system("a"),
      user("x"),
      assistant("y"),
      event("session.resume", {}),
      system("a"),
      user("z"),
      system("b"),
      user("w"),
    )
    expect(brief(decode(records))).toEqual(["system: a", "user: x", "assistant: y", "user: z", "system: b", "user: w"])
    expect(brief(decode(records, { view: "effective" }))).toEqual(["system: b", "user: x", "assistant: y", "user: z", "user: w"])
  })

  it("marks a call that the user denied, and a free-text call", () => {
    const records = chain(
      start,
      user("go"),
      assistant("", [request("1"), { toolCallId: "2", name: "apply_patch", arguments: "*** Begin", type: "custom" }]),
      failed("1", "rejected by the user", "denied"),
      complete("2", "ok"),
    )
    const [, calls, denied] = decode(records).messages
    expect(calls?.blocks[1]).toMatchObject({ type: "call", custom: true, arguments: { input: "*** Begin" } })
    expect(denied?.blocks[0]).toMatchObject({ type: "result", denied: true, error: true })
    expect(repair(records)).toBe(records)
  })

  it("hides what a compaction covers in the effective view alone", () => {
    const records = chain(
      start,
      system("a"),
      user("old"),
      assistant("", [request("1")]),
      event("session.compaction_start", {}),
      complete("1", "late"),
      user("kept"),
      event("session.compaction_complete", { success: true, summaryContent: "we did x", checkpointNumber: 1, trigger: "auto" }),
      user("new"),
    )
    expect(brief(decode(records))).toEqual([
      "system: a",
      "user: old",
      "assistant: 1()",
      "tool: 1=late",
      "user: kept",
      "user*: we did x",
      "user: new",
    ])
    expect(brief(decode(records, { view: "effective" }))).toEqual(["system: a", "user*: we did x", "user: kept", "user: new"])
    expect(copilotCli.session.outline(records).compactions).toEqual([{ record: 7, kind: "summary", trigger: "auto", summary: "we did x" }])
    expect(repair(records)).toBe(records)
    expect(recordsOf(encode(settle(decode(records, { view: "effective" })).conversation))).toBe(records)
  })

  it("sets subagents apart by the call that started them", () => {
    const inside = { parentToolCallId: "task-1" }
    const records = chain(
      start,
      user("go"),
      assistant("", [request("task-1", "task")]),
      event("subagent.started", { toolCallId: "task-1", agentName: "explore", agentDisplayName: "Explorer" }),
      assistant("looking", [request("s1")], inside),
      complete("s1", "found", inside),
      assistant("it is there", [request("s2")], inside),
      event("subagent.completed", { toolCallId: "task-1" }),
      complete("task-1", "it is there"),
      assistant("done"),
    )
    expect(brief(decode(records))).toEqual(["user: go", "assistant: task-1()", "tool: task-1=it is there", "assistant: done"])
    expect(brief(decode(records, { branch: "task-1" }))).toEqual([
      "assistant: looking s1()",
      "tool: s1=found",
      "assistant: it is there s2()",
    ])
    expect(copilotCli.session.outline(records)).toEqual({
      id: "s-1",
      title: "go",
      folder: "/home/ada/work",
      model: "claude-sonnet",
      agentVersion: "1.0.64",
      startedAt: "2026-01-01T00:00:00.000Z",
      compactions: [],
      paths: [
        { id: "e9", kind: "active", title: "go", messages: 4, first: 0 },
        { id: "task-1", kind: "subagent", title: "Explorer", messages: 3, first: 4 },
      ],
    })
    const back = repair(records, "task-1")
    expect(back).toHaveLength(records.length + 1)
    expect(brief(decode(back))).toEqual(brief(decode(records)))
    expect(brief(decode(back, { branch: "task-1" })).at(-1)).toBe(`tool: s2=${syntheticTexts.interrupted}!`)
    expect(decode(records, { branch: "nobody" }).diagnostics?.map(({ rule }) => rule)).toEqual(["unknown-record"])
  })

  it("names unknown events and broken ones once", () => {
    const records = chain(start, event("weather.changed", {}), event("weather.changed", {}), { data: 3 }, user("x"))
    expect(decode(records).diagnostics?.map(({ rule, place }) => [rule, place.path])).toEqual([
      ["malformed-record", "records[3]"],
      ["unknown-record", "records[1]"],
    ])
  })
})

describe("writing back", () => {
  it("answers an aborted call after its message and keeps one chain of events", () => {
    const records = chain(
      start,
      user("go"),
      assistant("", [request("1")]),
      started("1"),
      event("abort", { reason: "user_initiated" }),
      user("on"),
    )
    const back = repair(records)
    const id = String(back[3]?.["id"])
    expect(back[3]).toEqual({
      type: "tool.execution_complete",
      data: { toolCallId: "1", success: false, error: { message: syntheticTexts.interrupted, code: "failure" } },
      id,
      timestamp: "2026-01-01T00:00:01.000Z",
      parentId: "e2",
    })
    expect(parents(back)).toEqual(["null<e0", "e0<e1", "e1<e2", `e2<${id}`, `${id}<e3`, "e3<e4", "e4<e5"])
    expect(back.filter((record) => !records.includes(record))).toHaveLength(2)
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("leaves out one of two results and joins the chain around it", () => {
    const records = chain(start, user("go"), assistant("", [request("1")]), complete("1", "one"), complete("1", "one"), user("on"))
    expect(parents(repair(records))).toEqual(["null<e0", "e0<e1", "e1<e2", "e2<e4", "e4<e5"])
  })

  it("tells a foreign conversation in the same events", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 80 }), (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const { conversation } = settle(transcript(...messages))
        const file = encode(conversation)
        const read = decode(JSON.parse(JSON.stringify(file)))
        expect(check(read)).toEqual([])
        expect(recordsOf(encode(settle(read).conversation))).toEqual(recordsOf(file))
        expect(new Set(recordsOf(file).map(({ id }) => id)).size).toBe(recordsOf(file).length)
        expect(copilotCli.session.recognise({ syntax: "lines", records: recordsOf(file) })?.certainty).toBe("certain")
      }),
      { numRuns: 100 },
    )
  })
})

describe("an event alone", () => {
  it("says which calls it makes and answers, and where a prompt starts", () => {
    const records = [
      user("x"),
      assistant("", [request("1"), request("2")]),
      complete("1", "x"),
      start,
      7,
      event("user.message", { content: "x", parentToolCallId: "t" }),
    ]
    expect(records.map((record) => copilotCli.session.pulse?.(record))).toEqual([
      { starts: true },
      { calls: ["1", "2"] },
      { results: ["1"] },
      {},
      {},
      {},
    ])
  })

  it("begins, when it is new, with the version that the agent refuses to open it without", () => {
    const { conversation } = settle(transcript({ role: "user", blocks: [text("go")] }, { role: "assistant", blocks: [text("done")] }))
    const written = encode(conversation, { session: { id: "moved", folder: "/project" } })
    const [first] = recordsOf(written)
    expect(first).toMatchObject({
      type: "session.start",
      data: { sessionId: "moved", copilotVersion: expect.any(String) as string, context: { cwd: "/project" } },
    })
    expect(copilotCli.session.place?.(recordsOf(written))).toEqual({
      path: "~/.copilot/session-state/moved/events.jsonl",
      resume: "copilot --resume=moved",
      note: "run it in /project, the folder the session names",
    })
  })

  it("never throws, whatever it is", () => {
    const anyEvent = fc.record(
      {
        type: fc.constantFrom(
          "user.message",
          "assistant.message",
          "tool.execution_complete",
          "system.message",
          "session.start",
          "session.compaction_complete",
          "subagent.started",
          "x",
        ),
        data: fc.oneof(
          fc.anything(),
          fc.record({
            content: fc.anything(),
            toolRequests: fc.oneof(fc.anything(), fc.array(fc.oneof(fc.anything(), fc.constant(request("1"))))),
            toolCallId: fc.anything(),
            result: fc.anything(),
            error: fc.anything(),
            parentToolCallId: fc.constantFrom(undefined, "t"),
          }),
        ),
        id: fc.anything(),
      },
      { requiredKeys: ["type"] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(fc.oneof(anyEvent, fc.anything()))), (value) => {
        const read = decode(value, { view: "effective", branch: "t" })
        encode(settle(read).conversation)
        encode(settle(decode({ records: value })).conversation)
        copilotCli.session.outline(value)
        copilotCli.session.place?.(value)
        if (Array.isArray(value)) for (const record of value) copilotCli.session.pulse?.(record)
      }),
      { numRuns: 400 },
    )
  })
})
