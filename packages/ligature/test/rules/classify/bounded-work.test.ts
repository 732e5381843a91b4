// Texts made to hurt: a megabyte each, with many beginnings of patterns and no end. A search that is quadratic anywhere
// would take minutes; the limit is far above what a linear one needs on a slow machine.
import { describe, expect, it } from "vitest"
import { classify } from "../../../src/rules/classify/index.ts"
import { rulebook } from "../../../src/rules/rulebook/index.ts"

const length = 1_000_000
const limitMs = 10_000

const units = [
  "a",
  "1",
  "_",
  " ",
  "\n",
  "\\",
  "'",
  '"',
  "`",
  "{",
  "}",
  "[",
  "{}",
  '{"',
  "{'",
  "('",
  '"\\',
  "\\u00",
  "\t {",
  "a_",
  "messages.1.",
  "messages[1].",
  "with id ",
  "with id: a, ",
  "call_id a, ",
  "encrypted content ",
  "Item with id '",
  "Tool call id was ",
  "Function name was ",
  "property 'a",
  "of type 'a_",
  "toolUse blocks at a",
  "tool id(",
]

describe("classify", () => {
  it.each(units)(
    "reads a megabyte of %j in linear time",
    (unit) => {
      const text = unit.repeat(Math.ceil(length / unit.length))
      const recognised = classify(`each tool_use must have a single result. blocks with id: toolu_1. ${text}`)
      expect(recognised?.rule.id).toBe("anthropic-duplicate-tool-result")
      expect(recognised?.text.length).toBeLessThan(1_500)
    },
    limitMs,
  )

  it(
    "reads long runs of half refusals in linear time",
    () => {
      for (const { texts } of rulebook) {
        const [text] = texts
        if (text === undefined) continue
        const half = text.slice(0, Math.ceil(text.length / 2))
        classify(half.repeat(Math.ceil(50_000 / half.length)))
      }
    },
    limitMs,
  )

  it(
    "reads deep, cyclic and many-valued errors",
    () => {
      let deep: unknown = "messages.5.content.1: `tool_use` ids must be unique"
      for (let level = 0; level < 10; level++) deep = { error: deep }
      expect(classify(deep)?.rule.id).toBe("anthropic-tool-use-id-unique")
      const tooDeep = "[".repeat(100_000) + "]".repeat(100_000)
      expect(classify(tooDeep)).toBeUndefined()
      const cyclic: { error?: unknown; message: string } = { message: "each tool_use must have a single result" }
      cyclic.error = cyclic
      expect(classify(cyclic)?.rule.id).toBe("anthropic-duplicate-tool-result")
      expect(classify(Array.from({ length: 100_000 }, (_, index) => `line ${index}`))).toBeUndefined()
    },
    limitMs,
  )

  it(
    "finds a refusal after a megabyte of log",
    () => {
      const log = '{"level":"info","msg":"ok"}\n'.repeat(40_000)
      const error = '{"type":"error","error":{"message":"messages.7.content.2: `tool_use` ids must be unique"}}'
      expect(classify(log + error)?.place).toEqual({ path: "messages.7.content.2", message: 7, block: 2 })
    },
    limitMs,
  )
})
