import { describe, expect, it } from "vitest"
import { readBack, readRecallRequest, recallTool } from "../../src/compact/recall/recall.ts"
import { parseHandle, writeHandle } from "../../src/compact/text/handles.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type Conversation, result, tool, transcript, user } from "../../src/model/index.ts"

const lines = (count: number, from = 1): string => Array.from({ length: count }, (_, at) => `line ${at + from}`).join("\n")

const conversation: Conversation = settle(
  transcript(
    user("Fix the PARSER"),
    assistant("reading", call("a", "read", { path: "src/parser.ts" }), call("b", "bash", { command: "ls" })),
    tool(result("a", lines(300)), result("b", "src\nno such folder", { error: true })),
    assistant("the parser is fine"),
    user("Now the lexer"),
  ),
).conversation

it("answers also with a limit that is none", () => {
  const { conversation } = settle(transcript(user(`${"word ".repeat(200)}needle ${"word ".repeat(200)}`)))
  for (const limitCharacters of [Number.NaN, -1, 0]) {
    expect(readBack(conversation, { search: "needle" }, { limitCharacters })).toMatchObject({ found: true })
  }
})

describe("handles", () => {
  it("are read as stubs write them, and as models type them", () => {
    expect(
      ["#12", "12", " [#12] ", "#12.2", "#12.2:5-9", "#12.2:5", "#12.2:5-", "#3:2-2", "#1.1:7+800", "#12:5+800-9"].map(parseHandle),
    ).toEqual([
      { item: 11 },
      { item: 11 },
      { item: 11 },
      { item: 11, call: 1 },
      { item: 11, call: 1, from: 5, to: 9 },
      { item: 11, call: 1, from: 5, to: 5 },
      { item: 11, call: 1, from: 5 },
      { item: 2, from: 2, to: 2 },
      { item: 0, call: 0, from: 7, skip: 800 },
      { item: 11, from: 5, to: 9, skip: 800 },
    ])
  })

  it("are ranges of items as notes and summaries write them", () => {
    const texts = ["#3-#7", "3-7", "#3 to #7", "(#3-#7)", "#3–#7", "#3-7", "#3-#7.2", "#3-#3", "#3.2-#7", "#3:5-#7", "#3:5-9-#7"]
    expect(texts.map(parseHandle)).toEqual([
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 6 },
      { item: 2, until: 2 },
      { item: 2, call: 1, until: 6 },
      { item: 2, from: 5, until: 6 },
      { item: 2, from: 5, to: 9, until: 6 },
    ])
  })

  it("that point nowhere are none", () => {
    const pointless = ["", "#0", "#1.0", "#1:0", "#1:9-5", "#a", "#1.2.3", "call_1", `#${"9".repeat(30)}`]
    const broken = [...pointless, "#7-#3", "#3-", "#3-#", "#3:5-7-9", "#3-#7-#9", "#3 to", "#3 tomorrow"]
    expect(broken.map(parseHandle)).toEqual(broken.map(() => undefined))
  })

  it("come back from their text", () => {
    const handles = ["#12", "#12.2", "#12.2:5-9", "#12.2:5", "#12.2:5-", "#12:5-9", "#1.1:7+800", "#12:5+800-9"]
    handles.push("#3-#7", "#3:5-#7", "#3:5-5-#7", "#3.1:5-9-#7", "#3:5+800-#7", "#3:5+800-9-#7")
    expect(handles.map((handle) => writeHandle(parseHandle(handle) ?? { item: -1 }))).toEqual(handles)
  })
})

describe("recall", () => {
  it("gives a message back whole", () => {
    expect(readBack(conversation, { handle: "#1" })).toEqual({ found: true, text: "[#1 user]\nFix the PARSER" })
  })

  it("gives an exchange back with its calls, results and reply", () => {
    const { text } = readBack(conversation, { handle: "#2" })
    expect(text).toContain("[#2 assistant, called read, bash, lines 1-308 of 308]\n[assistant]\nreading\n")
    expect(text).toContain('[#2.1 read {"path":"src/parser.ts"} → done]\nline 1\nline 2\n')
    expect(text).toContain('[#2.2 bash {"command":"ls"} → failed]\nsrc\nno such folder\n')
    expect(text.endsWith("[assistant, after the results]\nthe parser is fine")).toBe(true)
  })

  it("says where the rest of long arguments is", () => {
    const write = call("w", "write", { path: "a.txt", text: `${"word ".repeat(200)}the end` })
    const { conversation: long } = settle(transcript(user("go"), assistant(write), tool(result("w", "ok"))))
    const { text } = readBack(long, { handle: "#2.1" })
    expect(text).toMatch(/^\[#2\.1 write \{"path":"a\.txt".*… \(all of it: #2\) → done\]\nok$/)
    expect(readBack(long, { handle: "#2" }).text).toContain("the end")
  })

  it("gives lines of one result", () => {
    expect(readBack(conversation, { handle: "#2.1:5-7" })).toEqual({
      found: true,
      text: '[#2.1 read {"path":"src/parser.ts"} → done, lines 5-7 of 300]\nline 5\nline 6\nline 7',
    })
  })

  it("is bounded, and its next handles lead through everything exactly once", () => {
    const seen: string[] = []
    let handle: string | undefined = "#2.1"
    for (let pages = 0; handle !== undefined && pages < 100; pages++) {
      const page = readBack(conversation, { handle }, { limitCharacters: 200 })
      expect(page.text.length).toBeLessThan(400)
      seen.push(...page.text.split("\n").filter((line) => line.startsWith("line ")))
      handle = page.next
    }
    expect(seen.join("\n")).toBe(lines(300))
  })

  it("pages through a line that is longer than the limit", () => {
    const long = settle(transcript(user(`${"abcdefghij".repeat(50)}\nend`))).conversation
    let text = ""
    let handle: string | undefined = "#1"
    for (let pages = 0; handle !== undefined && pages < 20; pages++) {
      const page = readBack(long, { handle }, { limitCharacters: 120 })
      text += page.text
        .split("\n")
        .slice(1)
        .filter((line) => !line.startsWith("[more"))
        .join("\n")
      handle = page.next
    }
    expect(text).toBe(`${"abcdefghij".repeat(50)}\nend`)
  })

  it("ends a range where it was asked to, also when its first line takes several pages", () => {
    const long = settle(transcript(user(`first\n${"abcdefghij".repeat(50)}\nend\nbeyond`))).conversation
    let handle: string | undefined = "#1:2-3"
    let text = ""
    for (let pages = 0; handle !== undefined && pages < 20; pages++) {
      const page = readBack(long, { handle }, { limitCharacters: 120 })
      text += page.text
      handle = page.next
    }
    expect(text).toContain("end")
    expect(text).not.toContain("beyond")
  })

  it("finds text anywhere, arguments included, with a handle for each line", () => {
    expect(readBack(conversation, { search: "parser" })).toEqual({
      found: true,
      text: ["#1:1  Fix the PARSER", '#2.1  (call) read {"path":"src/parser.ts"} → done', "#2:308  the parser is fine"].join("\n"),
    })
  })

  it("finds lines under handles that show them", () => {
    for (const search of ["parser is fine", "line 250", "no such folder", "Now the"]) {
      const [handle = "", ...words] = readBack(conversation, { search }).text.split("  ")
      expect(readBack(conversation, { handle }).text.split("\n")[1]).toBe(words.join("  "))
    }
  })

  it("goes on with a search where the page ended", () => {
    const first = readBack(conversation, { search: "line 1" }, { limitCharacters: 100 })
    expect(first.next).toBe("#2.1:15")
    const second = readBack(conversation, { search: "line 1", handle: first.next ?? "" }, { limitCharacters: 100 })
    expect(second.text.split("\n")[0]).toBe("#2.1:15  line 15")
  })

  it("says what would work when nothing is there", () => {
    const said = (handle: string): string => readBack(conversation, { handle }).text
    expect([said("#99"), said("#2.7"), said("#1.1"), said("#2.1:900"), said("call_1")]).toEqual([
      "There is no #99: the history has 3 items.",
      "#2 has 2 calls, not 7.",
      "#1 is a user message: it has no calls.",
      '#2.1 read {"path":"src/parser.ts"} → done has 300 lines.',
      '"call_1" is no handle. Handles look like #12, #12.2, #12.2:5-9 or #3-#7.',
    ])
    expect(readBack(conversation, {}).found).toBe(false)
    expect(readBack(conversation, { search: "kumquat" }).found).toBe(false)
  })

  it("does not show what was hidden", () => {
    const isHidden = (item: number): boolean => item === 0
    expect(readBack(conversation, { handle: "#1" }, { isHidden }).found).toBe(false)
    expect(readBack(conversation, { search: "Fix" }, { isHidden }).found).toBe(false)
  })
})

describe("the recall tool", () => {
  it("declares exactly the arguments that are read", () => {
    expect(Object.keys(recallTool.parameters["properties"] ?? {})).toEqual(["handle", "search"])
    expect(readRecallRequest({ handle: 12, search: "x", other: 1 })).toEqual({ handle: "12", search: "x" })
    expect(readRecallRequest("#3")).toEqual({ handle: "#3" })
    expect(readRecallRequest(null)).toEqual({})
  })

  it("takes what models and providers make of arguments", () => {
    const requests = [{ handle: 1 }, { handle: "#1", search: null }, "#1", 1, '{"handle":"#1"}', ' {"handle": 1, "search": ""}']
    for (const request of requests) expect(readBack(conversation, request).text).toBe("[#1 user]\nFix the PARSER")
    expect(readBack(conversation, { search: 250 }).text).toBe("#2.1:250  line 250")
  })

  it("is answered in words when nothing can be made of them", () => {
    const requests = [
      null,
      undefined,
      [],
      ["#1"],
      true,
      {},
      { handle: null },
      { handle: {} },
      { search: [] },
      { handle: Number.NaN },
      "{",
      "{}",
      '{"handle":',
    ]
    for (const request of requests) {
      const { found, text } = readBack(conversation, request)
      expect([found, /Give a handle|is no handle/.test(text)]).toEqual([false, true])
    }
  })
})

describe("a text of characters that are two halves", () => {
  const smiles = "😀".repeat(400)
  const smiling = settle(
    transcript(user("Smile"), assistant(call("a", "smile", { often: `a${smiles}` })), tool(result("a", `x needle ${smiles}`))),
  ).conversation

  it("comes back page by page without a half of one, and whole", () => {
    let read = ""
    let handle: string | undefined = "#2.1:1"
    for (let page = 0; handle !== undefined && page < 900; page++) {
      const { text, next } = readBack(smiling, { handle }, { limitCharacters: 100 })
      expect(text.isWellFormed()).toBe(true)
      read += text.split("\n")[1] ?? ""
      handle = next
    }
    expect(read).toBe(`x needle ${smiles}`)
    expect(readBack(smiling, { handle: "#2.1:1+12" }).text.isWellFormed()).toBe(true)
    expect(readBack(smiling, { handle: "#2.1:1+9" }, { limitCharacters: 1 })).toMatchObject({ next: "#2.1:1+11" })
  })

  it("is shown around a match without a half of one", () => {
    for (const search of ["needle", "x needle", "e ", "often"]) {
      const { found, text } = readBack(smiling, { search })
      expect([found, text.isWellFormed()]).toEqual([true, true])
    }
  })
})
