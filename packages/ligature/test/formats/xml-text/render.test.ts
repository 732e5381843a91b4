import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { renderCall, renderResult } from "../../../src/formats/xml-text/render.ts"
import { type CallStyle, scanCalls } from "../../../src/formats/xml-text/scan/scan-calls.ts"
import { scanResults } from "../../../src/formats/xml-text/scan/scan-results.ts"
import type { JsonObject } from "../../../src/model/index.ts"

const styles: readonly CallStyle[] = ["tag", "invoke", "hermes"]

const pieces = [
  "<tool>",
  "</tool>",
  "<path>",
  "</path>",
  "<content>",
  "</content>",
  '<parameter name="path">',
  "</parameter>",
  '<invoke name="tool">',
  "</invoke>",
  "<function_calls>",
  "</function_calls>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<function_results>",
  "</function_results>",
  "<result>",
  "</result>",
  "<stdout>",
  "</stdout>",
  "<name>",
  "</name>",
  "<error>",
  "]]>",
  "<![CDATA[",
  "&amp;",
  "&lt;",
  "&#13;",
  "&",
  "<",
  ">",
  '"',
  "'",
  "\\",
  "\n",
  "\r\n",
  "\r",
  "\t",
  " ",
  "```",
  "````\n",
  "~~~\n",
  "[x] Result:",
  "\n[tool] Result:\n",
  "\n[tool for 'x'] Result:\n",
  "[tool Result]\n\n",
  "] Result:",
  "[tool for '",
  "Array<string>",
  "a && b",
  '<div class="a">',
  "<br/>",
  "{",
  "}",
  "[",
  "]",
  '{"a":1}',
  "[1,2]",
  "null",
  "3",
  "true",
  "é",
  "日本",
  "🙂",
  "\ud800",
  "\u2028",
  "<environment_details>",
  "</environment_details>",
  "The tool execution failed with the following error:",
  "The user denied this operation",
  "\n\n[Response interrupted by",
  "text",
]
const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
)
const key = fc.oneof(
  fc.constantFrom("path", "content", "tool", "parameter", "name", "__proto__", "a b", "", "1", "args", "follow_up", 'x"<>&\n'),
  nasty,
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    nasty,
    nasty,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(1.5e300),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(Object.fromEntries),
  ),
})).value
const given = fc.array(fc.tuple(key, json), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as JsonObject)
const toolName = fc.oneof(
  fc.constantFrom("tool", "mcp__x-y.z", "path", "we ird", "invoke", 'a"b<c>', "tool_call"),
  nasty.filter((name) => name !== ""),
)

const callsOf = (text: string, tools: readonly string[]) => {
  const segments = scanCalls(text, { tools })
  expect(segments.map((segment) => text.slice(segment.start, segment.end)).join("")).toBe(text)
  return segments.flatMap((each) => (each.kind === "call" ? { name: each.name, arguments: each.arguments } : []))
}

describe("a rendered call", () => {
  it.each(styles)("is read back the same in %s style", (style) => {
    fc.assert(
      fc.property(toolName, given, (name, values) => {
        expect(callsOf(renderCall(name, values, style), [name])).toEqual([{ name, arguments: values }])
      }),
      { numRuns: 1500 },
    )
  })

  it.each(styles)("is read back among other calls and prose in %s style", (style) => {
    const one = fc.tuple(fc.constantFrom("tool", "path", "other"), given)
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "Let me see.\n\n"), (list, prose) => {
        const text = prose + list.map(([name, values]) => renderCall(name, values, style)).join("\n\n")
        expect(callsOf(text, ["tool", "path", "other"])).toEqual(list.map(([name, values]) => ({ name, arguments: values })))
      }),
      { numRuns: 1000 },
    )
  })

  it.each(styles)("is read back the same in %s style by those who know the schema", (style) => {
    const type = fc.constantFrom<unknown>(
      "string",
      "number",
      "integer",
      "boolean",
      "null",
      "array",
      "object",
      "odd",
      ["string", "number"],
      ["array", "object"],
      ["number", "null"],
    )
    const schema = fc.array(fc.tuple(key, type), { maxLength: 6 }).map((types) => ({
      type: "object",
      properties: Object.fromEntries(types.map(([name, kind]) => [name, { type: kind }])),
    }))
    fc.assert(
      fc.property(given, schema, (values, known) => {
        const text = renderCall("tool", values, style, known)
        const calls = scanCalls(text, { tools: ["tool"], schemas: new Map([["tool", known]]) })
        expect(calls.flatMap((each) => (each.kind === "call" ? [each.arguments] : []))).toEqual([values])
      }),
      { numRuns: 1500 },
    )
  })

  it("has structure in tags where agents nest them, and types in the text where a schema says them", () => {
    const args = { file: [{ path: "a.ts" }, { path: "b.ts", diff: { content: "<b>\n</b>", start_line: "3" } }] }
    expect(renderCall("read_file", { args }, "tag")).toBe(
      "<read_file>\n<args>\n  <file>\n    <path>a.ts</path>\n  </file>\n  <file>\n    <path>b.ts</path>\n    <diff>\n" +
        "      <content>\n<b>\n</b>\n</content>\n      <start_line>3</start_line>\n    </diff>\n  </file>\n</args>\n</read_file>",
    )
    const schema = { properties: { deep: { type: "boolean" }, names: { type: "array" } } }
    expect(renderCall("find", { deep: true, names: ["a", "b"] }, "tag", schema)).toBe(
      "<find>\n<deep>true</deep>\n<names>\n  <item>a</item>\n  <item>b</item>\n</names>\n</find>",
    )
    expect(renderCall("find", { deep: true }, "tag")).toBe('<find>\n<deep type="json">true</deep>\n</find>')
  })

  it("is plain where nothing needs an escape", () => {
    const values = { path: "a.ts", content: "one\ntwo && three < four\n" }
    expect(renderCall("write", values, "tag")).toBe(
      "<write>\n<path>a.ts</path>\n<content>\none\ntwo && three < four\n\n</content>\n</write>",
    )
    expect(renderCall("write", { path: "a", lines: [1] }, "invoke")).toBe(
      '<function_calls>\n<invoke name="write">\n<parameter name="path">a</parameter>\n<parameter name="lines" type="json">[1]</parameter>\n' +
        "</invoke>\n</function_calls>",
    )
    expect(renderCall("write", { path: "a" }, "hermes")).toBe('<tool_call>\n{"name":"write","arguments":{"path":"a"}}\n</tool_call>')
  })

  it("announces its escapes", () => {
    expect(renderCall("write", { content: "a</content> & b", "odd key": 1 }, "tag")).toBe(
      '<write>\n<content escape="entities">a&lt;/content> &amp; b</content>\n<parameter name="odd key" type="json">1</parameter>\n</write>',
    )
  })
})

const resultsOf = (text: string) => {
  const segments = scanResults(text)
  expect(segments.map((segment) => text.slice(segment.start, segment.end)).join("")).toBe(text)
  return segments.flatMap((each) => (each.kind === "result" ? each : []))
}

describe("a rendered result", () => {
  const options = fc.record({ error: fc.boolean(), hint: nasty, id: nasty }, { requiredKeys: ["error"] })

  it.each(styles)("is read back the same in %s style", (style) => {
    fc.assert(
      fc.property(toolName, nasty, options, (name, body, chosen) => {
        const read = resultsOf(renderResult(name, body, { ...chosen, style }))
        expect(read.map((each) => [each.name, each.text, each.error ?? false, each.denied, each.id])).toEqual([
          [name, body, chosen.error, undefined, chosen.id],
        ])
        if (style === "tag") expect(read.map((each) => each.hint)).toEqual([chosen.hint])
      }),
      { numRuns: 1500 },
    )
  })

  it.each(styles)("is read back among other results in %s style", (style) => {
    const one = fc.tuple(fc.constantFrom("tool", "other"), nasty)
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 4 }), (list) => {
        const text = list.map(([name, body]) => renderResult(name, body, { style })).join("\n\n")
        expect(resultsOf(text).map((each) => [each.name, each.text])).toEqual(list)
      }),
      { numRuns: 1000 },
    )
  })

  it("is plain where nothing needs an escape, and fenced where something does", () => {
    expect(renderResult("read", "a\nb", { hint: "x.ts" })).toBe("[read for 'x.ts'] Result:\na\nb")
    expect(renderResult("read", "a", { error: true, id: "c1" })).toBe("[read call c1] Result (Error):\na")
    expect(renderResult("read", "[read] Result:\n```", {})).toBe("[read] Result (fenced):\n````\n[read] Result:\n```\n````")
  })
})
