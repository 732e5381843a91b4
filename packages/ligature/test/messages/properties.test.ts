import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  alignHeadEnd,
  alignTailStart,
  atomicGroups,
  dropUnansweredCalls,
  skipOrphanResults,
  truncateByFraction,
} from "../../src/messages/index.ts"
import { check, decode } from "../../src/index.ts"
import { Choices, damageHistory, generateHistory } from "../../src/testing/index.ts"
import { damages, idDamages } from "../../src/testing/damage.ts"
import { responses, shapes } from "./wire-shapes.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const numbers = fc.array(fc.nat(), { minLength: 8, maxLength: 160 })
const runs = { numRuns: 60 }
const readable = [...shapes.filter(({ format }) => format !== undefined), responses]

/** What a codec and the invariants find wrong with pairs in a plain list: an opinion that does not come from this folder. */
const pairDamage = (format: string | undefined, messages: readonly unknown[], rules: readonly string[]): readonly string[] =>
  check(decode(resolveCodec(format ?? ""), messages))
    .filter(({ rule }) => rules.includes(rule))
    .map(({ rule, what }) => `${rule}: ${what}`)

const split = ["orphan-result", "unanswered-call"]

describe.each(readable)("on generated $name histories", ({ format, write }) => {
  it("groups cover the list in order, and no cut between them parts a call from its result", () => {
    fc.assert(
      fc.property(numbers, (drawn) => {
        const messages = write(generateHistory(new Choices(drawn)).messages)
        const groups = atomicGroups(messages)
        expect(groups.flat()).toEqual(messages.map((_, index) => index))
        for (const [start = 0] of groups) {
          expect(pairDamage(format, messages.slice(0, start), split)).toEqual([])
          expect(pairDamage(format, messages.slice(start), split)).toEqual([])
        }
      }),
      { numRuns: 25 },
    )
  })

  it("a window of an aligned head and an aligned tail is whole, whatever was asked for", () => {
    fc.assert(
      fc.property(numbers, fc.nat(20), fc.nat(20), (drawn, first, last) => {
        const messages = write(generateHistory(new Choices(drawn)).messages)
        for (const toward of ["keep", "drop"] as const) {
          const head = alignHeadEnd(messages, first, { toward })
          const tail = alignTailStart(messages, messages.length - last, { protectedPrefix: head, toward })
          expect(pairDamage(format, [...messages.slice(0, head), ...messages.slice(tail)], split)).toEqual([])
        }
      }),
      runs,
    )
  })

  it("truncation never parts a call from its result", () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(6), (drawn, fraction, keepFirst) => {
        const messages = write(generateHistory(new Choices(drawn)).messages)
        const { messages: left, removed, count } = truncateByFraction(messages, fraction, { keepFirst })
        expect(pairDamage(format, left, split)).toEqual([])
        expect(left.length + removed.length).toBe(messages.length)
        expect(count).toEqual({ before: messages.length, after: left.length })
      }),
      runs,
    )
  })

  it("the clean-ups leave no orphan and no open call, touch no input, and have nothing to do twice", () => {
    fc.assert(
      fc.property(numbers, numbers, (drawn, drawnDamage) => {
        const healthy = generateHistory(new Choices(drawn)).messages
        const messages = write(damageHistory(healthy, new Choices(drawnDamage), { ...damages, ...idDamages }).messages)
        const before = JSON.stringify(messages)
        const left = skipOrphanResults(dropUnansweredCalls(messages))
        expect(JSON.stringify(messages)).toBe(before)
        expect(pairDamage(format, left, [...split, "duplicate-result"])).toEqual([])
        expect(skipOrphanResults(dropUnansweredCalls(left))).toBe(left)
      }),
      runs,
    )
  })
})
