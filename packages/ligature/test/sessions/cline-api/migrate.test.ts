import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import { clineApi, migrateStyle } from "../../../src/sessions/cline-api/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { resultText, syntheticTexts } from "../../../src/model/index.ts"
import { Choices, generateHistory, judges } from "../../../src/testing/index.ts"
import { transcript } from "../../../src/model/index.ts"
import { answer, assistant, type Fields, surroundings, tag, task, text, told, use, user } from "./records.ts"

const mark = { ligature: { version: 2, style: "blocks" } }

/** Records without what they say of their former content. */
const plainly = (list: readonly unknown[]): readonly unknown[] =>
  list.map((record) => {
    const { ligature, ...rest } = record as Fields
    if (ligature === undefined) return record
    const { former: _, ...others } = ligature as Fields
    return { ...rest, ligature: others }
  })

const block = (id: string, path: string, name = "read_file"): Fields => ({ type: "tool_use", id, name, input: { path } })

/** Calls and results in order, whatever their style and ids. */
const work = (list: readonly unknown[], tools: readonly string[] = []): readonly string[] =>
  clineApi.decode(list, { view: "whole", tools }).messages.flatMap(({ blocks }) =>
    blocks.flatMap((each) => {
      if (each.type === "call") return [`${each.name} ${JSON.stringify(each.arguments)}`]
      return each.type === "result" && each.synthetic === undefined ? [`${each.error === true ? "failed " : ""}${resultText(each)}`] : []
    }),
  )

const styles = (list: readonly unknown[], tools: readonly string[] = []): ReadonlySet<string> =>
  new Set(
    clineApi
      .decode(list, { view: "whole", tools })
      .messages.flatMap(({ blocks }) =>
        blocks.flatMap((each) => (each.type === "call" || each.type === "result" ? [each.style ?? "block"] : [])),
      ),
  )

describe("migrating a history to blocks", () => {
  const list = [
    task(),
    assistant([text(`I read it.\n\n${tag("a.ts")}`)], { id: "m1" }),
    user([...told("a.ts", "one"), surroundings]),
    assistant([use("t1", "read_file", { path: "b.ts" })]),
    user([...told("b.ts", "two"), surroundings]),
    assistant([use("t2", "read_file", { path: "c.ts" })]),
    user([answer("t2"), surroundings]),
  ]
  const { list: migrated, report, changed } = migrateStyle(list, { to: "blocks" })

  it("gives one style to a file that switched half-way, and a mark to what it wrote", () => {
    expect(changed).toBe(true)
    expect(plainly(migrated)).toEqual([
      list[0],
      { ...list[1], content: [text("I read it."), block("call_1_0", "a.ts")], ...mark },
      { ...list[2], content: [answer("call_1_0", "one"), surroundings], ...mark },
      list[3],
      { ...list[4], content: [answer("t1", "two"), surroundings], ...mark },
      list[5],
      list[6],
    ])
    for (const index of [0, 3, 5, 6]) expect(migrated[index]).toBe(list[index])
    expect(check(clineApi.decode(migrated))).toEqual([])
  })

  it("reports each call with its certainty and where it came from", () => {
    expect(report).toEqual({
      calls: [
        { message: 1, name: "read_file", id: "call_1_0", certainty: 1, from: "xml" },
        { message: 3, name: "read_file", id: "t1", certainty: 1, from: "block" },
        { message: 5, name: "read_file", id: "t2", certainty: 1, from: "block" },
      ],
      results: [
        { message: 2, callId: "call_1_0", name: "read_file", from: "xml" },
        { message: 4, callId: "t1", name: "read_file", from: "xml" },
        { message: 6, callId: "t2", name: "read_file", from: "block" },
      ],
      unsure: [],
      repairs: [],
    })
    expect(migrateStyle(list, { to: "blocks", lines: [1, 2, 3, 4, 5, 6, 7] }).report.calls[0]?.line).toBe(2)
  })

  it("changes nothing the second time", () => {
    const again = migrateStyle(migrated, { to: "blocks" })
    expect(again.changed).toBe(false)
    expect(again.list).toBe(migrated)
  })

  it("finds its way back", () => {
    const back = migrateStyle(migrated, { to: "xml" })
    expect(styles(back.list)).toEqual(new Set(["xml"]))
    expect(work(back.list)).toEqual(work(list))
    expect(migrateStyle(back.list, { to: "xml" }).changed).toBe(false)
    expect((back.list[3] as Fields)["ligature"]).toEqual({ version: 2, style: "xml" })
    // What was text comes back as the text it was; what never was is written in the usual way.
    for (const index of [0, 1, 2, 4]) expect(JSON.stringify(back.list[index])).toBe(JSON.stringify(list[index]))
    const forth = migrateStyle(back.list, { to: "blocks" })
    expect(work(forth.list)).toEqual(work(list))
    expect(styles(forth.list)).toEqual(new Set(["block"]))
  })

  it("gives back the text byte for byte, however it was laid out", () => {
    const odd = [
      task(),
      assistant("Let me see.  \n<read_file>\n  <path>\na.ts\n</path>\n</read_file>\n\n"),
      user("[read_file Result]\n\none\n\n"),
      assistant([text("<read_file><args>\n  <file>\n    <path>b.ts</path>\n  </file>\n</args></read_file>")]),
      user([text("[read_file for 'b.ts'] Result:"), text("<files>two</files>"), surroundings]),
    ]
    const blocks = migrateStyle(odd, { to: "blocks" }).list
    expect(styles(blocks)).toEqual(new Set(["block"]))
    const stored = JSON.parse(JSON.stringify(blocks)) as readonly unknown[]
    expect(JSON.stringify(migrateStyle(stored, { to: "xml" }).list)).toBe(JSON.stringify(odd))
  })

  it("says what a call or a result has become, where somebody has changed it since", () => {
    const stored = JSON.parse(JSON.stringify(migrated).replaceAll("a.ts", "new.ts").replace('"one"', '"1"')) as readonly unknown[]
    const back = migrateStyle(stored, { to: "xml" }).list
    expect(styles(back)).toEqual(new Set(["xml"]))
    expect(work(back)).toEqual(work(stored))
  })

  it("gives an id of its own to a call where a block has the one it would get", () => {
    const taken = [
      task(),
      assistant([text(tag("a.ts"))]),
      user([...told("a.ts", "one")]),
      assistant([use("call_1_0")]),
      user([answer("call_1_0")]),
    ]
    expect(migrateStyle(taken, { to: "blocks" }).report.calls.map(({ id }) => id)).toEqual(["call_1_0__2", "call_1_0"])
  })
})

describe("calls that nothing answers", () => {
  const done = "<attempt_completion>\n<result>All read.</result>\n</attempt_completion>"
  const tools = ["read_file", "attempt_completion"]
  const list = [
    task(),
    assistant([text(tag("a.ts"))]),
    user([...told("a.ts", "one")]),
    assistant([text(done)]),
    user([text("and b.ts?")]),
    assistant([text(tag("b.ts"))]),
  ]

  it("get an honest result as blocks, except at the tip, and lose it on the way back", () => {
    const { list: migrated, report } = migrateStyle(list, { to: "blocks", tools })
    expect(plainly(migrated.slice(3))).toEqual([
      {
        ...list[3],
        content: [{ type: "tool_use", id: "call_3_0", name: "attempt_completion", input: { result: "All read." } }],
        ...mark,
      },
      {
        ...list[4],
        content: [{ ...answer("call_3_0", syntheticTexts.interrupted), is_error: true }, text("and b.ts?")],
        ligature: { version: 2, style: "blocks", invented: ["call_3_0"] },
      },
      { ...list[5], content: [block("call_5_0", "b.ts")], ...mark },
    ])
    expect(report.results.map(({ from }) => from)).toEqual(["xml", "invented"])
    expect(check(clineApi.decode(migrated), { tip: "open" })).toEqual([])
    expect(migrateStyle(migrated, { to: "xml", tools }).list).toEqual(list)
    // Also where nobody knows any more how it was written.
    const back = migrateStyle(plainly(migrated), { to: "xml", tools })
    expect(back.list.map((record) => (record as Fields)["content"])).toEqual([
      list[0]?.["content"],
      list[1]?.["content"],
      [text("[read_file for 'a.ts'] Result:\none")],
      list[3]?.["content"],
      list[4]?.["content"],
      list[5]?.["content"],
    ])
  })

  it("stay text where calls are blocks, and are named as unsure", () => {
    const prose = [
      task(),
      assistant([use("t1")]),
      user([answer("t1")]),
      assistant([text(`You write\n\n${tag("a.ts")}\n\nfor that.`)]),
      user("ah"),
    ]
    const { changed, report } = migrateStyle(prose, { to: "blocks" })
    expect(changed).toBe(false)
    expect(report.unsure).toEqual([
      {
        message: 3,
        name: "read_file",
        certainty: expect.any(Number) as number,
        became: "text",
        why: "nothing answers it, and calls around it are blocks",
      },
    ])
  })
})

describe("hidden messages", () => {
  const summary = user([text("Summary.")], { isSummary: true, condenseId: "c1" })
  const hidden = { condenseParent: "c1" }

  it("are migrated with the others and stay hidden", () => {
    const list = [
      task(),
      assistant([text(tag("a.ts"))], hidden),
      user([...told("a.ts", "one")], hidden),
      summary,
      assistant([text(tag("b.ts"))]),
      user([...told("b.ts", "two")]),
    ]
    const { list: migrated } = migrateStyle(list, { to: "blocks" })
    expect(styles(migrated)).toEqual(new Set(["block"]))
    expect(plainly(migrated)[1]).toEqual({ ...list[1], content: [block("call_1_0", "a.ts")], ...mark })
    expect(work(migrated)).toEqual(work(list))
    expect(check(clineApi.decode(migrated))).toEqual([])
    expect(check(clineApi.decode(migrated, { view: "whole" }))).toEqual([])
  })

  it("keep their style where only one half of a pair is hidden", () => {
    const assistantSummary = { ...summary, role: "assistant" }
    const list = [
      task(),
      assistant([text(tag("a.ts"))], hidden),
      assistantSummary,
      user([...told("a.ts", "one")]),
      assistant([use("t1")]),
      user([answer("t1")]),
    ]
    const { list: migrated, report } = migrateStyle(list, { to: "blocks" })
    expect(migrated).toBe(list)
    expect(report.unsure.map(({ message, why }) => [message, why])).toEqual([[1, "a summary or marker hides one half of the pair"]])
    expect(check(clineApi.decode(migrated))).toEqual([])
  })
})

describe("any history", () => {
  const tools = ["read_file", "bash", "grep", "write_file", "mcp.server/search", "查询"]

  it("has the same calls and results after blocks, text, blocks", () => {
    const property = fc.property(fc.array(fc.nat(), { minLength: 40, maxLength: 160, size: "max" }), (numbers) => {
      const { conversation } = settle(transcript(...generateHistory(new Choices(numbers)).messages))
      const list = clineApi.encode(conversation)["messages"] as readonly unknown[]
      expect(migrateStyle(list, { to: "blocks", tools }).changed).toBe(false)
      const inText = migrateStyle(list, { to: "xml", tools }).list
      expect(JSON.stringify(inText)).not.toMatch(/"type":"tool_(?:use|result)"/)
      expect(work(inText, tools)).toEqual(work(list, tools))
      expect(migrateStyle(inText, { to: "xml", tools }).changed).toBe(false)
      const back = migrateStyle(inText, { to: "blocks", tools }).list
      expect(work(back, tools)).toEqual(work(list, tools))
      expect(migrateStyle(back, { to: "blocks", tools }).changed).toBe(false)
    })
    fc.assert(property, { numRuns: 60, seed: 6 })
  })

  it("is migrated without complaint, whatever it holds", () => {
    const record = fc.oneof(
      fc.anything(),
      fc.record(
        {
          role: fc.constantFrom("user", "assistant"),
          content: fc.oneof(
            fc.anything(),
            fc.array(fc.constantFrom<unknown>(text(tag("a")), ...told("a", "x"), use("t1"), answer("t1"), use("t1", "x", {}), 5)),
          ),
          condenseParent: fc.constantFrom("a", "b"),
          condenseId: fc.constantFrom("a", "b"),
          isSummary: fc.boolean(),
          ligature: fc.anything(),
        },
        { requiredKeys: ["role", "content"] },
      ),
    )
    fc.assert(
      fc.property(fc.oneof(fc.array(record, { maxLength: 10 }), fc.anything()), (value) => {
        for (const to of ["blocks", "xml"] as const) {
          const once = migrateStyle(value, { to, tools })
          expect(migrateStyle(once.list, { to, tools }).changed).toBe(false)
        }
      }),
      { numRuns: 500, seed: 7 },
    )
  })
})

const corpus = process.env["LIGATURE_CORPUS"]
const folder = join(corpus ?? "", "cline-api")

describe.skipIf(corpus === undefined)("the histories of the corpus", () => {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  for (const file of files) {
    it(`${file} keeps its calls and results through blocks, text, blocks`, () => {
      const list = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly unknown[]
      const blocks = migrateStyle(list, { to: "blocks" })
      const { calls } = blocks.report
      const before = clineApi.decode(list, { view: "whole" }).messages.flatMap((message) => message.blocks)
      expect(calls.length).toBe(before.filter(({ type }) => type === "call").length)
      expect(calls.every(({ from, certainty }) => from === "xml" && certainty > 0.5)).toBe(true)
      const tools = [...new Set(calls.map(({ name }) => name))]
      expect(work(blocks.list)).toEqual(work(list))
      expect([...styles(blocks.list)]).toEqual(calls.length > 0 ? ["block"] : [])
      expect(check(clineApi.decode(blocks.list), { tip: "open" })).toEqual([])
      expect(migrateStyle(blocks.list, { to: "blocks" }).changed).toBe(false)
      const verdict = judges.anthropic(
        JSON.parse(JSON.stringify(encode(settle(clineApi.decode(blocks.list)).conversation, "anthropic").value)),
      )
      expect(verdict).toEqual({ ok: true })
      expect(JSON.stringify(migrateStyle(blocks.list, { to: "xml" }).list)).toBe(JSON.stringify(list))
      const inText = migrateStyle(plainly(blocks.list), { to: "xml", tools }).list
      expect(work(inText, tools)).toEqual(work(list))
      expect(migrateStyle(inText, { to: "xml", tools }).changed).toBe(false)
      expect(work(migrateStyle(inText, { to: "blocks", tools }).list)).toEqual(work(list))
    })
  }
})
