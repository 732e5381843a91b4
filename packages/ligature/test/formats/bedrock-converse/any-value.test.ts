import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bedrockConverse } from "../../../src/formats/bedrock-converse/index.ts"
import { settle } from "../../../src/rules/judge/settle.ts"
import { type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const junk = fc.anything({ maxDepth: 2 })
const often = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: junk })
const id = often(fc.constantFrom("a", "b", "c", ""))
const words = fc.constantFrom("x", "", "  ", "[tool error] x", "[tool error] ")
const holding = (key: string, value: fc.Arbitrary<unknown>) => often(value).map((held) => ({ [key]: held }))
const image = holding("image", fc.constant({ format: "png", source: { bytes: "AA" } }))
const pdf = { name: "d", format: "pdf", source: { bytes: "AA" } }
const document = holding("document", fc.constantFrom(pdf, { name: "e" }))
const plain = fc.oneof(holding("text", words), image, document, holding("json", fc.jsonValue()))
const call = fc.record({ toolUseId: id, name: often(fc.constantFrom("f", "g")), input: often(fc.constant({})) })
const result = fc.record({
  toolUseId: id,
  content: often(fc.array(plain, { maxLength: 3 })),
  status: often(fc.constantFrom("success", "error", undefined)),
})
const block = often(
  fc.oneof(
    plain,
    holding("toolUse", call),
    holding("toolResult", result),
    holding("reasoningContent", fc.constantFrom({ reasoningText: { text: "t" } }, { redactedContent: "AA" }, {})),
    holding("cachePoint", fc.constant({ type: "default" })),
    holding("guardContent", fc.constant({ text: { text: "g" } })),
    fc.tuple(plain, plain).map(([one, two]) => ({ ...one, ...two })),
  ),
)
const message = often(
  fc.record({
    role: often(fc.constantFrom("user", "assistant", "assistant")),
    content: often(fc.array(block, { maxLength: 4 })),
  }),
)
const body = often(
  fc.record({
    messages: often(fc.array(message, { maxLength: 8 })),
    system: often(fc.constantFrom(undefined, "S", [{ text: "S" }])),
  }),
)

const rewrite = (value: unknown): Wire => bedrockConverse.encode(settle(bedrockConverse.decode(value)).conversation)

describe("bedrock-converse, given anything", () => {
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
        const { conversation } = settle(bedrockConverse.decode(value))
        bedrockConverse.encode(conversation, { resultStatus: false, extras: "strip" })
        expect(JSON.stringify(value)).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  it("survives keys of Object.prototype", () => {
    const hostile = JSON.parse(
      '{"messages":[{"role":"constructor","content":[]},{"role":"user","content":[{"__proto__":{"text":"x"}},' +
        '{"toString":1},{"toolUse":{"toolUseId":"a","name":"f","input":{"__proto__":1}}}]}]}',
    )
    const { messages } = bedrockConverse.decode(hostile)
    expect(messages.map(({ blocks }) => blocks.map((block) => block.type))).toEqual([["opaque"], ["opaque", "opaque", "call"]])
    expect(({} as Wire)["text"]).toBe(undefined)
  })

  it("never changes what is before the tip when items are appended", () => {
    fc.assert(
      fc.property(body, fc.boolean(), (value, foreign) => {
        const { conversation } = settle(bedrockConverse.decode(value))
        const bare = JSON.parse(
          JSON.stringify(conversation.items, (key, one: unknown) => (key === "native" || key === "carrier" ? {} : one)),
        )
        const items = (foreign ? bare : conversation.items) as typeof conversation.items
        const write = (length: number): readonly string[] => {
          const written = bedrockConverse.encode(byHand({ ...conversation, items: items.slice(0, length) }))
          return (written["messages"] as readonly unknown[]).map((one) => JSON.stringify(one))
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
