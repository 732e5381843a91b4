import { describe, expect, it } from "vitest"
import { convert, decode, fileValueOf, repair, type SessionCodec } from "../../src/convert/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import { checkSession } from "../../src/convert/session-check.ts"
import type { Wire } from "../../src/model/index.ts"
import { judges } from "../../src/testing/index.ts"
import { FileBuilder } from "./claude-code/builder.ts"
import * as cline from "./cline-api/records.ts"
import { callItem, item, meta, outputItem, prompt } from "./codex-rollout/records.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const longName = `mcp__${"server_".repeat(40)}`

const claudeCode = (name: string, id: string): readonly Wire[] => {
  const file = new FileBuilder()
  file.prompt("go")
  const call = file.fragment({ type: "tool_use", id, name, input: {} })
  file.result(id, call, call)
  file.reply("done")
  return file.records
}

const codex = (name: string, id: string): readonly unknown[] => [
  meta(),
  ...prompt("go"),
  item(callItem(id, name)),
  item(outputItem(id, "ok")),
]

const clineApi = (name: string, id: string): readonly unknown[] => [
  cline.task(),
  cline.assistant([cline.use(id, name)]),
  cline.user([cline.answer(id)]),
]

const sessions: Readonly<Record<string, (name: string, id: string) => readonly unknown[]>> = {
  "claude-code": claudeCode,
  "codex-rollout": codex,
  "cline-api": clineApi,
}

const repaired = (format: string, value: unknown) => {
  const { value: written, report } = repair(value, { from: resolveCodec(format) })
  return { file: fileValueOf(findSession(format) as SessionCodec, written), report }
}

describe("a session whose provider would refuse a call", () => {
  for (const [format, session] of Object.entries(sessions)) {
    it(`gets a tool name that the provider of ${format} accepts, in the file`, () => {
      const records = session(longName, "toolu_1")
      expect(checkSession(records, decode(resolveCodec(format), records), {}).map(({ rule }) => rule)).toEqual(["tool-name-format"])
      const { file, report } = repaired(format, records)
      expect(report.entries.map(({ rule, kind, ids }) => [rule, kind, ids])).toEqual([["tool-name-format", "safe", ["toolu_1"]]])
      expect(JSON.stringify(file)).not.toContain(longName)
      expect(checkSession(file, decode(resolveCodec(format), file), {})).toEqual([])
      expect(repaired(format, file)).toEqual({ file, report: { entries: [], losses: [] } })
    })

    it(`gets a call id that the provider of ${format} accepts, on the call and on its result`, () => {
      const id = `functions.ls:${"0".repeat(200)}`
      const records = session("ls", id)
      const { file, report } = repaired(format, records)
      expect(report.entries.map(({ rule }) => rule)).toEqual(["call-id-format"])
      const pairs = decode(resolveCodec(format), file).messages.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.type === "call" ? [block.id] : block.type === "result" ? [block.callId] : [])),
      )
      expect(pairs).toHaveLength(2)
      expect(new Set(pairs).size).toBe(1)
      expect(pairs).not.toContain(id)
      const { value } = convert(file, { from: resolveCodec(format), to: "anthropic" })
      expect(judges.anthropic(JSON.parse(JSON.stringify(value)))).toEqual({ ok: true })
      expect(repaired(format, file)).toEqual({ file, report: { entries: [], losses: [] } })
    })
  }

  it("leaves names alone where the agent sends the session to any provider", () => {
    const records = convert(claudeCode("ls", "toolu_1"), { from: "claude-code", to: "pi" }).value["records"]
    const renamed = JSON.parse(JSON.stringify(records).replaceAll('"ls"', JSON.stringify(longName))) as unknown
    expect(repair(renamed, { from: "pi" }).report.entries).toEqual([])
  })
})
