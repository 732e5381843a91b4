/** Search of recall: every match has a handle that shows it, wherever in a line it is. */
import { describe, expect, it } from "vitest"
import { readBack, type RecallOptions } from "../../src/compact/recall/recall.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, type Block, call, type Conversation, result, tool, transcript, user } from "../../src/model/index.ts"

const reading = (output: string): Conversation =>
  settle(transcript(user("go"), assistant(call("a", "read", { path: "users.json" })), tool(result("a", output)))).conversation

interface Found {
  readonly handle: string
  readonly shown: string
}

const pageOf = (text: string): readonly Found[] =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("[more"))
    .map((line) => ({ handle: line.slice(0, line.indexOf("  ")), shown: line.slice(line.indexOf("  ") + 2) }))

/** All matches, page by page. */
const findAll = (conversation: Conversation, search: string, options: RecallOptions = {}): readonly Found[] => {
  const all: Found[] = []
  let handle: string | undefined = ""
  for (let pages = 0; handle !== undefined && pages < 500; pages++) {
    const page = readBack(conversation, { search, handle }, options)
    if (page.found) all.push(...pageOf(page.text))
    handle = page.next
  }
  return all
}

const users = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `user_${id}`, mail: `${id}@example.org` })))

describe("a result of one very long line", () => {
  const conversation = reading(users)

  it("is found under a handle that shows the match, from the beginning of its object on", () => {
    const [found, ...more] = findAll(conversation, "user_4321")
    expect(more).toEqual([])
    expect(found?.handle).toMatch(/^#2\.1:1\+\d+$/)
    const page = readBack(conversation, { handle: found?.handle ?? "" }).text
    const [title, text] = page.split("\n")
    expect(title).toMatch(/^\[#2\.1 read .*, from character \d+ of \d+\]$/)
    expect(text?.indexOf('"user_4321"')).toBeLessThan(200)
    expect(text?.slice(0, 100)).toMatch(/^\{"id":4320,/)
  })

  it("is searched from the offset of a handle on", () => {
    const [found] = findAll(conversation, "user_4321")
    const from = (handle: string): string => readBack(conversation, { search: "user_4321", handle }).text
    expect(from(found?.handle ?? "").startsWith(`${found?.handle}  …`)).toBe(true)
    expect(from(`#2.1:1+${users.indexOf("user_4321")}`)).toContain("user_4321")
    expect(from(`#2.1:1+${users.indexOf("user_4321") + 1}`)).toBe('Nothing in the history contains "user_4321" from #2 on.')
  })
})

describe("a text that occurs many times in one line", () => {
  const line = Array.from({ length: 50 }, (_, at) => `${"word ".repeat(100)}needle-${at}`).join(" ")

  it("has a match for each, and a page says how to go on and how to get past the line", () => {
    const conversation = reading(`${line}\nneedle-last`)
    expect(pageOf(readBack(conversation, { search: "needle" }).text)).toHaveLength(51)
    const page = readBack(conversation, { search: "needle" }, { limitCharacters: 2_000 })
    expect(page.text.length).toBeLessThan(2_200)
    expect(page.text.split("\n").at(-1)).toBe(
      `[more matches: search again with handle ${page.next}, or #2.1:2- to leave out the rest of this line]`,
    )
    expect(readBack(conversation, { search: "needle", handle: "#2.1:2-" }).text).toBe("#2.1:2  needle-last")
  })

  it("is found page by page, each match once and under a handle that shows it", () => {
    const conversation = reading(line)
    for (const limitCharacters of [90, 300, 1_000, 16_000]) {
      const all = findAll(conversation, "needle", { limitCharacters })
      const named = all.flatMap(({ shown }) => shown.match(/needle-\d+/g) ?? [])
      expect(named).toEqual(Array.from({ length: 50 }, (_, at) => `needle-${at}`))
      for (const [at, { handle }] of all.entries()) {
        expect(readBack(conversation, { handle }, { limitCharacters }).text).toContain(`needle-${at}`)
      }
    }
  })

  it("is shown once where one piece shows several of them", () => {
    const near = `${"x".repeat(1_000)} needle-1 needle-2 needle-3 ${"x".repeat(1_000)}`
    expect(findAll(reading(near), "needle")).toHaveLength(1)
    expect(findAll(reading("needle needle"), "needle")).toEqual([{ handle: "#2.1:1", shown: "needle needle" }])
  })

  it("is found in a line that is nothing else, without end or loss", () => {
    for (const search of ["a", "aa", "a".repeat(300), "a".repeat(3_000)]) {
      const all = findAll(reading("a".repeat(10_000)), search)
      expect(all.length).toBeGreaterThan(2)
      expect(new Set(all.map(({ handle }) => handle)).size).toBe(all.length)
    }
  })
})

describe("characters whose lower case is longer", () => {
  it("do not move what is shown", () => {
    const output = `${"İ".repeat(400)} Needle ${"y".repeat(400)}`
    const [found] = findAll(reading(output), "needle")
    expect(found?.shown).toContain(" Needle y")
    expect(
      readBack(reading(output), { handle: found?.handle ?? "" })
        .text.split("\n")[1]
        ?.indexOf("Needle"),
    ).toBeLessThan(240)
  })

  it("are found themselves, in either case", () => {
    const conversation = reading("from İstanbul\nto ISTANBUL\nand ΟΔΟΣ, οδός, ΟΔΟΣ1")
    for (const search of ["İstanbul", "istanbul"]) {
      expect(findAll(conversation, search).map(({ handle }) => handle)).toEqual(["#2.1:1", "#2.1:2"])
    }
    expect(findAll(conversation, "οδοσ1")).toHaveLength(1)
  })
})

describe("what is found", () => {
  it("in long arguments is read back with the whole item", () => {
    const text = `${"word ".repeat(8_000)}the kumquat ${"word ".repeat(8_000)}`
    const { conversation } = settle(
      transcript(user("go"), assistant("writing", call("w", "write", { path: "a.txt", text })), tool(result("w", "ok"))),
    )
    const [found, ...more] = findAll(conversation, "kumquat")
    expect(more).toEqual([])
    expect(found?.handle).toMatch(/^#2:3\+\d+$/)
    expect(
      readBack(conversation, { handle: found?.handle ?? "" })
        .text.split("\n")[1]
        ?.slice(0, 240),
    ).toContain("the kumquat")
  })

  it("is after arguments of several lines that are no JSON", () => {
    const broken: Block = { ...call("w", "write", {}), raw: '{\n"path":\n', fault: "unparsable" }
    const { conversation } = settle(transcript(user("go"), assistant(broken), tool(result("w", "ok")), assistant("all done")))
    const [found] = findAll(conversation, "all done")
    expect(readBack(conversation, { handle: found?.handle ?? "" }).text.split("\n")[1]).toBe("all done")
  })

  it("may have line breaks", () => {
    const conversation = reading("one\ntwo\nthree\nfour")
    expect(findAll(conversation, "two\nTHREE")).toEqual([{ handle: "#2.1:2-3", shown: "two" }])
  })

  it("is shown by its handle, in whatever text and page", () => {
    let seed = 7
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    const pieces = ["a", "B ", "İ", "😀", "\n", ",", "{", "word ", "x".repeat(50), "ß", "Σ"]
    for (let round = 0; round < 150; round++) {
      const filler = (): string => Array.from({ length: random(200) }, () => pieces[random(pieces.length)]).join("")
      const count = 1 + random(5)
      const output = `${Array.from({ length: count }, (_, at) => `${filler()}<Hit${at}>`).join("")}${filler()}`
      const conversation = reading(output)
      const limitCharacters = 60 + random(400)
      const seen = new Set<string>()
      for (const { handle, shown } of findAll(conversation, "<hit", { limitCharacters })) {
        expect(shown.isWellFormed()).toBe(true)
        const page = readBack(conversation, { handle }, { limitCharacters }).text
        const hits = page.slice(page.indexOf("\n")).match(/<Hit\d/g) ?? []
        expect(hits).not.toEqual([])
        for (const hit of hits) seen.add(hit)
      }
      expect(seen.size).toBe(count)
    }
  })
})
