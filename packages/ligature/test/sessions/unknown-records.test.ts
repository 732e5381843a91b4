import { describe, expect, it } from "vitest"
import { convert, fileValueOf, repair, type SessionCodec } from "../../src/convert/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import type { Wire } from "../../src/model/index.ts"
import { seeds } from "./repair/seeds.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

/** Where a record is that no version of the format writes, and how its type is named. */
const strangers: Readonly<Record<string, Wire>> = {
  "claude-code": { type: "telemetry_v9", sessionId: "s", note: "words nobody reads" },
  "codex-rollout": { timestamp: "2026-03-01T10:00:01.000Z", type: "telemetry_v9", payload: { note: "words nobody reads" } },
  "copilot-cli": { type: "telemetry_v9", data: { note: "words nobody reads" } },
  "gemini-cli": { type: "telemetry_v9", note: "words nobody reads" },
  neovate: { type: "telemetry_v9", note: "words nobody reads" },
  "openhands-v1": { kind: "telemetry_v9", id: "t", note: "words nobody reads" },
}

const linesOf = (format: string): readonly unknown[] => {
  const files: readonly unknown[] = seeds[format] ?? []
  return files.find((file): file is readonly unknown[] => Array.isArray(file)) ?? []
}

describe("records of a type that is not known", () => {
  for (const [format, record] of Object.entries(strangers)) {
    const [first, ...rest] = linesOf(format)
    const records = [first, record, ...rest, { ...record }]

    it(`are kept as they are by a repair of ${format}`, () => {
      const { value, report } = repair(records, { from: resolveCodec(format) })
      expect(report.entries).toEqual([])
      expect(fileValueOf(findSession(format) as SessionCodec, value)).toBe(records)
    })

    it(`are counted and named where ${format} is converted`, () => {
      const { report } = convert(records, { from: resolveCodec(format), to: "anthropic" })
      const left = report.entries.filter(({ rule }) => rule === "unknown-record")
      expect(left.map(({ kind, what }) => [kind, what])).toEqual([
        ["drop", expect.stringMatching(/^2 \w+ of type telemetry_v9 are not known: not converted$/) as string],
      ])
    })
  }

  it("leave their text in the report where they should hold a message", () => {
    const [header, ...entries] = linesOf("pi")
    const torn = { type: "message", id: "x1", parentId: "p8", message: { role: "narrator", content: "Meanwhile, elsewhere." } }
    const { report } = convert([header, ...entries, torn], { from: "pi", to: "anthropic" })
    expect(JSON.stringify(report.entries)).toContain("Meanwhile, elsewhere.")
    expect(repair([header, ...entries, torn], { from: "pi" }).report.entries).toEqual([])
  })
})
