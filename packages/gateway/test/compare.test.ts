/** Bodies cut into slices and compared as bytes say what a parser would say. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encode, profiles, settle, transcript, user } from "ligature"
import { Choices, generateHistory } from "ligature/testing"
import { commonPrefix, compareBodies } from "../src/conversation/compare.ts"
import { RequestBody } from "../src/conversation/request-body.ts"
import { sliceBody, textMember } from "../src/conversation/slices.ts"
import { judgeAll, judgeGrowth, judgeOutline, judgeWhole } from "../src/exchange/judge.ts"
import { wires } from "../src/wires/index.ts"
import type { WireName } from "../src/wires/wire.ts"

const value = fc.jsonValue({ maxDepth: 3 })
const element = fc.dictionary(fc.string(), value, { maxKeys: 4 })
const rest = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== "messages" && name !== "__proto__"),
  value,
  { maxKeys: 4 },
)
const indents = fc.constantFrom(undefined, 1, 2)

const write = (before: object, messages: readonly unknown[], after: object, indent?: number): Buffer =>
  Buffer.from(JSON.stringify({ ...before, messages, ...after }, undefined, indent))

const parsedAt = (bytes: Buffer, { start, end }: { readonly start: number; readonly end: number }): unknown =>
  JSON.parse(bytes.toString("utf8", start, end))

describe("slices", () => {
  it("hold every member and every element", () => {
    fc.assert(
      fc.property(rest, fc.array(element), rest, indents, (before, messages, after, indent) => {
        const bytes = write(before, messages, after, indent)
        const whole = JSON.parse(bytes.toString()) as Record<string, unknown>
        const slices = sliceBody(bytes, "messages")
        if (!slices) {
          expect(Object.keys(whole).some((key) => JSON.stringify(key).includes("\\"))).toBe(true)
          return
        }
        expect(Object.fromEntries([...slices.members].map(([name, span]) => [name, parsedAt(bytes, span)]))).toEqual(whole)
        expect(slices.elements.map((span) => parsedAt(bytes, span))).toEqual(whole["messages"])
      }),
    )
  })

  it("are none of bodies that are cut, or have a member twice", () => {
    const bytes = write({ model: "m" }, [{ a: '"]}' }], { x: [1, "\\"] })
    for (let end = 0; end < bytes.length; end++) expect(sliceBody(bytes.subarray(0, end), "messages")).toBeUndefined()
    expect(sliceBody(Buffer.from('{"messages":[],"messages":[1]}'), "messages")).toBeUndefined()
    expect(sliceBody(Buffer.from('{"messages":"text"}'), "messages")).toBeUndefined()
    expect([textMember(bytes, "model"), textMember(bytes, "x"), textMember(Buffer.from("[]"), "model")]).toEqual([
      "m",
      undefined,
      undefined,
    ])
  })
})

describe("comparison", () => {
  it("finds what stayed, what is new and what changed, as slicing anew would", () => {
    fc.assert(
      fc.property(
        rest,
        fc.array(element),
        fc.array(element),
        fc.nat(5),
        rest,
        rest,
        indents,
        (before, kept, added, cut, after, other, indent) => {
          const old = write(before, kept, after, indent)
          const now = write(before, [...kept.slice(0, kept.length - Math.min(cut, kept.length)), ...added], other, indent)
          const slices = sliceBody(old, "messages")
          const fresh = sliceBody(now, "messages")
          if (!slices || !fresh) return
          const growth = compareBodies(old, slices, now, "messages")
          if (!growth) {
            expect(commonPrefix(old, now)).toBeLessThanOrEqual(slices.list.start)
            return
          }
          expect(growth.slices.elements).toEqual(fresh.elements)
          expect(new Map(growth.slices.members)).toEqual(new Map(fresh.members))
          const same = JSON.parse(old.toString()) as { messages: unknown[] }
          const next = JSON.parse(now.toString()) as { messages: unknown[] } & Record<string, unknown>
          expect(next.messages.slice(0, growth.kept)).toEqual(same.messages.slice(0, growth.kept))
          for (const [name, span] of slices.members) {
            const changed = growth.changed.includes(name)
            if (name !== "messages" && !changed) expect(next[name]).toEqual(parsedAt(old, span))
          }
        },
      ),
    )
  })
})

/** What is in long texts: quotes, escapes, characters of several bytes, hardly any blanks or many. */
const filler = ['say "hi"\n\\ ', "ü→🎉 x", '{"a": [1, 2]}, ', "no-blank-at-all\\", "\t \u0001"]

/** The same value with long texts, where it has texts that are shown to a model. */
const lengthened = (value: unknown, which: number, key = ""): unknown => {
  if (typeof value === "string") {
    const isLong = ["text", "content", "output", "thinking"].includes(key) && (value.length + which) % 3 !== 0
    return isLong ? value + (filler[(value.length + which) % filler.length] ?? "").repeat(50 + (which % 60)) : value
  }
  if (Array.isArray(value)) return value.map((each) => lengthened(each, which, key))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, lengthened(each, which, name)]))
}

/** A valid history of a wire, as its client would send it. */
const requestOf = (seed: number, wire: WireName): Record<string, unknown> => {
  const { messages } = generateHistory(Choices.fromSeed(seed, 400))
  const history = encode(settle(transcript(...messages, user("and now?"))).conversation, wire as "anthropic").value
  return { model: "m", tools: [{ name: "bash" }], ...JSON.parse(JSON.stringify(history)) }
}

type Change = (list: unknown[], at: number) => void

/** What happens to lists of messages on their way. */
const changes: readonly Change[] = [
  () => undefined,
  (list, at) => void list.splice(at, 1),
  (list, at) => void list.splice(at, 0, list[at]),
  (list, at) => void list.push(...list.splice(at, 1)),
  (list, at) => void list.push(structuredClone(list[at])),
  (list, at) => void list.splice(at, 1, { ...(list[at] as object), role: "user" }),
]

describe.each(["anthropic", "openai-chat", "openai-responses", "gemini"] as const)("the new end of a history of %s", (name) => {
  it("is found valid only where the whole is", () => {
    const wire = wires[name]
    const demands = { profile: profiles[name], policies: {}, key: name, members: [], edits: [] }
    let short = 0
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(changes.length - 1), (seed, cut, at, which) => {
        const request = requestOf(seed, name)
        const list = request[wire.list] as unknown[]
        const old = Buffer.from(JSON.stringify({ ...request, [wire.list]: list.slice(0, 1 + (cut % list.length)) }))
        const next = [...list]
        changes[which]?.(next, at % list.length)
        const now = Buffer.from(JSON.stringify({ ...request, [wire.list]: next }))
        const known = judgeWhole(new RequestBody(old, wire.list), wire, demands)?.known
        const slices = sliceBody(old, wire.list)
        const growth = slices && compareBodies(old, slices, now, wire.list)
        const grown = growth && known && judgeGrowth(now, growth, known, wire, demands)
        if (!grown) return
        short++
        expect(judgeWhole(new RequestBody(now, wire.list), wire, demands)?.changes).toEqual([])
      }),
      { numRuns: 400 },
    )
    expect(short).toBeGreaterThan(60)
  })

  it("is found valid in outline only where the whole is", () => {
    const wire = wires[name]
    const demands = { profile: profiles[name], policies: {}, key: name, members: [], edits: [] }
    const found = [0, 0]
    fc.assert(
      fc.property(fc.nat(), fc.nat(2000), fc.nat(), fc.nat(changes.length - 1), (seed, length, at, which) => {
        const request = lengthened(requestOf(seed, name), length) as Record<string, unknown>
        changes[which]?.(request[wire.list] as unknown[], at % (request[wire.list] as unknown[]).length)
        const body = new RequestBody(Buffer.from(JSON.stringify(request)), wire.list)
        const whole = judgeAll(body, wire, demands)
        const outline = judgeOutline(body, wire, demands)
        if (whole?.known) found[outline ? 0 : 1]!++
        if (outline) expect([outline.bytes, outline.changes, outline.known]).toEqual([whole?.bytes, [], whole?.known])
      }),
      { numRuns: 200 },
    )
    // Where media or escapes do not forbid it, the outline is enough.
    expect(found[0]).toBeGreaterThan(20)
    expect(found[0]! / (found[0]! + found[1]!)).toBeGreaterThan(1 / 3)
  })
})
