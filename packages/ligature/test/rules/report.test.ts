import { describe, expect, it } from "vitest"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, flatten, result, thinking, tool, user } from "../../src/model/index.ts"

describe("the report of settle", () => {
  it("names both results of a sibling whose message is left out", () => {
    const results = tool(result("a", "first"), result("a", "second"))
    const messages = [user("both"), assistant(call("a", "ls"), call("b", "cat")), results, user("stop")]
    const policies = { unansweredCall: "drop-message", duplicateResult: "keep-last" } as const
    const { report } = settle({ format: "ligature", messages }, { policies })
    const said = JSON.stringify(report.entries.map(({ original }) => original))
    expect(said).toContain("first")
    expect(said).toContain("second")
  })

  it("names reasoning that goes with a copy of a call", () => {
    const step = assistant({ ...thinking("ls will do", "c2ln"), tied: true }, call("a", "ls"))
    const { conversation, report } = settle({ format: "ligature", messages: [user("go"), step, step, tool(result("a", "x"))] })
    expect(flatten(conversation).messages).toEqual([user("go"), step, tool(result("a", "x"))])
    expect(report.entries.map(({ rule }) => rule)).toEqual(["duplicate-call", "split-span"])
  })
})
