import { describe, expect, it } from "vitest"
import { clineApi } from "../../../src/sessions/cline-api/index.ts"
import { assistant, task, text, use, user } from "./records.ts"

const known = (value: unknown, syntax: "value" | "lines" = "value"): string | undefined =>
  clineApi.session.recognise({
    syntax,
    records: syntax === "value" ? [value] : (value as readonly unknown[]),
  })?.certainty

const withoutTime = (record: Readonly<Record<string, unknown>>): unknown => {
  const { ts: _, ...rest } = record
  return rest
}

describe("a history of Cline, Roo or Kilo", () => {
  it("is known by the times of its messages", () => {
    expect(known([task(), assistant([use("t1")])])).toBe("certain")
    expect(known([user("hi"), assistant("hello")])).toBe("certain")
  })

  it("is known by its opening words where messages have no times", () => {
    expect(known([withoutTime(task())])).toBe("likely")
    expect(known([{ role: "user", content: "<environment_details>\n</environment_details>" }])).toBe("likely")
    expect(known([{ role: "user", content: [text("<user_message>\nx\n</user_message>")] }])).toBe("likely")
  })

  it("is known by its tags", () => {
    expect(known([{ role: "user", content: "x", condenseParent: "c1" }])).toBe("certain")
  })

  it("is not a plain request, nor what the agent shows, nor another agent's file", () => {
    expect(
      known([
        { role: "user", content: "hi" },
        { role: "assistant", content: [use("t1")] },
      ]),
    ).toBe(undefined)
    expect(known({ messages: [task()] })).toBe(undefined)
    expect(
      known([
        { ts: 1_759_500_000_000, type: "say", say: "text", text: "hi" },
        { ts: 1_759_500_000_001, type: "ask", ask: "tool" },
      ]),
    ).toBe(undefined)
    expect(known([task()], "lines")).toBe(undefined)
    expect(known([])).toBe(undefined)
    expect(known([1, "x", null])).toBe(undefined)
    expect(known([{ role: "user", content: "hi", ts: 12 }])).toBe(undefined)
  })
})

describe("what a history says of itself", () => {
  it("names the task, the time it began, and where it was cut down", () => {
    const list = [
      task("Read a.ts\nand b.ts"),
      assistant("x", { condenseParent: "c1", modelInfo: { providerId: "p", modelId: "m" } }),
      user([text("Summary.")], { isSummary: true, condenseId: "c1" }),
      user("[cut]", { isTruncationMarker: true, truncationId: "w1", ts: 1_759_500_100_000 }),
    ]
    expect(clineApi.session.outline(list)).toEqual({
      id: "1759500000000",
      startedAt: "2025-10-03T14:00:00.000Z",
      title: "Read a.ts",
      model: "m",
      paths: [{ id: "1759500100000", kind: "active", title: "Read a.ts", messages: 3, first: 0 }],
      compactions: [
        { record: 2, kind: "summary", summary: "Summary." },
        { record: 3, kind: "truncation" },
      ],
    })
  })
})
