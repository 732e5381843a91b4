import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clineApi } from "../../../src/sessions/cline-api/index.ts"
import { hiddenRecords, recordsOf } from "../../../src/sessions/cline-api/records.ts"
import { xmlText } from "../../../src/formats/xml-text/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { type Conversation, type Wire } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { transcript } from "../../../src/model/index.ts"
import { sayings } from "../sayings.ts"
import { byHand } from "../../by-hand.ts"

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

/** Thinking without a provider goes into a field of its message, before everything. */
const said = (conversation: Conversation): readonly (readonly string[])[] =>
  sayings(conversation).map((words) => words.filter((word) => !word.startsWith("thinking ")))

/** Calls in text have no ids: those they are given name their place, which a record in between moves. */
const unnamed = (words: readonly (readonly string[])[]): unknown =>
  words.map((spoken) => spoken.map((word) => word.replace(/\bcall_\d+_\d+\b/, "call")))

describe("any conversation", () => {
  it("is the same after it was written as a history and read", () => {
    const property = fc.property(choices, (numbers) => {
      const drawn = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(drawn).messages, drawn)
      const { conversation } = settle(transcript(...messages))
      const list = clineApi.encode(conversation)["messages"] as readonly unknown[]
      const read = settle(clineApi.decode(JSON.parse(JSON.stringify(list))))
      expect(read.report.entries).toEqual([])
      expect(said(read.conversation)).toEqual(said(conversation))
      expect(clineApi.encode(settle(clineApi.decode(list)).conversation)["messages"]).toBe(list)
    })
    fc.assert(property, { numRuns: 300, seed: 3 })
  })

  it("is written the same before what is added later", () => {
    const property = fc.property(choices, fc.nat(), (numbers, cut) => {
      const whole = settle(transcript(...generateHistory(new Choices(numbers)).messages)).conversation
      const part = byHand({ ...whole, items: whole.items.slice(0, cut % (whole.items.length + 1)) })
      const session = { id: "x", startedAt: "2026-01-01T00:00:00.000Z" }
      const [before, after] = [part, whole].map((each) => clineApi.encode(each, { session })["messages"] as readonly Wire[])
      const settledPart = before?.slice(0, -1) ?? []
      expect(after?.slice(0, settledPart.length)).toEqual(settledPart)
    })
    fc.assert(property, { numRuns: 200, seed: 9 })
  })

  it("repaired in its file, in either style, is found again by reading the file", () => {
    const property = fc.property(choices, fc.boolean(), (numbers, inText) => {
      const drawn = new Choices(numbers)
      const whole = settle(transcript(...generateHistory(drawn).messages)).conversation
      const list = (inText ? xmlText.encode(whole) : clineApi.encode(whole))["messages"] as readonly Wire[]
      const left = list.filter(() => drawn.number(6) > 0)
      const torn = left.map((record, index) => (index % 3 === 0 ? { ...record, extra: index } : record))
      const { conversation } = settle(clineApi.decode(torn))
      const written = clineApi.encode(conversation)["messages"]
      const read = settle(clineApi.decode(written))
      expect(unnamed(said(read.conversation))).toEqual(unnamed(said(conversation)))
      expect(clineApi.encode(read.conversation)["messages"]).toEqual(written)
    })
    fc.assert(property, { numRuns: 300, seed: 4 })
  })
})

describe("any list", () => {
  const block = fc.oneof(
    fc.anything(),
    fc.record({
      type: fc.constantFrom("text", "tool_use", "tool_result", "image", "reasoning", "thinking", "thoughtSignature", "__proto__"),
      text: fc.anything(),
    }),
    fc.record({
      type: fc.constant("text"),
      text: fc.constantFrom("<read_file><path>a</path></read_file>", "[read_file for 'a'] Result:", " ", "<task>"),
    }),
    fc.record({
      type: fc.constant("tool_use"),
      id: fc.constantFrom("a", "b", ""),
      name: fc.constant("read_file"),
      input: fc.anything(),
    }),
    fc.record({ type: fc.constant("tool_result"), tool_use_id: fc.constantFrom("a", "b", ""), content: fc.anything() }),
  )
  const record = fc.oneof(
    fc.anything(),
    fc.record(
      {
        role: fc.constantFrom("user", "assistant", "tool", "system", "?"),
        type: fc.constantFrom("reasoning", "message"),
        content: fc.oneof(fc.array(block, { maxLength: 4 }), fc.constantFrom("<read_file><path>a</path></read_file>", "x"), fc.anything()),
        ts: fc.anything(),
        isSummary: fc.boolean(),
        condenseId: fc.constantFrom("a", "b"),
        condenseParent: fc.constantFrom("a", "b"),
        reasoning_content: fc.anything(),
        ligature: fc.constant({ role: "system" }),
      },
      { requiredKeys: [] },
    ),
  )

  it("is read, settled, written and outlined without complaint, and hidden records stay", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(record, { maxLength: 12 }), fc.anything()), fc.constantFrom("effective", "whole"), (value, view) => {
        const { conversation } = settle(clineApi.decode(value, { view: view as "effective" | "whole" }))
        const written = clineApi.encode(conversation)["messages"] as readonly unknown[]
        const hidden = hiddenRecords(recordsOf(value))
        if (view === "effective") expect(written.filter((each) => hidden.has(each))).toEqual([...hidden])
        clineApi.session.outline(value)
        clineApi.session.place?.(value)
        clineApi.session.recognise({ syntax: "value", records: [value] })
      }),
      { numRuns: 1000, seed: 5 },
    )
  })
})
