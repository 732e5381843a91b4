import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { transcript, type Wire } from "../../../src/model/index.ts"
import { Choices, generateHistory } from "../../../src/testing/index.ts"
import {
  callItem,
  compacted,
  customItem,
  customOutputItem,
  developerItem,
  event,
  item,
  meta,
  outputItem,
  prompt,
  rollBack,
  spoken,
  spokenItem,
  userItem,
} from "./records.ts"

type View = "effective" | "whole"

const repaired = (records: readonly unknown[], view: View = "effective", branch?: string): readonly Wire[] => {
  const decoded = codexRollout.decode(records, { view, ...(branch !== undefined && { branch }) })
  return codexRollout.encode(settle(decoded).conversation)["records"] as readonly Wire[]
}

const invented = (id: string, type = "function_call_output"): Wire => ({
  type,
  call_id: id,
  output: expect.stringContaining("[ligature:") as unknown,
})

describe("a healthy session", () => {
  const shell = { type: "local_shell_call", call_id: "s1", action: { type: "exec", command: ["ls"] } }
  const image = { type: "input_image", image_url: "data:image/png;base64,AA" }
  const twoParts = [
    { type: "output_text", text: "a" },
    { type: "text", text: "b" },
  ]
  const replacement = [userItem("first"), { type: "compaction", encrypted_content: "g" }]
  const records = [
    meta(),
    item({ ...developerItem("rules"), id: "msg_1", internal: { turn_id: "t" } }),
    ...prompt("first"),
    item({ type: "reasoning", summary: [], encrypted_content: "gAAA", id: "not-an-rs-id" }),
    item({ type: "reasoning", content: "[REDACTED]" }),
    item({ ...spokenItem("Looking."), phase: "commentary", id: "x" }),
    item({ type: "message", role: "assistant", content: "plain text" }),
    item({ type: "message", role: "assistant", content: twoParts }),
    item(shell),
    item(customItem("c2")),
    item({ ...callItem("c1"), id: "x", status: "completed" }),
    event({ type: "token_count", info: null }),
    item(outputItem("s1", [{ type: "input_text", text: "x" }, image])),
    item(customOutputItem("c2")),
    item(outputItem("c1", { exit_code: 0 })),
    item({ type: "web_search_call", status: "completed", action: { type: "search", query: "q" } }),
    item({ type: "agent_message", author: "a", content: [{ type: "input_text", text: "from another agent" }] }),
    event({ type: "user_message", message: "only an event" }),
    event({ type: "agent_message", message: "only an event, too" }),
    compacted({ message: "sum", replacement_history: replacement }),
    ...prompt("second"),
    rollBack(1),
    ...prompt("third"),
  ]

  it.each(["effective", "whole"] as const)("comes back as the very same records, read as %s", (view) => {
    expect(check(codexRollout.decode(records, { view }))).toEqual([])
    expect(repaired(records, view)).toBe(records)
  })

  it("comes back from a path it left", () => {
    expect(repaired(records, "effective", "rolled-back-1")).toBe(records)
  })
})

describe("a session damaged at random", () => {
  it("is healthy after one repair, keeps every record nobody had to touch, and every word", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 200 }), fc.constantFrom("effective", "whole"), (numbers, view) => {
        const choices = new Choices(numbers)
        const history = settle(transcript(...generateHistory(choices).messages)).conversation
        const records = [...(codexRollout.encode(history)["records"] as readonly Wire[])]
        for (let count = choices.number(5); count > 0; count--) {
          const at = choices.number(records.length)
          const to = choices.number(records.length)
          const kind = choices.number(4)
          if (kind === 0) records.splice(at, 1)
          else if (kind === 1) records.splice(to, 0, structuredClone(records[at] ?? meta()))
          else if (kind === 2) records.splice(to, 0, ...records.splice(at, 1))
          else records.splice(at, 0, compacted({ message: "sum", replacement_history: [userItem("old"), callItem("h")] }))
        }
        const decoded = codexRollout.decode(records, { view })
        const written = repaired(records, view)
        const again = codexRollout.decode(written, { view })
        expect(check(again).filter(({ severity }) => severity === "error")).toEqual([])
        expect(repaired(written, view)).toBe(written)
        const words = (read: typeof again): string => JSON.stringify(read.messages.flatMap(({ blocks }) => blocks))
        const left = words(again)
        for (const block of decoded.messages.flatMap(({ blocks }) => blocks)) {
          if (block.type === "text") expect(left).toContain(JSON.stringify(block.text))
        }
      }),
    )
  })
})

describe("a repaired session", () => {
  it("has the invented output after the calls, with the time of its call", () => {
    const call = item(callItem("c1"), 5)
    const done = event({ type: "task_complete" }, 8)
    const records = [meta(), ...prompt("go"), call, item(callItem("c2"), 6), item(outputItem("c2"), 7), done]
    const written = repaired(records)
    expect(written).toEqual([
      ...records.slice(0, 5),
      { timestamp: "2026-03-01T10:00:05.000Z", type: "response_item", payload: invented("c1") },
      ...records.slice(5),
    ])
    expect(written.filter((record) => records.includes(record))).toEqual(records)
    expect(repaired(written)).toBe(written)
  })

  it("answers each kind of call with its own kind of output", () => {
    const written = repaired([...prompt("go"), item(customItem("c1")), ...spoken("done")])
    expect(written[3]).toEqual({ ...item({}), payload: invented("c1", "custom_tool_call_output") })
  })

  it("keeps ordinals rising: uses a gap, moves later ones up only as far as needed", () => {
    const numbered = (record: Wire, ordinal: number): Wire => {
      const { timestamp, ...rest } = record
      return { timestamp, ordinal, ...rest }
    }
    const [ask, echo] = prompt("go") as [Wire, Wire]
    const records = [
      numbered(meta(), 0),
      numbered(ask, 1),
      numbered(echo, 2),
      numbered(item(callItem("c1")), 3),
      numbered(item(spokenItem("on")), 4),
      numbered(event({ type: "token_count" }), 7),
    ]
    const written = repaired(records)
    expect(written.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3, 4, 5, 7])
    expect(Object.keys(written[4] ?? {})).toEqual(["timestamp", "ordinal", "type", "payload"])
    expect(written.at(-1)).toBe(records.at(-1))
  })

  it("gives a number to a record that lacks one among numbered ones", () => {
    const records = [{ ordinal: 4, ...meta() }, item(userItem("hi")), { ordinal: 6, ...item(spokenItem("hello")) }]
    const written = repaired(records)
    expect(written.map(({ ordinal }) => ordinal)).toEqual([4, 5, 6])
    expect(written[2]).toBe(records[2])
  })

  it("has a repeated record once", () => {
    const call = item(callItem("c1"))
    const records = [...prompt("go"), call, structuredClone(call), item(outputItem("c1"))]
    expect(repaired(records)).toEqual([...records.slice(0, 3), records[4]])
  })

  it("has an output that answers nothing as words of the user, in its place", () => {
    const records = [...prompt("go"), item(customOutputItem("gone", "text")), ...spoken("done")]
    const text = "[Result of a call that is no longer in the history (gone)]\ntext"
    expect(repaired(records)).toEqual([...records.slice(0, 2), item(userItem(text)), ...records.slice(3)])
  })

  it("moves only an output that is after other words", () => {
    const late = item(outputItem("c1"))
    const records = [...prompt("go"), item(callItem("c1")), ...prompt("hello?"), late, ...spoken("done")]
    const written = repaired(records)
    expect(written).toEqual([...records.slice(0, 3), records[5], ...records.slice(3, 5), ...records.slice(6)])
    expect(written.every((record) => records.includes(record))).toBe(true)
  })

  it("has names without NUL and arguments that parse, and all other fields as they were", () => {
    const broken = { ...callItem("c1", "exec\u0000", "*** Begin"), status: "completed", extra: 1 }
    const records = [...prompt("go"), item(broken), item(outputItem("c1"))]
    const written = repaired(records)
    expect(written[2]?.["payload"]).toMatchObject({ name: "exec", status: "completed", extra: 1, call_id: "c1" })
    const { arguments: args } = (written[2] ?? {})["payload"] as Wire
    expect(() => JSON.parse(String(args)) as unknown).not.toThrow()
    expect(written[3]).toBe(records[3])
  })

  it("leaves out a blank message, and a blank part of one", () => {
    const parts = [
      { type: "output_text", text: " " },
      { type: "output_text", text: "b", annotations: [] },
    ]
    const records = [...prompt("go"), item(spokenItem("")), item({ ...spokenItem(""), content: parts, id: "msg_2" })]
    const written = repaired(records)
    expect(written).toEqual([...records.slice(0, 2), item({ ...spokenItem(""), content: [parts[1]], id: "msg_2" })])
  })

  it("repairs the history that a compaction put in place, with the list beside it", () => {
    const history = [userItem("first"), callItem("c1"), { type: "compaction", encrypted_content: "g" }]
    const compaction = compacted({
      message: "",
      replacement_history: history,
      replacement_history_metadata: ["a", "b", "c"],
      window_number: 1,
    })
    const records = [meta(), ...prompt("first"), item(callItem("c0")), compaction, ...prompt("on")]
    const written = repaired(records)
    expect(written[4]).toEqual({
      ...compaction,
      payload: {
        message: "",
        replacement_history: [history[0], history[1], invented("c1"), history[2]],
        replacement_history_metadata: ["a", "b", "b", "c"],
        window_number: 1,
      },
    })
    expect(written.filter((_, index) => index !== 4)).toEqual(records.filter((_, index) => index !== 4))
    expect(repaired(written)).toBe(written)
  })

  it("changes nothing that a compaction hides", () => {
    const records = [...prompt("a"), item(callItem("c0")), compacted({ message: "sum" }), ...prompt("b")]
    expect(repaired(records)).toBe(records)
    expect(repaired(records, "whole")).toHaveLength(records.length + 1)
  })
})
