/** Values nested deeper than anything real, and halves of surrogate pairs where no rule looks: no request keeps them. */
import { expect, test } from "vitest"
import { check, convert, decode, encode, formats, repair } from "../../src/convert/index.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { settle, resolveProfile } from "../../src/rules/index.ts"
import { createRecorder } from "../../src/record/index.ts"
import { memoryStore } from "../../src/store/index.ts"
import { deepestNesting, flatten, isDeeper, jsonText, limitDepth } from "../../src/model/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const nested = (levels: number): unknown => {
  let value: unknown = "deep down"
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const request = (levels: number) => ({
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: { deep: nested(levels) } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x", extra: nested(levels) }] },
  ],
})

test("a value within the limit is the same value", () => {
  const value = nested(deepestNesting)
  expect(limitDepth(value)).toBe(value)
})

test("what is below the limit becomes its JSON text", () => {
  const limited = limitDepth(nested(100_000))
  expect(isDeeper(limited)).toBe(false)
  expect(JSON.stringify(limited)).toContain("deep down")
  expect(limitDepth(limited)).toBe(limited)
})

test("JSON text of a deep value can be parsed to it", () => {
  const text = jsonText({ list: [1, "\ud83d", null, { __proto__: null }], deep: nested(20_000) })
  expect(jsonText(JSON.parse(text))).toBe(text)
})

test.each([10_000, 100_000])("arguments and unknown fields of %i levels are read, repaired and written, with a report", (levels) => {
  const value = request(levels)
  expect(check(decode("anthropic", value)).map(({ rule }) => rule)).toEqual(["nested-too-deep"])
  const once = repair(value, { from: "anthropic" })
  expect(once.report.entries.map(({ rule }) => rule)).toEqual(["nested-too-deep"])
  expect(JSON.stringify(once.value).split("deep down")).toHaveLength(3)
  const twice = repair(once.value, { from: "anthropic" })
  expect(twice.report.entries).toEqual([])
  expect(twice.value).toEqual(once.value)
})

test("arguments as a text of 10,000 levels are kept as text", () => {
  const text = jsonText({ deep: nested(10_000) })
  const calls = [{ id: "a", type: "function", function: { name: "ls", arguments: text } }]
  const { value } = repair([{ role: "assistant", content: null, tool_calls: calls }], { from: "openai-chat" })
  expect(JSON.stringify(value)).toContain("deep down")
})

test.each(formats)("a deep value can be converted to %s", (to) => {
  const { value, report } = convert(request(10_000), { from: "anthropic", to })
  expect(isDeeper(value)).toBe(false)
  expect(report.entries.map(({ rule }) => rule)).toContain("nested-too-deep")
  expect(() => JSON.stringify([value, report.losses])).not.toThrow()
})

test.each(Object.keys(sessionCodecs) as (keyof typeof sessionCodecs)[])("a deep record of %s does not throw", (from) => {
  const records = [{ type: "user", deep: nested(10_000), message: { role: "user", content: nested(10_000) } }]
  expect(() => settle(decode(from, records))).not.toThrow()
})

test.each([
  ["gemini", { contents: [{ parts: [{ functionResponse: { name: "ad\ud800", response: { output: "x" } } }] }] }],
  [
    "anthropic",
    {
      messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {}, caller: { type: "\ud800" } }] }],
      tools: [{ name: "ls", description: "cut \ud83d" }],
    },
  ],
  [
    "openai-responses",
    {
      input: [
        { type: "mcp_call", name: "\ud800" },
        { type: "message", role: "user", content: "go" },
      ],
    },
  ],
  ["openai-chat", { messages: [{ role: "assistant", tool_calls: { name: "" } }, { tool_call_id: "\ud83d" }] }],
])("halves of surrogate pairs in fields of %s that no rule knows are not sent", (format, value) => {
  const { conversation } = settle(decode(resolveCodec(format), value))
  expect(settle(flatten(conversation)).report.entries).toEqual([])
  expect(JSON.stringify(encode(conversation, resolveProfile(format)).value)).not.toContain("\\ud8")
  const once = repair(value, { from: resolveCodec(format) })
  expect(JSON.stringify(once.value)).not.toContain("\\ud8")
  expect(once.report.entries).not.toEqual([])
  expect(repair(once.value, { from: resolveCodec(format) }).report.entries).toEqual([])
})

test("a store appends an entry that is nested as deep as it likes", async () => {
  const store = memoryStore()
  await store.create({ id: "one" })
  const native = { anthropic: nested(100_000) }
  await store.append("one", [{ kind: "message", message: { role: "user", blocks: [{ type: "text", text: "go" }], native } }])
  expect(JSON.stringify(await store.load("one"))).toContain("deep down")
})

test("a recorder takes an event that is nested as deep as it likes", () => {
  const recorder = createRecorder("gemini")
  recorder.push({ candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "ls", args: { deep: nested(10_000) } } }] } }] })
  expect(JSON.stringify(recorder.end().message)).toContain("deep down")
})
