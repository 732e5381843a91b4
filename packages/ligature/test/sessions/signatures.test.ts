import { describe, expect, it } from "vitest"
import { convert, decode, fileValueOf, repair, type SessionCodec } from "../../src/convert/index.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { isSignature } from "../../src/formats/anthropic/decode.ts"
import type { Wire } from "../../src/model/index.ts"
import { FileBuilder } from "./claude-code/builder.ts"
import { assistant, header, user } from "./pi/records.ts"

const claudeCode = (signature: unknown): readonly Wire[] => {
  const file = new FileBuilder()
  file.prompt("go")
  file.reply({ type: "thinking", thinking: "Let me see.", ...(signature !== undefined && { signature }) })
  file.fragment("done")
  return file.records
}

describe("a signature that Anthropic cannot have written", () => {
  it("is told from one that it may have written", () => {
    expect(["EqQBCgIYAhIM+/", "ErUB8g==", "c2ln"].map(isSignature)).toEqual([true, true, true])
    const impossible = [
      "",
      "reasoning_content",
      "1759500000000",
      "REDACTED",
      "reasoning",
      "Thinking",
      "null",
      "sig 1",
      "rs_68b0",
      undefined,
      null,
      7,
    ]
    expect(impossible.map(isSignature)).toEqual(impossible.map(() => false))
  })

  for (const signature of ["reasoning_content", "", "1759500000000", undefined]) {
    const name = JSON.stringify(signature) ?? "no signature"

    it(`is sent to nobody: ${name} in a Claude Code session`, () => {
      const { value, report } = convert(claudeCode(signature), { from: "claude-code", to: "anthropic" })
      expect(JSON.stringify(value["messages"])).not.toContain("thinking")
      expect(report.entries.map(({ rule }) => rule)).toContain("unsigned-thinking")
    })

    it(`is taken out of the file, with its words in the report: ${name} in a Claude Code session`, () => {
      const { value, report } = repair(claudeCode(signature), { from: "claude-code" })
      expect(JSON.stringify(value)).not.toContain("Let me see.")
      expect(JSON.stringify(report.entries)).toContain("Let me see.")
      const file = fileValueOf(sessionCodecs["claude-code"] as SessionCodec, value)
      expect(repair(file, { from: "claude-code" }).report.entries).toEqual([])
    })
  }

  it("is the name of a field where pi replays reasoning in it, and no signature for anybody else", () => {
    const thought = { type: "thinking", thinking: "Let me see.", thinkingSignature: "reasoning_content" }
    const records = [header, user("a", null, "go"), assistant("b", "a", [thought, { type: "text", text: "done" }])]
    const [, spoken] = decode("pi", records).messages
    expect(spoken?.blocks[0]).toMatchObject({ type: "thinking", text: "Let me see." })
    expect(spoken?.blocks[0]).not.toHaveProperty("signature")
    expect(repair(records, { from: "pi" }).report.entries).toEqual([])
    const { value } = convert(records, { from: "pi", to: "anthropic" })
    expect(JSON.stringify(value)).not.toContain("reasoning_content")
  })
})
