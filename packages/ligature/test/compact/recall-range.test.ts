/** Ranges of items (`#3-#7`), as notes and summaries cite them: read page by page, to their end and no further. */
import { describe, expect, it } from "vitest"
import { readBack, type RecallOptions } from "../../src/compact/recall/recall.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, result, tool, transcript, user } from "../../src/model/index.ts"

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n")

describe("a range of items", () => {
  const said = ["one", "two", `three\n${lines(30)}`, "four", "five"]
  const { conversation: talk } = settle(transcript(...said.flatMap((words) => [user(words), assistant("ok")])))

  /** Every page from a handle on. */
  const pagesFrom = (first: string, options: RecallOptions = {}): readonly string[] => {
    const pages: string[] = []
    for (let handle: string | undefined = first; handle !== undefined && pages.length < 100;) {
      const page = readBack(talk, { handle }, options)
      pages.push(page.text)
      handle = page.next
    }
    return pages
  }

  it("comes item by item, and ends where it was said to", () => {
    expect(pagesFrom("#1-#3")).toEqual(["[#1 user]\none\n[more: #2-#3]", "[#2 assistant]\nok\n[more: #3]", "[#3 user]\ntwo"])
    for (const written of ["1-3", "#1 to #3", "(#1-#3)"]) expect(pagesFrom(written)).toEqual(pagesFrom("#1-#3"))
    expect(pagesFrom("#9-#99")).toEqual(["[#9 user]\nfive\n[more: #10]", "[#10 assistant]\nok"])
    expect(pagesFrom("#2-#2")).toEqual(["[#2 assistant]\nok"])
  })

  it("goes on after an item of several pages", () => {
    const pages = pagesFrom("#4-#7", { limitCharacters: 120 })
    expect(pages[1]).toMatch(/\n\[more: #5:\d+-31-#7\]$/)
    const read = pages.flatMap((page) => page.split("\n").filter((line) => line.startsWith("line ")))
    expect(read.join("\n")).toBe(lines(30))
    expect(pages.slice(-2)).toEqual(["[#6 assistant]\nok\n[more: #7]", "[#7 user]\nfour"])
  })

  it("goes on inside of a line that takes several pages", () => {
    const { conversation: wide } = settle(transcript(user("x".repeat(250)), assistant("ok")))
    expect(readBack(wide, { handle: "#1-#2" }, { limitCharacters: 100 }).next).toBe("#1:1+100-#2")
    expect(readBack(wide, { handle: "#1:1+200-#2" }, { limitCharacters: 100 }).next).toBe("#2")
  })

  it("passes over what was hidden, and says so", () => {
    const isHidden = (item: number): boolean => [1, 2, 8, 9].includes(item)
    expect(pagesFrom("#1-#4", { isHidden })).toEqual([
      "[#1 user]\none\n[more: #2-#4]",
      "[#2 to #3 were hidden and cannot be read back]\n[#4 assistant]\nok",
    ])
    expect(pagesFrom("#8-#10", { isHidden })).toEqual(["[#8 assistant]\nok\n[#9 to #10 were hidden and cannot be read back]"])
    expect(readBack(talk, { handle: "#2-#3" }, { isHidden })).toEqual({
      found: false,
      text: "#2 to #3 were hidden and cannot be read back.",
    })
  })

  it("begins with the whole of its first item, whichever call is named", () => {
    const asked = assistant(call("a", "ls", {}), call("b", "pwd", {}))
    const answered = tool(result("a", "x"), result("b", "y"))
    const { conversation } = settle(transcript(user("go"), asked, answered, user("on")))
    const whole = readBack(conversation, { handle: "#2" }).text
    expect(readBack(conversation, { handle: "#2.1-#3" }).text).toBe(`${whole}\n[more: #3]`)
  })

  it("is not left by a search", () => {
    expect(readBack(talk, { handle: "#2-#4", search: "ok" })).toEqual({ found: true, text: "#2:1  ok\n#4:1  ok" })
    const missing = 'Nothing in the history contains "five" in #2 to #4.'
    expect(readBack(talk, { handle: "#2-#4", search: "five" })).toEqual({ found: false, text: missing })
    const found: string[] = []
    for (let handle: string | undefined = "#4-#6"; handle !== undefined && found.length < 100;) {
      const page = readBack(talk, { handle, search: "line 1" }, { limitCharacters: 60 })
      found.push(...page.text.split("\n").filter((line) => !line.startsWith("[")))
      handle = page.next
    }
    expect(found).toEqual(
      ["1", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"].map((number) => `#5:${Number(number) + 1}  line ${number}`),
    )
  })
})
