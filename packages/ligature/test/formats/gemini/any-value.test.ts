import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gemini } from "../../../src/formats/gemini/index.ts"
import { settle } from "../../../src/rules/judge/settle.ts"
import { type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const junk = fc.anything({ maxDepth: 2 })
const often = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: junk })
const id = fc.constantFrom("a", "b", "", undefined)
const words = fc.constantFrom("x", "", "  ", "[tool error] x")
const spelled = (camel: string, snake: string, value: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(camel, snake), value).map(([key, held]) => ({ [key]: held }))
const held = often(fc.record({ id, name: often(fc.constantFrom("f", "g", "")), args: often(fc.constant({})) }))
const answer = often(
  fc.record({
    id,
    name: often(fc.constantFrom("f", "g")),
    response: often(fc.constantFrom({ output: "x" }, { error: "y" }, { z: 1 }, "s", {})),
    parts: often(fc.constantFrom(undefined, [{ inlineData: { mimeType: "image/png", data: "A" } }])),
  }),
)
const part = often(
  fc
    .tuple(
      fc.oneof(
        fc.record({ text: often(words) }),
        spelled("functionCall", "function_call", held),
        spelled("functionResponse", "function_response", answer),
        spelled("inlineData", "inline_data", often(fc.constant({ mimeType: "image/png", data: "A" }))),
        spelled("fileData", "file_data", often(fc.constant({ fileUri: "gs://a" }))),
        spelled("executableCode", "executable_code", often(fc.constant({ code: "1" }))),
        spelled("codeExecutionResult", "code_execution_result", often(fc.constant({ output: "1" }))),
        spelled("toolCall", "tool_call", often(fc.constant({ toolType: "x" }))),
      ),
      fc.constantFrom({}, { thoughtSignature: "s" }, { thought: true }, { thought_signature: 5 }),
    )
    .map(([data, marks]) => ({ ...data, ...marks })),
)
const content = often(
  fc.record({
    role: often(fc.constantFrom("user", "model", "model", "function", undefined)),
    parts: often(fc.array(part, { maxLength: 4 })),
  }),
)
const body = often(
  fc.record({
    contents: often(fc.array(content, { maxLength: 8 })),
    systemInstruction: often(fc.constantFrom(undefined, "S", { parts: [{ text: "S" }] }, { text: "S" })),
  }),
)

const rewrite = (value: unknown): Wire => gemini.encode(settle(gemini.decode(value)).conversation)

describe("gemini, given anything", () => {
  it("decodes and encodes without throwing, and what it wrote stays as it is", () => {
    fc.assert(
      fc.property(fc.oneof(body, junk), (value) => {
        const once = rewrite(value)
        const twice = rewrite(once)
        expect(JSON.stringify(rewrite(twice))).toBe(JSON.stringify(twice))
      }),
      { numRuns: 1000 },
    )
  })

  it("never changes its input", () => {
    fc.assert(
      fc.property(body, (value) => {
        const before = JSON.stringify(value)
        gemini.encode(settle(gemini.decode(value)).conversation, { thoughtSignatures: true, extras: "strip" })
        expect(JSON.stringify(value)).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  it("survives keys of Object.prototype", () => {
    const hostile = JSON.parse(
      '{"contents":[{"role":"constructor","parts":[]},{"role":"user","parts":[{"__proto__":{"text":"x"}},' +
        '{"toString":1},{"functionCall":{"__proto__":{"name":"f"},"name":"f","args":{"__proto__":1}}}]}]}',
    )
    const { messages } = gemini.decode(hostile)
    expect(messages.map(({ blocks }) => blocks.map((block) => block.type))).toEqual([["opaque"], ["opaque", "opaque", "call"]])
    expect(({} as Wire)["text"]).toBe(undefined)
  })

  it("never changes what is before the tip when items are appended", () => {
    fc.assert(
      fc.property(body, fc.boolean(), (value, foreign) => {
        const { conversation } = settle(gemini.decode(value))
        const bare = JSON.parse(
          JSON.stringify(conversation.items, (key, one: unknown) => (key === "native" || key === "carrier" ? {} : one)),
        )
        const items = (foreign ? bare : conversation.items) as typeof conversation.items
        const write = (length: number): readonly string[] => {
          const options = { thoughtSignatures: true }
          const written = gemini.encode(byHand({ ...conversation, items: items.slice(0, length) }), options)
          return (written["contents"] as readonly unknown[]).map((one) => JSON.stringify(one))
        }
        const whole = write(items.length)
        for (let length = 0; length < items.length; length++) {
          const before = write(length).slice(0, -1)
          expect(whole.slice(0, before.length)).toEqual(before)
        }
      }),
      { numRuns: 300 },
    )
  })
})
