import { describe, expect, it } from "vitest"
import { alignHeadEnd, alignTailStart, truncateByFraction } from "../../src/messages/index.ts"
import { assistant, call, LigatureError, result, tool, user } from "../../src/model/index.ts"
import { shapes } from "./wire-shapes.ts"

const history = [
  user("one"), // 0
  assistant(call("a", "ls"), call("b", "cat")), // 1
  tool(result("a", "x")), // 2
  tool(result("b", "y")), // 3
  assistant("done"), // 4
  user("two"), // 5
  assistant(call("c", "ls")), // 6
  tool(result("c", "z")), // 7
]
const every = history.map((_, index) => index).concat(history.length)

describe.each(shapes)("cuts of $name messages", ({ write }) => {
  const messages = write(history)

  it("moves the start of the tail back to the start of its group", () => {
    expect(every.map((start) => alignTailStart(messages, start))).toEqual([0, 1, 1, 1, 1, 5, 6, 6, 8])
  })

  it("moves the start of the tail forward when told to", () => {
    expect(every.map((start) => alignTailStart(messages, start, { toward: "drop" }))).toEqual([0, 1, 5, 5, 5, 5, 6, 8, 8])
  })

  it("leaves a group that begins in the protected prefix to the head", () => {
    const starts = every.map((start) => alignTailStart(messages, start, { protectedPrefix: 2 }))
    expect(starts).toEqual([5, 5, 5, 5, 5, 5, 6, 6, 8])
  })

  it("begins the tail where the protected prefix ends when that is a boundary", () => {
    const starts = every.map((start) => alignTailStart(messages, start, { protectedPrefix: 5 }))
    expect(starts).toEqual([5, 5, 5, 5, 5, 5, 6, 6, 8])
  })

  it("ends the head after its group, or before it when told to", () => {
    expect(every.map((end) => alignHeadEnd(messages, end))).toEqual([0, 1, 5, 5, 5, 5, 6, 8, 8])
    expect(every.map((end) => alignHeadEnd(messages, end, { toward: "drop" }))).toEqual([0, 1, 1, 1, 1, 5, 6, 6, 8])
  })

  it("takes numbers outside of the list as its ends", () => {
    expect([-3, 99, Number.NaN, Number.POSITIVE_INFINITY, 2.9].map((start) => alignTailStart(messages, start))).toEqual([0, 8, 0, 8, 1])
    expect([-3, 99, Number.NaN, Number.POSITIVE_INFINITY, 2.9].map((end) => alignHeadEnd(messages, end))).toEqual([0, 8, 0, 8, 5])
    expect([alignTailStart([], 3), alignHeadEnd([], 3)]).toEqual([0, 0])
  })
})

describe("truncateByFraction", () => {
  const messages = shapes[0]?.write(history) ?? []
  const removedBy = (fraction: number, options = {}): readonly number[] => truncateByFraction(messages, fraction, options).removedIndices

  it("rounds to an even number and keeps a group at the cut", () => {
    expect([0, 0.2, 0.3, 0.5, 0.6, 0.9, 1].map((fraction) => removedBy(fraction))).toEqual([
      [],
      [],
      [],
      [],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ])
  })

  it("lets a group at the cut go when it must shrink", () => {
    expect(removedBy(0.5, { toward: "drop" })).toEqual([1, 2, 3, 4])
  })

  it("keeps more first messages than asked for when they end inside a group", () => {
    expect(truncateByFraction(messages, 0.75, { keepFirst: 2, toward: "drop" }).messages).toEqual([
      ...messages.slice(0, 5),
      ...messages.slice(6),
    ])
  })

  it("says what went, with statistics, and returns the same objects", () => {
    const truncation = truncateByFraction(messages, 1, { meter: (message) => JSON.stringify(message).length })
    const size = (list: readonly unknown[]): number => list.reduce<number>((sum, one) => sum + JSON.stringify(one).length, 0)
    const kept = [messages[0], messages[6], messages[7]]
    expect(truncation).toEqual({
      messages: kept,
      removed: messages.slice(1, 6),
      removedIndices: [1, 2, 3, 4, 5],
      count: { before: 8, after: 3 },
      tokens: { before: size(messages), after: size(kept) },
    })
    expect(truncation.messages.every((message, index) => message === kept[index])).toBe(true)
  })

  it("takes lists too short to cut", () => {
    expect([[], messages.slice(0, 1), messages.slice(0, 2)].map((list) => truncateByFraction(list, 1).messages.length)).toEqual([0, 1, 2])
    expect(truncateByFraction(messages, 1, { keepFirst: 99 }).removedIndices).toEqual([])
  })

  it.each([-0.1, 1.1, Number.NaN])("refuses %s as a fraction", (fraction) => {
    expect(() => truncateByFraction(messages, fraction)).toThrow(LigatureError)
  })
})
