/** Digits that no double holds survive a repair, also inside of what it had to change. */
import { describe, expect, it } from "vitest"
import { openDocument } from "../../src/document/index.ts"
import { repair } from "../../src/convert/index.ts"

const long = "12345678901234567890.50"
const messages = (last: string): string =>
  `{"role":"user","content":"hi"},` +
  `{"role":"assistant","content":[{"type":"tool_use","id":"a b","name":"f","input":{"channel":${long}, "list":[1e400]}},` +
  `{"type":"tool_use","id":"a b","name":"f","input":{"__proto__":{"n":-9007199254740993}}}]},` +
  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a b","content":"1"},{"type":"tool_result","tool_use_id":"a b","content":"2"}]}${last}`

const repaired = (text: string): { readonly text: string; readonly rules: readonly string[] } => {
  const document = openDocument(text)
  const rules: string[] = []
  const replacements = new Map(
    document.parts.map((part) => {
      const { value, report } = repair(part.value, { from: part.format })
      rules.push(...report.entries.map(({ rule }) => rule))
      return [part, value] as const
    }),
  )
  return { text: document.rebuild(replacements), rules }
}

describe("a repair that gives calls other ids", () => {
  it.each([
    ["a request", `{"model":"m","messages":[${messages("")}]}`],
    [
      "a request that gets longer",
      `{"model":"m","messages":[${messages(`,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":"go"}`)}]}`,
    ],
    ["a pretty one", JSON.stringify({ messages: "here" }, undefined, 2).replace('"here"', `[\n    ${messages("")}\n  ]`)],
    ["a bare list", `[${messages("")}]`],
    ["messages on lines of their own", messages("").replaceAll('},{"role"', '}\n{"role"')],
    ["text that holds the mark", `{"messages":[${messages(`,{"role":"assistant","content":"kept: kept:0"}`)}]}`],
  ])("keeps every digit of their arguments in %s", (_, text) => {
    const { text: after, rules } = repaired(text)
    expect(rules).toContain("duplicate-call-id")
    expect(after).toContain(`{"channel":${long}, "list":[1e400]}`)
    expect(after).toContain('{"__proto__":{"n":-9007199254740993}}')
    expect(after).not.toContain('"a b"')
    expect(repaired(after)).toEqual({ text: after, rules: [] })
  })
})

describe("a line that broke off and is repaired", () => {
  const call = `{"type":"assistant","uuid":"a","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"n":${long}}}]}}`
  it.each([
    ["a key that is no JSON", `{"type":"user","parentUuid":"a","uuid":"b","message":{"content":[{"n":${long},"":"""\\d":""}]}`],
    ["a text without an end", `{"type":"user","parentUuid":"a","uuid":"b","message":{"content":[{"n":${long},"text`],
    ["a missing comma", `{"type":"user","parentUuid":"a","uuid":"b","message":{"content":[{"n":${long}, "list":[{"a":1 "b":2}]}]}}`],
  ])("is written as whole JSON though it has %s", (_, torn) => {
    const { text, rules } = repaired(`${call}\n${torn}\n${call.replaceAll('"a"', '"d"')}`)
    expect(rules).toContain("unanswered-call")
    expect(text.split("\n").map((line) => typeof JSON.parse(line))).toEqual(Array.from({ length: 5 }, () => "object"))
    expect(repaired(text)).toEqual({ text, rules: [] })
  })
})
