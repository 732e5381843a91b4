/** Arguments against the JSON Schema of a tool: what is complained about, and that the work is bounded. */
import { describe, expect, it } from "vitest"
import { schemaIssues } from "../../src/agent/tools/json-schema.ts"
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
    [{ n: { n: 1 } }, { $ref: "#/$defs/t", $defs: { t: { properties: { n: { $ref: "#/$defs/t" } }, type: "object" } } }, ["n.n: expected object, got integer"]],
    ["x", { unknownKeyword: 1, pattern: "(" }, []],
  ])("%j against %j", (value, schema, expected) => {
    expect(said(value, schema)).toEqual(expected)
  })

  it("are checked in bounded time, whatever the schema is", () => {
    const started = performance.now()
    expect(said("x", { $ref: "#" })).toEqual([])
    expect(said("x", { anyOf: [{ $ref: "#" }, { $ref: "#" }] })).toEqual([])
    expect(said(`${"a".repeat(50)}!`, { pattern: "^(a+)+$" })).toEqual([])
    expect(said(`${"a".repeat(5_000)}!`, { pattern: "a*a*a*b" })).toEqual([])
    expect(performance.now() - started).toBeLessThan(2_000)
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
