import { describe, expect, it } from "vitest"
import { geminiCli } from "../../../src/sessions/gemini-cli/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { answered, geminiRecord, metadata, userRecord } from "./records.ts"

const repaired = (records: readonly unknown[]): readonly Wire[] =>
  geminiCli.encode(settle(geminiCli.decode(records)).conversation)["records"] as readonly Wire[]

describe("a damaged file of the Gemini CLI", () => {
  it("with redacted ids keeps every message: only one begun at the same time is a new version", () => {
    const at = (minute: number): Wire => ({ timestamp: `2026-05-01T10:0${minute}:00.000Z` })
    const records = [
      metadata,
      userRecord("REDACTED", "one", at(1)),
      geminiRecord("REDACTED", "half", at(2)),
      geminiRecord("REDACTED", "whole", at(2)),
      userRecord("REDACTED", "two", at(3)),
    ]
    const { messages, diagnostics } = geminiCli.decode(records)
    expect(messages.map(({ blocks }) => blocks[0]?.type === "text" && blocks[0].text)).toEqual(["one", "whole", "two"])
    expect(diagnostics?.map(({ rule }) => rule)).toEqual(["duplicate-record-id"])
    const back = repaired(records)
    expect(new Set(back.slice(1).map(({ id }) => id)).size).toBe(3)
    expect(back[2]?.["id"]).toBe(back[3]?.["id"])
    const unnamed = (record: Wire): Wire => ({ ...record, id: "" })
    expect(back.slice(1).map(unnamed)).toEqual(records.slice(1).map(unnamed))
  })

  it("is repaired for good where parts could not be read", () => {
    const odd = answered("c", "ls", "x", { result: [{ functionResponse: { id: "c", name: "ls" } }, 0] })
    const asked = userRecord("a", "hi", { content: [{ text: 42 }] })
    const records = [metadata, asked, geminiRecord("b", [7], { toolCalls: [odd] })]
    const back = repaired(records)
    expect(back[1]?.["content"]).toEqual([{ text: '{"text":42}' }])
    const response = { functionResponse: { id: "c", name: "ls", response: { output: "0" } } }
    expect(back[2]).toMatchObject({ toolCalls: [{ result: [response] }] })
    expect(check(geminiCli.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })
})
