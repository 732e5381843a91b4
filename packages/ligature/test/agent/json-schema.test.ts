/** Arguments against the JSON Schema of a tool: what is complained about, and that the work is bounded. */
import { describe, expect, it } from "vitest"
import { schemaIssues } from "../../src/agent/tools/json-schema.ts"
import { matchesPattern } from "../../src/agent/tools/pattern.ts"
import { startAgent } from "./run/agent.ts"

const said = (value: unknown, schema: unknown): readonly string[] =>
  schemaIssues(value, schema).map(({ path, message }) => `${path.join(".")}: ${message}`)

describe("arguments", () => {
  it.each<[unknown, object, readonly string[]]>([
    [{ a: 1 }, { type: "object", properties: { a: { type: "string" } } }, ["a: expected string, got integer"]],
    [{}, { type: "object", required: ["a"] }, ["a: is required"]],
    [{ b: 1 }, { properties: {}, additionalProperties: false }, ["b: is not a known property"]],
    [[1, "x"], { items: { type: "number" } }, ["1: expected number, got string"]],
    ["x", { enum: ["a", "b"] }, [': expected one of ["a","b"], got "x"']],
    ["x", { const: "y" }, [': expected "y", got "x"']],
    [null, { type: "string", nullable: true }, []],
    [null, { type: ["string", "null"] }, []],
    ["abc", { maxLength: 2, pattern: "^b" }, [": expected at most 2 characters, got 3", ": expected text that matches ^b"]],
    [5, { minimum: 6 }, [": expected at least 6, got 5"]],
    [[], { minItems: 1 }, [": expected at least 1 items, got 0"]],
    [1, { anyOf: [{ type: "string" }, { type: "null" }] }, [": fits none of 2 forms", ": expected string, got integer"]],
    [
      { n: { n: 1 } },
      { $ref: "#/$defs/t", $defs: { t: { properties: { n: { $ref: "#/$defs/t" } }, type: "object" } } },
      ["n.n: expected object, got integer"],
    ],
    ["x", { unknownKeyword: 1, pattern: "(" }, []],
  ])("%j against %j", (value, schema, expected) => {
    expect(said(value, schema)).toEqual(expected)
  })

  it("are checked in bounded time, whatever the schema is", () => {
    const started = performance.now()
    expect(said("x", { $ref: "#" })).toEqual([])
    expect(said("x", { anyOf: [{ $ref: "#" }, { $ref: "#" }] })).toEqual([])
    expect(said(`${"a".repeat(50)}!`, { pattern: "^(a+)+$" })).toHaveLength(1)
    expect(said(`${"a".repeat(5_000)}!`, { pattern: "a*a*a*b" })).toHaveLength(1)
    expect(said(`${"a".repeat(5_000)}!`, { pattern: "^(a|a)*$" })).toHaveLength(1)
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]))
    const forms = Array.from({ length: 50_000 }, (_, index) => ({ required: [`x${index}`] }))
    expect(said(wide, { anyOf: forms })).toEqual([])
    expect(said({}, { allOf: forms, required: forms.map((_, index) => `y${index}`) })).toHaveLength(10)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it("of any depth and size are shown shortened, and nothing throws", () => {
    let deep: unknown = "x"
    for (let level = 0; level < 50_000; level++) deep = [deep]
    expect(said(deep, { const: deep })).toEqual([])
    expect(said(deep, { const: "y" })).toEqual([': expected "y", got [[[[[[[…]]]]]]]'])
    expect(said("x".repeat(1_000_000), { enum: [deep, { a: 1, b: [null] }] })[0]?.length).toBeLessThan(300)
    expect(said(1, { type: [Symbol("strange"), deep], enum: [10n] })).toEqual([": expected one of [10], got 1"])
    const hostile = {
      get type(): string {
        throw new Error("no")
      },
    }
    expect(said(1, hostile)).toEqual([])
  })

  it("that do not fit are told to the model, and the tool does not run", async () => {
    let ran = 0
    const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
    const tools = [{ name: "read", parameters, run: () => ++ran }]
    const script = [{ calls: [{ name: "read", arguments: { path: 7 } }] }, { text: "Sorry." }]
    const agent = await startAgent("anthropic", { script, tools })
    expect((await agent.run({ prompt: "go" })).text).toBe("Sorry.")
    expect(ran).toBe(0)
    expect((await agent.told())[2]).toContain("path: expected string, got integer")
  })
})

describe("a pattern", () => {
  const patterns = [
    "^[a-z0-9]+(?:-[a-z0-9]+)*$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
    "a|b|",
    "^(a|b)*?c+$",
    "^a{2,3}$",
    "^(?:ab){2,}$",
    "\\bfoo\\b",
    "^[\\]a\\-]+$",
    "^\\p{Lu}",
    "^(?<year>\\d+)$",
    "^.$",
    "",
    "^$",
    "\\u0041\\x42",
    "(a*)*b",
    "^(\\/[\\w.-]+)+\\/?$",
    "[.*+?^${}()|[\\]\\\\]",
    "^\\u{1F600}$",
  ]
  const texts = [
    "",
    "a",
    "b",
    "aa",
    "aaa",
    "aaaa",
    "abab",
    "abc",
    "a-b-c",
    "a--b",
    "2024-01-31",
    "2024-1-31",
    "a@b.c",
    "a@b",
    "a foo b",
    "foobar",
    "]-a",
    "Ärger",
    "ärger",
    "2024",
    "AB",
    "/usr/lib/",
    "/usr//lib",
    "*",
    "😀",
    "\n",
    "aab",
  ]

  it.each(patterns)("%s matches what the engine of the platform matches", (pattern) => {
    for (const text of texts) expect([text, matchesPattern(text, pattern)]).toEqual([text, new RegExp(pattern, "u").test(text)])
  })

  it.each(["(?=a)b", "(?<!a)b", "(a)\\1", "(", "a{1001}", "(a{100}){100}", "x".repeat(1_001)])("%s is not checked", (pattern) => {
    expect(matchesPattern("b", pattern)).toBeUndefined()
  })
})
