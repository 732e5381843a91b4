import { describe, expect, it } from "vitest"
import { repair } from "../../../src/convert/index.ts"
import { openDocument } from "../../../src/document/index.ts"
import { claudeCode, claudeCodeArray } from "../../../src/sessions/claude-code/index.ts"
import { FileBuilder, said } from "./builder.ts"

const file = (): FileBuilder => {
  const built = new FileBuilder()
  built.outside({ type: "cost-state", sessionId: "session-1" })
  built.prompt("go")
  built.reply("looking")
  built.call("a")
  return built
}

describe("a session as one JSON array", () => {
  it("is known by its records, and is no file of lines", () => {
    const { records } = file()
    const parts = openDocument(JSON.stringify(records, undefined, 2)).parts
    expect(parts.map(({ format }) => format)).toEqual(["claude-code-array"])
    expect(claudeCode.session.recognise({ syntax: "value", records: [records] })).toBeUndefined()
    expect(claudeCodeArray.session.recognise({ syntax: "lines", records })).toBeUndefined()
  })

  it("is read and repaired as the lines are, bookkeeping of current versions included", () => {
    const { records } = file()
    const read = claudeCodeArray.decode(records)
    expect(said(read.messages)).toEqual(said(claudeCode.decode(records).messages))
    expect(read.diagnostics).toBeUndefined()
    const repaired = repair(records, { from: "claude-code-array" }).value["records"]
    expect(repaired).toEqual(repair(records, { from: "claude-code" }).value["records"])
  })
})
