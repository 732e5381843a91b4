import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import { neovate } from "../../../src/sessions/neovate/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../../src/testing/index.ts"
import { transcript } from "../../../src/model/index.ts"
import { sayings } from "../sayings.ts"
import { byHand } from "../../by-hand.ts"

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

describe("any conversation", () => {
  it("is the same after it was written as a Neovate session and read", () => {
    const property = fc.property(choices, (numbers) => {
      const drawn = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(drawn).messages, drawn)
      const { conversation } = settle(transcript(...messages))
      const { records } = neovate.encode(conversation) as { readonly records: readonly unknown[] }
      const read = settle(neovate.decode(JSON.parse(JSON.stringify(records))))
      expect(read.report.entries).toEqual([])
      expect(sayings(read.conversation)).toEqual(sayings(conversation))
      const again = settle(neovate.decode(records)).conversation
      expect(neovate.encode(again)["records"]).toBe(records)
    })
    fc.assert(property, { numRuns: 300, seed: 3 })
  })

  it("is written the same before what is added later", () => {
    const property = fc.property(choices, fc.nat(), (numbers, cut) => {
      const whole = settle(transcript(...generateHistory(new Choices(numbers)).messages)).conversation
      const part = byHand({ ...whole, items: whole.items.slice(0, cut % (whole.items.length + 1)) })
      const [before, after] = [part, whole].map(
        (each) => neovate.encode(each, { session: { id: "feedbeef" } })["records"] as readonly unknown[],
      )
      expect(after?.slice(0, before?.length)).toEqual(before)
    })
    fc.assert(property, { numRuns: 200, seed: 9 })
  })

  it("repaired in its file, is found again by reading the file", () => {
    const property = fc.property(choices, (numbers) => {
      const drawn = new Choices(numbers)
      const whole = settle(transcript(...generateHistory(drawn).messages)).conversation
      const { records } = neovate.encode(whole) as { readonly records: readonly unknown[] }
      const torn = records.filter(() => drawn.number(6) > 0)
      const { conversation } = settle(neovate.decode(torn))
      const written = neovate.encode(conversation)["records"]
      const read = settle(neovate.decode(written))
      expect(sayings(read.conversation)).toEqual(sayings(conversation))
      expect(read.report.entries).toEqual([])
    })
    fc.assert(property, { numRuns: 300, seed: 4 })
  })
})

describe("any conversation read from a Neovate session", () => {
  const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

  it("is valid for every provider", () => {
    const property = fc.property(choices, (numbers) => {
      const drawn = new Choices(numbers)
      const { conversation } = settle(transcript(...generateHistory(drawn).messages))
      const { records } = neovate.encode(conversation) as { readonly records: readonly unknown[] }
      const read = settle(neovate.decode(records.filter(() => drawn.number(8) > 0))).conversation
      for (const target of targets) {
        const { value: request } = encode(read, target)
        expect(judges[target](JSON.parse(JSON.stringify(request))), target).toEqual({ ok: true })
      }
    })
    fc.assert(property, { numRuns: 60, seed: 8 })
  })
})

describe("any list of records", () => {
  const uuid = fc.constantFrom("a", "b", "c", "d", "")
  const part = fc.oneof(
    fc.anything(),
    fc.record({
      type: fc.constantFrom("text", "tool_use", "tool-result", "tool_result", "image", "reasoning", "__proto__"),
    }),
    fc.record({ type: fc.constant("tool_use"), id: uuid, name: fc.string(), input: fc.anything() }),
    fc.record({ type: fc.constant("tool-result"), toolCallId: uuid, result: fc.anything() }),
  )
  const record = fc.oneof(
    fc.anything(),
    fc.record({
      type: fc.constant("message"),
      role: fc.constantFrom("user", "assistant", "tool", "system", "?"),
      uuid: fc.oneof(uuid, fc.anything()),
      parentUuid: fc.oneof(uuid, fc.constant(null), fc.anything()),
      content: fc.oneof(fc.array(part, { maxLength: 4 }), fc.string(), fc.anything()),
    }),
  )

  it("is read, settled, written and outlined without complaint", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(record, { maxLength: 12 }), fc.anything()), (value) => {
        const { conversation } = settle(neovate.decode(value))
        neovate.encode(conversation)
        neovate.session.outline(value)
        neovate.session.place?.(value)
        if (Array.isArray(value)) for (const each of value) neovate.session.pulse?.(each)
        neovate.session.recognise({ syntax: "lines", records: Array.isArray(value) ? value : [value] })
      }),
      { numRuns: 1000, seed: 5 },
    )
  })

  it("is read, however many parents lie in the wrong places", () => {
    const count = 20_000
    const records = Array.from({ length: count }, (_, index) => ({
      type: "message",
      role: index % 2 === 0 ? "user" : "assistant",
      uuid: String(index),
      parentUuid: index % 3 === 0 ? "gone" : String((index * 7919) % count),
      content: "x",
    }))
    expect(neovate.decode(records).messages.length).toBeGreaterThan(1)
    expect(neovate.session.outline(records).paths.length).toBeGreaterThan(0)
  })
})
