import { describe, expect, it } from "vitest"
import { check, convert, decode, fileValueOf, repair, type SessionCodec } from "../../src/convert/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import type { Wire } from "../../src/model/index.ts"
import { seeds } from "./repair/seeds.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

/** How an agent finds its way: from the last record up, by the parent that each one names. */
interface Agent {
  readonly format: string
  readonly id: string
  readonly parent: string
  readonly recordsOf: (file: unknown) => readonly Wire[]
  readonly lastOf: (file: unknown) => unknown
  readonly withRecords: (file: unknown, records: readonly Wire[]) => unknown
}

const lines = {
  recordsOf: (file: unknown): readonly Wire[] => file as readonly Wire[],
  withRecords: (_: unknown, records: readonly Wire[]): unknown => records,
}

const chatIn = (file: unknown): Wire => (file as { readonly chat: Wire }).chat

const historyIn = (file: unknown) => chatIn(file)["history"] as { readonly messages: Wire; readonly currentId: unknown }

const agents: readonly Agent[] = [
  {
    format: "claude-code",
    id: "uuid",
    parent: "parentUuid",
    lastOf: (file) => lines.recordsOf(file).findLast(({ uuid }) => uuid !== undefined)?.["uuid"],
    ...lines,
  },
  { format: "pi", id: "id", parent: "parentId", lastOf: (file) => lines.recordsOf(file).at(-1)?.["id"], ...lines },
  { format: "neovate", id: "uuid", parent: "parentUuid", lastOf: (file) => lines.recordsOf(file).at(-1)?.["uuid"], ...lines },
  {
    format: "open-webui",
    id: "id",
    parent: "parentId",
    recordsOf: (file) => Object.values(historyIn(file).messages) as readonly Wire[],
    lastOf: (file) => historyIn(file).currentId,
    withRecords: (file, records) => {
      const messages = Object.fromEntries(records.map((record) => [record["id"], { ...record, childrenIds: [] }]))
      return { ...(file as Wire), chat: { ...chatIn(file), history: { ...historyIn(file), messages } } }
    },
  },
]

const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The ids that the agent reaches, last first. */
const reached = ({ id, parent, recordsOf, lastOf }: Agent, file: unknown): readonly unknown[] => {
  const byId = new Map(recordsOf(file).map((record) => [record[id], record]))
  const ids: unknown[] = []
  for (let at = byId.get(lastOf(file)); at && !ids.includes(at[id]); at = byId.get(at[parent])) ids.push(at[id])
  return ids
}

const repairedFile = ({ format }: Agent, file: unknown) => {
  const { value, report } = repair(file, { from: resolveCodec(format) })
  return { file: stored(fileValueOf(findSession(format) as SessionCodec, value)), rules: report.entries.map(({ rule }) => rule) }
}

const broken = (agent: Agent, file: unknown, at: number, change: Wire): unknown => {
  const records = agent.recordsOf(file)
  const linked = records.filter((record) => typeof record[agent.parent] === "string")
  const target = linked[at]
  return stored(
    agent.withRecords(
      file,
      records.map((record) => (record === target ? { ...record, ...change } : record)),
    ),
  )
}

describe("a session whose links are broken", () => {
  for (const agent of agents) {
    const { format, id, parent } = agent
    const healthy = stored(seeds[format]?.[0])
    const whole = reached(agent, healthy)
    const said = (file: unknown): string =>
      JSON.stringify(decode(resolveCodec(format), file).messages.map(({ role, blocks }) => [role, blocks.length]))

    const expectWhole = (file: unknown, rule: string): void => {
      expect(check(decode(resolveCodec(format), file)).map((finding) => finding.rule)).toContain(rule)
      expect(reached(agent, file).length).toBeLessThan(whole.length)
      const { file: back, rules } = repairedFile(agent, file)
      expect(rules).toEqual([rule])
      expect(reached(agent, back).length).toBe(whole.length)
      expect(said(back)).toBe(said(healthy))
      expect(check(decode(resolveCodec(format), back)).filter(({ severity }) => severity !== "info")).toEqual([])
      expect(repairedFile(agent, back)).toEqual({ file: back, rules: [] })
      expect(convert(file, { from: resolveCodec(format), to: "openai-chat" }).report.entries.map((entry) => entry.rule)).toContain(rule)
    }

    it(`is whole again for ${format} where a parent is missing`, () => {
      expectWhole(broken(agent, healthy, 1, { [parent]: "00000000-gone" }), "dangling-parent")
    })

    it(`is whole again for ${format} where a record names no parent`, () => {
      expectWhole(broken(agent, healthy, 1, { [parent]: undefined }), "dangling-parent")
    })

    it(`is whole again for ${format} where parents form a cycle`, () => {
      const [, second] = agent.recordsOf(healthy).filter((record) => typeof record[parent] === "string")
      expectWhole(broken(agent, healthy, 1, { [parent]: second?.[id] }), "parent-cycle")
    })

    if (format === "open-webui") continue

    it(`has all its records again for ${format} where different ones share an id`, () => {
      const records = agent.recordsOf(healthy)
      const [, second, third] = records.filter((record) => typeof record[parent] === "string")
      const shared = records.map((record) => {
        const renamed = record === third ? { ...record, [id]: second?.[id] } : record
        return renamed[parent] === third?.[id] ? { ...renamed, [parent]: second?.[id] } : renamed
      })
      const file = stored(agent.withRecords(healthy, shared))
      const { file: back, rules } = repairedFile(agent, file)
      expect(rules).toEqual(["duplicate-record-id"])
      const ids = agent
        .recordsOf(back)
        .map((record) => record[id])
        .filter((each) => each !== undefined)
      expect(new Set(ids).size).toBe(ids.length)
      expect(reached(agent, back).length).toBe(whole.length)
      expect(said(back)).toBe(said(healthy))
      expect(repairedFile(agent, back)).toEqual({ file: back, rules: [] })
    })
  }

  it("is whole again for Open WebUI where the message it is at is missing", () => {
    const [chat] = seeds["open-webui"] ?? []
    const lost = { ...(chat as Wire), chat: { ...chatIn(chat), history: { ...historyIn(chat), currentId: "gone" } } }
    const { value, report } = repair(lost, { from: "open-webui" })
    expect(report.entries.map(({ rule }) => rule)).toEqual(["dangling-parent"])
    expect(historyIn(value).currentId).toBe(historyIn(chat).currentId)
  })

  it("keeps the parent that a slice of a file names on its first record", () => {
    const records = lines.recordsOf(seeds["pi"]?.[0]).slice(3)
    expect(repair(stored(records), { from: "pi" }).report.entries.map(({ rule }) => rule)).not.toContain("dangling-parent")
  })
})
