import { describe, expect, it } from "vitest"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { said } from "./said.ts"
import { callItem, compacted, developerItem, event, item, meta, outputItem, prompt, rollBack, spoken, userItem } from "./records.ts"

const { decode, session } = codexRollout

const summary = "Another model wrote this summary:\nwe fixed the bug"

describe("a compaction with a replacement history", () => {
  const records = [
    meta(),
    item(developerItem("rules")),
    ...prompt("first"),
    item(callItem("c1")),
    item(outputItem("c1")),
    ...spoken("done"),
    compacted({
      message: "we fixed the bug",
      replacement_history: [userItem("first"), developerItem("rules, said anew"), userItem(summary)],
    }),
    event({ type: "context_compacted" }),
    ...prompt("second"),
    ...spoken("also done"),
  ]

  it("takes the place of what was said before", () => {
    expect(said(decode(records))).toEqual([
      "user: first",
      "system: rules, said anew",
      `summary user: ${summary}`,
      "user: second",
      "assistant: also done",
    ])
  })

  it("adds only what is new where the whole session is read", () => {
    expect(said(decode(records, { view: "whole" }))).toEqual([
      "system: rules",
      "user: first",
      "assistant: exec_command(c1)",
      "tool: c1=ok",
      "assistant: done",
      "system: rules, said anew",
      `summary user: ${summary}`,
      "user: second",
      "assistant: also done",
    ])
  })

  it("shows in the outline", () => {
    expect(session.outline(records)).toEqual({
      id: "0198aaaa-0000-7000-8000-000000000001",
      title: "first",
      folder: "/home/me/project",
      agentVersion: "0.142.3",
      startedAt: "2026-03-01T10:00:00.000Z",
      paths: [{ id: "active", kind: "active", title: "first", messages: 5, first: 1 }],
      compactions: [{ record: 8, kind: "summary", summary: "we fixed the bug" }],
    })
  })
})

describe("a compaction of old", () => {
  const records = [
    item(developerItem("rules")),
    ...prompt("first"),
    ...spoken("done"),
    compacted({ message: "we fixed the bug" }),
    ...prompt("second"),
    compacted({ message: "and another" }),
  ]

  it("keeps the client's words and adds its message as summary, in place of an earlier summary", () => {
    expect(said(decode(records))).toEqual(["system: rules", "user: first", "user: second", "summary user: and another"])
  })

  it("is where it happened in the whole session", () => {
    expect(said(decode(records, { view: "whole" }))).toEqual([
      "system: rules",
      "user: first",
      "assistant: done",
      "summary user: we fixed the bug",
      "user: second",
      "summary user: and another",
    ])
  })

  it("is not lost where the history it put in place is empty", () => {
    const empty = [...prompt("first"), compacted({ message: "all of it", replacement_history: [] })]
    expect(said(decode(empty))).toEqual(["summary user: all of it"])
  })
})

describe("rolling back", () => {
  const records = [
    meta(),
    item(developerItem("rules")),
    ...prompt("one"),
    ...spoken("1"),
    ...prompt("two"),
    ...spoken("2"),
    ...prompt("three"),
    item(callItem("c1")),
    rollBack(2),
    ...prompt("four"),
    ...spoken("4"),
  ]

  it("takes the last turns off the path", () => {
    const left = ["system: rules", "user: one", "assistant: 1", "user: four", "assistant: 4"]
    expect(said(decode(records))).toEqual(left)
    expect(said(decode(records, { view: "whole" }))).toEqual(left)
  })

  it("keeps the path that was left", () => {
    expect(session.outline(records).paths).toEqual([
      { id: "active", kind: "active", title: "one", messages: 5, first: 1 },
      { id: "rolled-back-1", kind: "abandoned", title: "two", messages: 3, first: 6, leaves: 5 },
    ])
    expect(said(decode(records, { branch: "rolled-back-1" }))).toEqual([
      "system: rules",
      "user: one",
      "assistant: 1",
      "user: two",
      "assistant: 2",
      "user: three",
      "assistant: exec_command(c1)",
    ])
  })

  it("goes back after a compaction, and brings back what that had hidden", () => {
    const undone = [
      ...prompt("one"),
      ...spoken("1"),
      ...prompt("two"),
      compacted({ message: "gone", replacement_history: [userItem("gone")] }),
      ...spoken("2"),
      rollBack(1),
    ]
    expect(said(decode(undone))).toEqual(["user: one", "assistant: 1"])
  })

  it("keeps what is before the first prompt when told to go back further than there is", () => {
    expect(said(decode([item(developerItem("rules")), ...prompt("one"), rollBack(9)]))).toEqual(["system: rules"])
    expect(said(decode([item(developerItem("rules")), rollBack(1)]))).toEqual(["system: rules"])
  })

  it("does not count surroundings as turns", () => {
    const surrounded = [...prompt("one"), ...prompt("two"), item(userItem("<turn_aborted>\nstopped")), rollBack(1)]
    expect(said(decode(surrounded))).toEqual(["user: one"])
  })
})

describe("a path that is not there", () => {
  it("gives the active one and says so", () => {
    const transcript = decode([...prompt("one")], { branch: "nowhere" })
    expect(said(transcript)).toEqual(["user: one"])
    const what = "Unknown branch nowhere: the active path was read"
    expect(transcript.diagnostics).toMatchObject([{ rule: "unknown-record", what }])
  })
})

describe("the pulse", () => {
  it("names calls, results and the places where a turn begins", () => {
    const pulse = session.pulse ?? (() => ({}))
    expect(pulse(item(userItem("go")))).toEqual({ starts: true })
    expect(pulse(item(userItem("<environment_context>")))).toEqual({})
    expect(pulse(event({ type: "task_started" }))).toEqual({ starts: true })
    expect(pulse(event({ type: "user_message", message: "go" }))).toEqual({})
    expect(pulse(item(callItem("c1")))).toEqual({ calls: ["c1"] })
    expect(pulse(item(outputItem("c1")))).toEqual({ results: ["c1"] })
    expect([pulse(null), pulse("x"), pulse({ type: "response_item" })]).toEqual([{}, {}, {}])
  })

  it("cuts a session into parts that read like the whole", () => {
    const answered = [item(callItem("c1")), item(outputItem("c1"))]
    const records = [meta(), ...prompt("one"), ...answered, ...prompt("two"), ...spoken("2")]
    const cut = records.findIndex((record, index) => index > 1 && session.pulse?.(record).starts === true)
    const parts = [records.slice(0, cut), records.slice(cut)].map((part) => decode(part))
    expect(parts.flatMap(said)).toEqual(said(decode(records)))
    expect(parts.map(({ diagnostics }) => diagnostics)).toEqual([undefined, undefined])
  })
})

describe("recognising", () => {
  const sample = (records: readonly unknown[]) => session.recognise({ syntax: "lines", records })

  it("sees a rollout also where its header is torn off", () => {
    expect(sample([meta(), ...prompt("one")])?.certainty).toBe("certain")
    expect(sample(prompt("one"))?.certainty).toBe("certain")
    expect(sample([item(userItem("one"))])?.certainty).toBe("likely")
  })

  it("leaves others alone", () => {
    expect(
      sample([
        { type: "session", version: 3 },
        { type: "message", message: {} },
      ]),
    ).toBeUndefined()
    expect(sample([{ type: "session.start", data: {} }, null, 7])).toBeUndefined()
    expect(sample([userItem("one"), callItem("c1")])).toBeUndefined()
  })
})
