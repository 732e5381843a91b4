import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { styleOf } from "../../src/json/json-style.ts"
import { applied, structuralCuts } from "../../src/document/rebuild-value.ts"

const rewritten = (text: string, after: unknown): string => {
  const span = { start: 0, end: text.length }
  return applied(text, structuralCuts(text, span, JSON.parse(text), after, styleOf(text, 0, text.length)))
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d", "__proto__"), tie("value"), { maxKeys: 4 }),
  ),
}))["value"]

describe("structuralCuts", () => {
  it("writes what parses to the new value, whatever changed", () => {
    const property = fc.property(json, json, fc.constantFrom(undefined, 2, "\t"), (before, after, margin) => {
      const text = JSON.stringify(before, null, margin)
      expect(JSON.parse(rewritten(text, JSON.parse(JSON.stringify(after))))).toEqual(JSON.parse(JSON.stringify(after)))
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it("keeps every byte of what did not change, odd spacing and digits included", () => {
    const text = `{ "kept" : [1.50,  2e3],"gone":1, "list": [ {"a":1.0}, {"b":2} ] }`
    const before = JSON.parse(text) as { readonly kept: unknown; readonly list: readonly unknown[] }
    const after = { kept: before.kept, list: [before.list[0], { b: 3 }] }
    expect(rewritten(text, after)).toBe(`{ "kept" : [1.50,  2e3],"list": [ {"a":1.0}, {"b":3} ] }`)
  })

  it("takes out several members in a row and adds others", () => {
    const text = '{\n  "type": "tool_use",\n  "id": "a",\n  "name": "b",\n  "input": {}\n}'
    expect(rewritten(text, { type: "text", text: "x" })).toBe('{\n  "type": "text",\n  "text": "x"\n}')
  })
})
