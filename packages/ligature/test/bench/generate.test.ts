/** Benchmarks are comparable only while everybody measures the same history. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { generateHistory } from "../../../../bench/generate.mjs"

const fingerprint = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16)

describe("the generated history", () => {
  it("is the same bytes on every machine", () => {
    expect(fingerprint(generateHistory(1000))).toBe("9da85f3e03d86c84")
  })

  it("is another one for another seed", () => {
    expect(fingerprint(generateHistory(100, 2))).not.toBe(fingerprint(generateHistory(100, 1)))
  })

  it("has the size asked for, counting the system text", () => {
    expect([10, 100, 1000].map((count) => generateHistory(count).length)).toEqual([9, 99, 999])
  })

  it("answers every call in order and gives the user the last word", () => {
    const history = generateHistory(1000)
    const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id)
    const calls = history.flatMap((message) => (message.role === "assistant" ? idsOf(message.calls) : []))
    const results = history.flatMap((message) => (message.role === "results" ? idsOf(message.results) : []))
    expect(results).toEqual(calls)
    expect(new Set(calls).size).toBe(calls.length)
    expect(history.at(-1)?.role).toBe("user")
  })

  it("has about the parallel calls, failures and sizes it is shaped after", () => {
    const history = generateHistory(10_000)
    const counts = history.flatMap((message) => (message.role === "assistant" && message.calls.length > 0 ? [message.calls.length] : []))
    const results = history.flatMap((message) => (message.role === "results" ? message.results : []))
    const share = (part: number, whole: number): number => Math.round((100 * part) / whole)
    expect(share(counts.filter((count) => count > 1).length, counts.length)).toBeGreaterThanOrEqual(29)
    expect(share(counts.filter((count) => count > 1).length, counts.length)).toBeLessThanOrEqual(35)
    expect(share(results.filter(({ error }) => error).length, results.length)).toBe(3)
    const sizes = results.map(({ text }) => text.length).sort((left, right) => left - right)
    expect(Math.abs((sizes[sizes.length >> 1] ?? 0) - 600)).toBeLessThan(60)
  })
})
