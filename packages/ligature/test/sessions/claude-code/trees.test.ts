import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { repair } from "../../../src/convert/index.ts"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { brokenPromises } from "../repair/promises.ts"

const { decode, session } = claudeCode
const histories = Number(process.env["LIGATURE_HISTORIES"] ?? 400)
const seed = Number(process.env["LIGATURE_SEED"] ?? 20_261_115)

interface Seedling {
  readonly kind: "prompt" | "meta" | "text" | "call" | "result" | "aside" | "synthetic"
  readonly parent: number
  readonly reply: number
  readonly of: number
  readonly side: boolean
}

const contents: Readonly<Record<Seedling["kind"], (seedling: Seedling, index: number) => Wire>> = {
  prompt: (_, index) => ({ type: "user", message: { role: "user", content: `prompt ${index}` } }),
  meta: (_, index) => ({ type: "user", isMeta: true, message: { role: "user", content: `note ${index}` } }),
  text: ({ reply }, index) => ({
    type: "assistant",
    requestId: `r${reply}`,
    message: { id: `m${reply}`, role: "assistant", content: [{ type: "text", text: `text ${index}` }] },
  }),
  call: ({ reply }, index) => ({
    type: "assistant",
    requestId: `r${reply}`,
    message: { id: `m${reply}`, content: [{ type: "tool_use", id: `c${index}`, name: "ls", input: {} }] },
  }),
  result: ({ of }, index) => ({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: `c${of}`, content: `result ${index}` }] },
  }),
  aside: () => ({ type: "progress" }),
  synthetic: (_, index) => ({
    type: "assistant",
    message: { model: "<synthetic>", role: "assistant", content: [{ type: "text", text: `error ${index}` }] },
  }),
}

const kinds: readonly Seedling["kind"][] = ["prompt", "meta", "text", "call", "call", "result", "result", "aside", "synthetic"]

/** Trees that no agent would write: any record may hang on any other, on none, or on one that is not there. */
const wildTree = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      parent: fc.integer({ min: -2, max: 30 }),
      reply: fc.nat(8),
      of: fc.nat(30),
      side: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((seedlings) =>
    seedlings.map((seedling, index): Wire => {
      const parentUuid = seedling.parent === -1 ? null : `u${seedling.parent}`
      const lane = seedling.side && index % 3 === 0 ? { isSidechain: true, agentId: "agent" } : { isSidechain: false }
      return { parentUuid, ...lane, sessionId: "s", uuid: `u${index}`, ...contents[seedling.kind](seedling, index) }
    }),
  )

const isSaid = (record: Wire): boolean => record["type"] !== "progress" && (record["message"] as Wire)["model"] !== "<synthetic>"

const isSolid = (record: Wire): boolean => isSaid(record) && record["isMeta"] !== true && !JSON.stringify(record).includes("tool_result")

const readOf = (records: readonly Wire[], branch?: string): readonly number[] => {
  const { native = {} } = decode(records, branch === undefined ? {} : { branch })
  return [...(native["claude-code"] as { said: ReadonlyMap<number, unknown> }).said.keys()]
}

describe("wild trees", () => {
  it("lose no message: each is on the active path or on one that has a name", () => {
    const property = fc.property(wildTree, (records) => {
      const read = new Set<number>()
      for (const { id, kind } of session.outline(records).paths) {
        for (const index of readOf(records, kind === "active" ? undefined : id)) read.add(index)
      }
      const missing = records.flatMap((record, index) => (isSaid(record) && !read.has(index) ? [index] : []))
      // Notices in a lane where nobody asked and nobody answered belong to no path.
      expect(missing.filter((index) => isSolid(records[index] as Wire))).toEqual([])
      const lanes = new Set(records.filter(isSolid).map(({ isSidechain }) => isSidechain))
      expect(missing.filter((index) => lanes.has(records[index]?.["isSidechain"]))).toEqual([])
    })
    fc.assert(property, { numRuns: histories * 2, seed })
  }, 3_600_000)

  it("say every message once", () => {
    const property = fc.property(wildTree, (records) => {
      const read = readOf(records)
      expect(new Set(read).size).toBe(read.length)
    })
    fc.assert(property, { numRuns: histories, seed })
  }, 3_600_000)

  it("are repaired for good, and the report says what was written", () => {
    const property = fc.property(wildTree, (records) => {
      expect(brokenPromises(claudeCode, records)).toEqual([])
      const mended = repair(records, { from: "claude-code" }).value["records"] as readonly Wire[]
      const uuids = mended.map(({ uuid }) => uuid)
      expect(new Set(uuids).size).toBe(uuids.length)
    })
    fc.assert(property, { numRuns: histories, seed })
  }, 3_600_000)

  it("have one id for each record once repaired, whatever ids they shared", () => {
    const shared = wildTree.map((records) => records.map((record, index) => (index % 4 === 3 ? { ...record, uuid: "u1" } : record)))
    const property = fc.property(shared, (records) => {
      expect(brokenPromises(claudeCode, JSON.parse(JSON.stringify(records)))).toEqual([])
    })
    fc.assert(property, { numRuns: histories, seed })
  }, 3_600_000)
})
