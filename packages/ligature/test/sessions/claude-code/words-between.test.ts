import { describe, expect, it } from "vitest"
import { check, convert, repair } from "../../../src/convert/index.ts"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { FileBuilder, said } from "./builder.ts"

const { decode, session } = claudeCode

const answer = (id: string): Wire => ({ type: "tool_result", tool_use_id: id, content: `result of ${id}` })

const repaired = (records: readonly unknown[]) => {
  const { value, report } = repair(records, { from: "claude-code" })
  return { records: value["records"] as readonly Wire[], rules: report.entries.map(({ rule }) => rule) }
}

const expectHealthy = (records: readonly Wire[]): void => {
  expect(check(decode(records)).filter(({ severity }) => severity !== "info")).toEqual([])
  expect(repaired(records)).toEqual({ records, rules: [] })
}

/** Each record by its uuid and what it hangs on. */
const links = (records: readonly Wire[]): readonly unknown[] => records.map(({ uuid, parentUuid }) => [uuid, parentUuid])

describe("text before a result in one record", () => {
  it("is written after it", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.call("a")
    file.tree({ type: "user", message: { role: "user", content: [{ type: "text", text: "hold on" }, answer("a")] } })
    file.reply("done")
    const { records, rules } = repaired(file.records)
    expect(rules).toEqual(["misplaced-result"])
    expect(records[2]).toEqual({
      ...file.records[2],
      message: { role: "user", content: [answer("a"), { type: "text", text: "hold on" }] },
    })
    expect(records.filter((_, index) => index !== 2)).toEqual(file.records.filter((_, index) => index !== 2))
    expectHealthy(records)
  })

  it("is written after results in call order", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.call("a")
    file.call("b")
    const content = [answer("b"), { type: "text", text: "hold on" }, answer("a")]
    file.tree({ type: "user", message: { role: "user", content } })
    const { records } = repaired(file.records)
    expect((records[3] as { readonly message: Wire }).message["content"]).toEqual([
      answer("a"),
      answer("b"),
      { type: "text", text: "hold on" },
    ])
    expectHealthy(records)
  })

  it("gets a record of its own where another record has the result that follows", () => {
    const file = new FileBuilder()
    file.prompt("go")
    const first = file.call("a")
    const second = file.call("b", first)
    const content = [answer("a"), { type: "text", text: "hold on" }]
    file.tree({ type: "user", message: { role: "user", content } }, first)
    file.result("b", second)
    file.reply("done")
    const { records } = repaired(file.records)
    expect(said(decode(records).messages)).toEqual([
      "user: go",
      "assistant: +a +b",
      "user: =a",
      "user: =b",
      "user: hold on",
      "assistant: done",
    ])
    expectHealthy(records)
  })
})

describe("a prompt between a call and its result", () => {
  const interrupted = (): FileBuilder => {
    const file = new FileBuilder()
    file.prompt("go")
    file.call("a")
    file.prompt("hold on")
    file.result("a")
    return file
  }

  it("is read where the agent has it, and is no branch", () => {
    const file = interrupted()
    file.reply("done")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: +a", "user: hold on", "user: =a", "assistant: done"])
    expect(session.outline(file.records).paths).toHaveLength(1)
  })

  it("follows the result in the repaired file, wherever the file ends", () => {
    const ended = interrupted()
    const { records, rules } = repaired(ended.records)
    expect(rules).toEqual(["misplaced-result"])
    expect(links(records)).toEqual([
      ["u0", null],
      ["u1", "u0"],
      ["u3", "u1"],
      ["u2", "u3"],
    ])
    expect(said(decode(records).messages)).toEqual(["user: go", "assistant: +a", "user: =a", "user: hold on"])
    expectHealthy(records)
    const file = interrupted()
    file.reply("done")
    const longer = repaired(file.records).records
    expect(links(longer)).toEqual([
      ["u0", null],
      ["u1", "u0"],
      ["u3", "u1"],
      ["u2", "u3"],
      ["u4", "u2"],
    ])
    expectHealthy(longer)
  })

  it("survives a conversion, and the report names it", () => {
    const { value, report } = convert(interrupted().records, { from: "claude-code", to: "anthropic" })
    expect(JSON.stringify(value["messages"])).toContain("hold on")
    expect(report.entries.map(({ rule, ids }) => [rule, ids])).toEqual([["misplaced-result", ["a"]]])
  })

  it("is kept between parallel calls too", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.call("a")
    file.call("b")
    file.prompt("hold on")
    file.result("a")
    file.result("b")
    file.reply("done")
    const { records } = repaired(file.records)
    expect(said(decode(records).messages)).toEqual([
      "user: go",
      "assistant: +a +b",
      "user: =a",
      "user: =b",
      "user: hold on",
      "assistant: done",
    ])
    expectHealthy(records)
  })
})
