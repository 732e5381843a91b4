import { describe, expect, it } from "vitest"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import { repair } from "../../../src/convert/index.ts"
import { check } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { FileBuilder, said } from "./builder.ts"

const { decode, session } = claudeCode

const gone = "REDACTED"

const repaired = (records: readonly unknown[]): readonly Wire[] =>
  repair(records, { from: "claude-code" }).value["records"] as readonly Wire[]

const errorsIn = (records: readonly unknown[]): readonly string[] =>
  check(decode(records)).flatMap(({ severity, rule }) => (severity === "error" ? [rule] : []))

const rulesOf = (records: readonly unknown[]): readonly string[] => (decode(records).diagnostics ?? []).map(({ rule }) => rule)

/** What is said on any path of the session. */
const saidAnywhere = (records: readonly unknown[]): readonly string[] =>
  session.outline(records).paths.flatMap(({ id }) => said(decode(records, { branch: id }).messages))

const expectHealed = (records: readonly unknown[]): readonly Wire[] => {
  const mended = repaired(records)
  expect(errorsIn(mended)).toEqual([])
  expect(repaired(mended)).toBe(mended)
  return mended
}

/** Two calls after one another and the words that end it, all calls under one id. */
const twoCalls = (): FileBuilder => {
  const file = new FileBuilder()
  file.prompt("go", null)
  file.reply({ type: "tool_use", id: gone, name: "ls", input: { of: "A" } })
  file.result(gone)
  file.reply({ type: "tool_use", id: gone, name: "ls", input: { of: "B" } })
  file.result(gone)
  file.reply("done")
  return file
}

const withoutUuids = (records: readonly Wire[]): readonly Wire[] =>
  records.map((record) => ({ ...record, uuid: gone, ...(record["parentUuid"] !== null && { parentUuid: gone }) }))

describe("a record that is in the file twice", () => {
  it("is renamed without leaving its copy under the old name", () => {
    const { records } = twoCalls()
    for (const index of [1, 2, 3, 4]) {
      const copied = records.toSpliced(index, 0, { ...records[index] })
      const mended = expectHealed(copied)
      expect(said(decode(mended).messages)).toEqual(said(decode(repaired(records)).messages))
    }
    const copied = records.toSpliced(3, 0, { ...records[3] })
    expect(repaired(copied).filter(({ uuid }) => uuid === "u3")).toHaveLength(1)
  })

  it("is left out with its copies, and what hung on it hangs on its parent", () => {
    const file = new FileBuilder()
    file.prompt("go", null)
    file.reply("hm")
    const blank = file.fragment("  ")
    file.outside({ ...file.records[2] })
    file.fragment("done", blank)
    const mended = expectHealed(file.records)
    expect(mended.map(({ uuid, parentUuid }) => [uuid, parentUuid])).toEqual([
      ["u0", null],
      ["u1", "u0"],
      ["u4", "u1"],
    ])
  })

  it("keeps its copies while nothing about it is wrong", () => {
    const { records } = twoCalls()
    const copied = [...records, { ...records[5] }]
    expect(repaired(copied).filter(({ uuid }) => uuid === "u5")).toHaveLength(2)
  })
})

describe("different records under one uuid", () => {
  it("are all read in the order of the file where no uuid is left", () => {
    const records = withoutUuids(twoCalls().records)
    expect(said(decode(records).messages)).toEqual([
      "user: go",
      `assistant: +${gone}`,
      `user: =${gone}`,
      `assistant: +${gone}`,
      `user: =${gone}`,
      "assistant: done",
    ])
    expect(rulesOf(records)).toEqual(["duplicate-record-id"])
    expectHealed(records)
    for (let index = 0; index < records.length; index++) {
      expectHealed(records.toSpliced(index, 1))
      expectHealed(records.toSpliced(index, 0, { ...(records[index] as Wire) }))
    }
  })

  it("count as repeated only where they are equal", () => {
    const file = new FileBuilder()
    file.prompt("go", null)
    file.reply("hm")
    file.prompt("on")
    const records = withoutUuids(file.records)
    const [first, reply, last] = records as readonly [Wire, Wire, Wire]
    const later = { ...last, timestamp: "2026-01-02T00:00:00.000Z" }
    const all = [first, reply, { ...reply }, last, later]
    expect(said(decode(all).messages)).toEqual(["user: go", "assistant: hm", "user: on", "user: on"])
    expect(rulesOf(all)).toEqual(["duplicate-record-id", "repeated-record"])
  })

  it("are both said where one is a damaged copy of the other, whoever speaks", () => {
    const file = new FileBuilder()
    file.prompt("look here", null)
    file.reply("I look there")
    file.prompt("fine")
    for (const index of [0, 1]) {
      const text = JSON.stringify(file.records[index])
      const damaged = JSON.parse(text.replace("look", "lo\uFFFDk")) as Wire
      const worse = JSON.parse(text.replace("look", "l\uFFFD\uFFFDk")) as Wire
      const both = file.records.toSpliced(index + 1, 0, damaged, worse)
      const words = said(decode(both).messages).join("\n")
      expect(words).toContain("look here")
      expect(words).toContain("I look there")
      expect(words).toContain("lo\uFFFDk")
      expect(words).toContain("l\uFFFD\uFFFDk")
      expect(rulesOf(both)).toContain("duplicate-record-id")
      expect(said(decode(expectHealed(both)).messages)).toEqual(said(decode(both).messages))
    }
  })

  it("have paths with names of their own", () => {
    const file = new FileBuilder()
    file.prompt("one", null)
    file.reply("first")
    file.prompt("two", null)
    file.reply("second")
    const records = withoutUuids(file.records)
    const { paths } = session.outline(records)
    expect(paths.map(({ id }) => id)).toEqual([gone, "#1"])
    expect(said(decode(records, { branch: "#1" }).messages)).toEqual(["user: one", "assistant: first"])
  })

  it("do not mix with what a subagent says between them", () => {
    const file = new FileBuilder()
    file.prompt("go", null)
    const side = { type: "user", isSidechain: true, agentId: "agent" }
    file.tree({ ...side, message: { role: "user", content: "task" } }, null)
    file.reply("done")
    const records = withoutUuids(file.records)
    expect(said(decode(records).messages)).toEqual(["user: go", "assistant: done"])
  })

  it("lose no words to records that are missing, swapped or malformed besides", () => {
    const records = withoutUuids([...twoCalls().records, ...twoCalls().records])
    const words = (list: readonly Wire[]): readonly string[] =>
      list.flatMap((record) => /"(go|done)"/.exec(JSON.stringify(record))?.[1] ?? [])
    for (let at = 0; at < records.length - 1; at++) {
      for (let malformed = 0; malformed < records.length; malformed++) {
        const swapped = records.toSpliced(at, 2, records[at + 1] as Wire, records[at] as Wire)
        const damaged = swapped.map((record, index): Wire =>
          index === malformed ? { ...record, message: { ...(record["message"] as Wire), content: 7 } } : record,
        )
        const dropped = damaged.toSpliced((at + malformed) % damaged.length, 1)
        const heard = saidAnywhere(dropped).join("\n")
        for (const word of words(dropped)) expect(heard).toContain(word)
        const mended = expectHealed(dropped)
        expect(words(mended)).toEqual(words(dropped))
      }
    }
  })
})
