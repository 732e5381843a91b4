import { describe, expect, it } from "vitest"
import { passagesOfAll } from "../../src/compact/strategies/digest/relevance/lines.ts"
import { usageOf } from "../../src/compact/strategies/digest/relevance/usage.ts"
import { worthsOf } from "../../src/compact/strategies/digest/relevance/term-worth.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type Message, result, tool, transcript, user } from "../../src/model/index.ts"

/** What each term of a history is worth, and what is known about it. */
const read = (...messages: readonly Message[]) => {
  const { conversation } = settle(transcript(...messages))
  const requests = { first: 0, latest: conversation.items.findLastIndex(({ role }) => role === "user"), goal: "" }
  const usage = usageOf(passagesOfAll(conversation), requests)
  const worths = worthsOf(usage)
  const numberOf = (term: string): number => usage.numberOf(term) ?? expect.fail(`${term} is no term`)
  return {
    worth: (term: string): number => worths[numberOf(term)] as number,
    record: (term: string) => usage.records[numberOf(term)],
  }
}

const reading = (id: string, path: string, ...lines: readonly string[]): readonly Message[] => [
  assistant(call(id, "read", { path })),
  tool(result(id, lines.join("\n"))),
]

describe("the worth of a term", () => {
  it("is higher for what the agent itself said than for what it only saw", () => {
    const { worth } = read(
      user("Go on."),
      assistant("I look at loadSettings first.", call("a", "read", { path: "src/main.ts" })),
      tool(result("a", "const saveSettings = 1\nconst loadSettings = 2")),
      ...reading("b", "src/other.ts", "nothing"),
    )
    expect(worth("loadSettings")).toBeGreaterThan(worth("saveSettings"))
  })

  it("is higher for a name that shares words with the work at hand", () => {
    const { worth, record } = read(
      user("Go on."),
      ...reading("a", "src/names.ts", "const uploadQueueLimit = 1", "const printerPaperTray = 2"),
      assistant("Now the uploadQueue.", call("b", "read", { path: "src/more.ts" })),
      tool(result("b", "nothing")),
    )
    expect(record("printerPaperTray")?.kinship).toBe(0)
    expect(worth("uploadQueueLimit")).toBeGreaterThan(worth("printerPaperTray"))
  })

  it("is higher in a file that a request names, until the file is written", () => {
    const seen = [...reading("a", "src/plan.ts", "const paperTray = 1"), ...reading("b", "src/other.ts", "const inkBottle = 2")]
    const request = user("Change `src/plan.ts`, please.")
    const body = ["const paper = 1", "const tray = 2", "const both = 3", "export { both }"].join("\n")
    const write = [assistant(call("c", "write", { path: "src/plan.ts", body })), tool(result("c", "ok"))]

    const before = read(request, ...seen)
    expect(before.record("paperTray")?.isAwaited).toBe(true)
    expect(before.record("inkBottle")?.isAwaited).toBe(false)
    expect(before.worth("paperTray")).toBeGreaterThan(before.worth("inkBottle"))
    expect(read(request, ...seen, ...write).record("paperTray")?.isAwaited).toBe(false)
    expect(read(request, ...write, ...reading("d", "src/plan.ts", "const paperTray = 1")).record("paperTray")?.isAwaited).toBe(true)
  })

  it("is higher for a name that several files share than for one that is twice in one file", () => {
    const { worth, record } = read(
      user("Go on."),
      ...reading("a", "src/tray.ts", "use paperTray", "use inkBottle", "use inkBottle"),
      ...reading("b", "src/other.ts", "nothing"),
      ...reading("c", "src/tray.ts", "use paperTray", "use inkBottle"),
      ...reading("d", "src/press.ts", "use paperTray"),
      ...reading("e", "src/last.ts", "see inkBottles", "see paperTrays"),
    )
    expect([record("paperTray")?.files, record("inkBottle")?.files]).toEqual([2, 1])
    expect(worth("paperTray")).toBeGreaterThan(worth("inkBottle"))
  })

  it("is low for a name that many projects share", () => {
    const { worth } = read(user("Go on."), ...reading("a", "src/main.ts", "const addEventListener = 1", "const addSeveralPrints = 2"))
    expect(worth("addEventListener")).toBeGreaterThan(0)
    expect(worth("addEventListener")).toBeLessThan(0.3 * worth("addSeveralPrints"))
  })

  it("is higher for ids and amounts of records than for the same in code, where results are records", () => {
    const order = '{"order_id": "#W7342738", "items": ["6974536207", "8310926033"], "price": 511.63, "state": "open"}'
    const code = "// W7342738 6974536207 8310926033 511.63 order_id"
    const history = (text: string): ReturnType<typeof read> => read(user("Go on."), ...reading("a", "x", text))
    const [records, lines] = [history(order), history(code)]
    for (const term of ["W7342738", "6974536207", "8310926033", "511.63"]) {
      expect(records.record(term)?.values).toBe(1)
      expect(records.worth(term), term).toBeGreaterThan(2 * lines.worth(term))
    }
    expect(records.record("order_id")?.values).toBe(0)
  })

  it("knows values of records by their names, in whatever quotes, and not those of a neighbour", () => {
    const { record } = read(
      user("Go on."),
      ...reading("a", "x", "{'order_id': '#W7342738', 'at': {1001: 2002}, 'ids': [3003, 4004], 5005}", "price: 6006"),
    )
    const values = ["W7342738", "1001", "2002", "3003", "4004", "5005", "6006"].filter((term) => record(term)?.values === 1)
    expect(values).toEqual(["W7342738", "3003", "4004"])
  })

  it("takes the words of names apart, however they are joined", () => {
    for (const name of ["uploadQueueLimit", "upload_queue_limit", "UPLOAD.QUEUE.LIMIT", "src/upload/queueLimit"]) {
      const { record } = read(user("Go on."), ...reading("a", "x.ts", name), assistant("Now the queueUpload.", call("b", "wait", {})))
      expect(record(name)?.kinship).toBeGreaterThan(1)
    }
  })

  it("is higher in a passage about what the agent is at than in another of the same length", () => {
    const { worth, record } = read(
      user("Go on."),
      ...reading("a", "src/far.ts", "const firstThing = alphaValue", "const otherThing = betaValue"),
      ...reading("b", "src/near.ts", "const tokenBucket = gammaValue", "const tokenBucket2 = deltaValue"),
      assistant("I change tokenBucket and tokenBucket2.", call("c", "wait", {})),
    )
    expect(record("gammaValue")?.focus).toBeGreaterThan(record("alphaValue")?.focus ?? 0)
    expect(worth("deltaValue")).toBeGreaterThan(worth("betaValue"))
  })

  it("is less for paths of a listing than for the same path in a sentence", () => {
    const listed = read(user("Go on."), ...reading("a", "x", "src/deep/file.ts", "src/deep/other.ts"))
    const spoken = read(user("Go on."), ...reading("a", "x", "see src/deep/file.ts there", "src/deep/other.ts"))
    expect(listed.worth("src/deep/file.ts")).toBeLessThan(spoken.worth("src/deep/file.ts"))
  })

  it("is nothing for names everybody knows", () => {
    const { worth } = read(user("Look at package.json, console.warn and uploadQueue.consoleWarn."))
    expect(worth("package.json")).toBe(0)
    expect(worth("console.warn")).toBe(0)
    expect(worth("uploadQueue.consoleWarn")).toBeGreaterThan(0)
  })

  it("is something for a file that is called like a library", () => {
    const { worth } = read(user("Look at errors.Join in errors.go."))
    expect(worth("errors.Join")).toBe(0)
    expect(worth("errors.go")).toBeGreaterThan(0)
  })
})
