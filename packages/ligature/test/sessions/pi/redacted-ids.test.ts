import { describe, expect, it } from "vitest"
import { pi } from "../../../src/sessions/pi/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { assistant, header, toolCall, toolResult, user } from "./records.ts"

const said = (records: readonly unknown[], branch?: string): string =>
  JSON.stringify(pi.decode(records, branch === undefined ? {} : { branch }).messages.map(({ blocks }) => blocks))

const repaired = (records: readonly unknown[]): readonly Wire[] =>
  pi.encode(settle(pi.decode(records)).conversation)["records"] as readonly Wire[]

describe("entries whose ids are lost", () => {
  const gone = "REDACTED"
  const redacted = [
    header,
    user(gone, null, "first"),
    assistant(gone, gone, [toolCall("c1")]),
    toolResult(gone, gone, "c1", "a.txt"),
    user(gone, gone, "second"),
  ]

  it("are all read, in the order of the file, and the id is reported", () => {
    expect(pi.decode(redacted).messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"])
    expect(pi.decode(redacted).diagnostics?.map(({ rule }) => rule)).toEqual(["duplicate-record-id"])
    const back = repaired(redacted.toSpliced(3, 1))
    expect(check(pi.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })

  it("can be chosen by their place where they are on no path", () => {
    const alone = assistant("own", "own", [{ type: "text", text: "in a circle" }])
    const records = [header, user("a", null, "hi"), alone, user("b", "a", "on")]
    const [, other] = pi.session.outline(records).paths
    expect(other).toEqual({ id: "own", kind: "abandoned", messages: 1, first: 2 })
    const twins = [header, user("a", null, "hi"), user("x", "a", "one"), user("x", "a", "two")]
    expect(pi.session.outline(twins).paths.map(({ id }) => id)).toEqual(["x", "#2"])
    expect(said(twins, "#2")).toContain("one")
  })

  it("get an id where something new must hang on them", () => {
    const nameless: Wire = { ...assistant("b", "a", [toolCall("c1")]), id: 5 }
    const back = repaired([header, user("a", null, "hi"), nameless, user("c", "b", "on")])
    expect(said(back)).toContain("c1")
    expect(check(pi.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })

  it("take their copies along when they change", () => {
    const open = assistant("b", "a", [toolCall(""), { type: "text", text: 42 }])
    const records = [header, user("a", null, "hi"), { ...open }, open]
    const back = repaired(records)
    expect(back.filter(({ id }) => id === "b")).toHaveLength(1)
    expect(repaired(back)).toEqual(back)
  })
})
