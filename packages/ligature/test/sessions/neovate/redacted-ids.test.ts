import { describe, expect, it } from "vitest"
import { neovate } from "../../../src/sessions/neovate/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { answer, assistant, config, type Fields, say, tool, use, user } from "./records.ts"

const repaired = (records: readonly unknown[]): readonly Fields[] =>
  neovate.encode(settle(neovate.decode(records)).conversation)["records"] as readonly Fields[]

const errors = (records: readonly unknown[]): readonly unknown[] =>
  check(neovate.decode(records)).filter(({ severity }) => severity === "error")

describe("messages whose ids are lost", () => {
  const gone = "REDACTED"

  it("are all read, in the order of the file, and the id is reported", () => {
    const exchange = [assistant(gone, gone, use("c")), tool(gone, gone, answer("c"))]
    const records = [config, user(gone, null, "one"), ...exchange, user(gone, gone, "two")]
    const { messages, diagnostics } = neovate.decode(records)
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"])
    expect(diagnostics?.map(({ rule }) => rule)).toEqual(["duplicate-record-id"])
  })

  it("can be chosen by their place, also where they hang on themselves", () => {
    const records = [config, user("a", null, "hi"), assistant("x", "x", say("in a circle")), user("b", "a", "on")]
    expect(neovate.session.outline(records).paths.map(({ id }) => id)).toEqual(["b", "x"])
    const twins = [config, user("a", null, "hi"), user("y", "a", "one"), user("y", "a", "two")]
    expect(neovate.session.outline(twins).paths.map(({ id }) => id)).toEqual(["y", "#2"])
    expect(JSON.stringify(neovate.decode(twins, { branch: "#2" }).messages)).toContain("one")
  })

  it("get an id where something new must hang on them, and take their copies along", () => {
    const nameless = { ...assistant("b", "a", use("c1")), uuid: 5 }
    const back = repaired([config, user("a", null, "hi"), nameless, user("c", "b", "on")])
    expect(errors(back)).toEqual([])
    expect(JSON.stringify(neovate.decode(back).messages)).toContain("c1")
    const twice = repaired([config, user("a", null, null), user("a", null, null), user("b", "a", "on")])
    expect(twice).toHaveLength(2)
  })

  it("are written as text where they could not be read", () => {
    const back = repaired([config, user("a", null, 7), assistant("b", "a", { type: "text", text: 42 })])
    expect(back[1]?.["content"]).toEqual([{ type: "text", text: "7" }])
    expect(back[2]?.["content"]).toEqual([{ type: "text", text: '{"type":"text","text":42}' }])
    expect(errors(back)).toEqual([])
  })
})
