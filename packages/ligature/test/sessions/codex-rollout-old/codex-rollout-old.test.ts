import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codexRolloutOld } from "../../../src/sessions/codex-rollout-old/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { transcript, user, type Wire } from "../../../src/model/index.ts"
import { callItem, customOutputItem, outputItem, spokenItem, userItem } from "../codex-rollout/records.ts"
import { said } from "../codex-rollout/said.ts"

const { decode, encode, session } = codexRolloutOld

const header = { id: "bc45dae1", timestamp: "2025-08-30T11:49:52.079Z", instructions: null, git: { branch: "main" } }
const state = { record_type: "state" }
const records: readonly Wire[] = [
  header,
  state,
  { ...userItem("<environment_context>\n</environment_context>"), id: null },
  { ...userItem("list files\nplease"), id: null },
  state,
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAA" },
  callItem("c1"),
  outputItem("c1", "a.txt"),
  spokenItem("One file."),
  state,
]

const repaired = (given: readonly unknown[]): readonly Wire[] => encode(settle(decode(given)).conversation)["records"] as readonly Wire[]

describe("a rollout of old", () => {
  it("is read from its bare items", () => {
    const read = decode(records, { lines: records.map((_, index) => index + 1) })
    expect(said(read)).toEqual([
      "user: <environment_context>\n</environment_context>",
      "user: list files\nplease",
      "assistant: hm | exec_command(c1)",
      "tool: c1=a.txt",
      "assistant: One file.",
    ])
    expect(read.messages.map(({ line }) => line)).toEqual([3, 4, 6, 8, 9])
    expect(check(read)).toEqual([])
  })

  it("says who it is", () => {
    expect(session.outline(records)).toEqual({
      id: "bc45dae1",
      title: "list files",
      startedAt: "2025-08-30T11:49:52.079Z",
      paths: [{ id: "active", kind: "active", title: "list files", messages: 3, first: 2 }],
      compactions: [],
    })
  })

  it("comes back as the very same records", () => {
    expect(repaired(records)).toBe(records)
  })

  it("gets the outputs it lacks as bare items, and loses the ones that answer nothing to words", () => {
    const damaged = [header, userItem("go"), callItem("c1"), customOutputItem("c1", "x"), state, userItem("on")]
    const written = repaired(damaged)
    expect(written).toMatchObject([header, userItem("go"), callItem("c1"), {}, {}, state, userItem("on")])
    expect(written[3]).toMatchObject({ type: "function_call_output", call_id: "c1" })
    expect(written[4]).toMatchObject({ type: "message", role: "user" })
    expect(repaired(written)).toBe(written)
  })

  it("is not written for conversations from elsewhere", () => {
    expect(() => encode(settle(transcript(user("hi"))).conversation)).toThrow("Expected a conversation read from")
  })

  it("is recognised by its header or its state marks, and bare items are not", () => {
    const sees = (given: readonly unknown[]): string | undefined => session.recognise({ syntax: "lines", records: given })?.certainty
    expect([sees(records), sees([header]), sees(records.slice(1)), sees([userItem("x")]), sees([])]).toEqual([
      "certain",
      "certain",
      "certain",
      undefined,
      undefined,
    ])
    expect(sees([{ id: "x", timestamp: "t", type: "session", version: 3 }, { type: "message" }])).toBeUndefined()
  })

  it("has a pulse", () => {
    expect(records.map((record) => session.pulse?.(record)).slice(3, 8)).toEqual([
      { starts: true },
      {},
      {},
      { calls: ["c1"] },
      { results: ["c1"] },
    ])
  })

  it("never throws, whatever the value", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), (value) => {
        encode(settle(decode(value)).conversation)
        session.outline(value)
      }),
    )
  })
})
