/**
 * The damaged fixtures: reading the plain list finds the same calls, results and pairs as decoding it with its codec.
 * Left out are formats that are no plain lists of calls and results: calls written as text, and UI messages, which hold
 * a call and its result in one part.
 */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { surveyList } from "../../src/messages/read-list.ts"
import { decode } from "../../src/index.ts"
import { type Survey, survey } from "../../src/rules/survey/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const folder = new URL("../../fixtures/damaged/", import.meta.url)
const otherwise = new Set(["xml-text", "ai-sdk-ui", "sharegpt", "otel-messages"])
const listKeys = ["messages", "input", "contents"]

interface Fixture {
  readonly name: string
  readonly format: string
  readonly input: Readonly<Record<string, unknown>> | readonly unknown[]
}

const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Fixture)
  .filter(({ format }) => !otherwise.has(format))

const listOf = (input: Fixture["input"]): readonly unknown[] =>
  Array.isArray(input) ? input : (listKeys.map((key) => (input as Readonly<Record<string, unknown>>)[key]).find(Array.isArray) ?? [])

const pairs = ({ calls, results, orphans, duplicates, unanswered, stalePending }: Survey) => ({
  calls: calls.map(({ call }) => [call.id, call.name]),
  results: results.map(({ result, call }) => [result.callId, call?.call.id]),
  orphans: orphans.map(({ result }) => result.callId),
  duplicates: duplicates.map(({ result }) => result.callId),
  open: unanswered.length + stalePending.length,
})

describe("the damaged fixtures", () => {
  it.each(fixtures)("$name is read alike as a list and by its codec", ({ format, input }) => {
    const list = listOf(input)
    expect(list.length).toBeGreaterThan(0)
    for (const reattach of [true, false]) {
      const reading = { tip: "closed", reattach } as const
      expect(pairs(surveyList(list, reading))).toEqual(pairs(survey(decode(resolveCodec(format), input), reading)))
    }
  })
})
