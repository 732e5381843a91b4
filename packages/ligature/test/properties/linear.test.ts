import { describe, expect, it } from "vitest"
import { compact, digest, estimateMeter } from "../../src/compact/index.ts"
import { codecs, convert } from "../../src/convert/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type Conversation, result, tool, user } from "../../src/model/index.ts"

/**
 * Inputs so large that anything slower than linear would not end within the time of a test. No time is compared:
 * `node bench/hostile.mjs` shows how each command grows.
 */
describe("very large histories", () => {
  it("are read where one result is repeated in a user text many thousand times", () => {
    const headers = 200_000
    const { messages } = codecs["xml-text"]?.decode({
      messages: [
        { role: "assistant", content: "<read_file>\n<path>a</path>\n</read_file>" },
        { role: "user", content: "[read_file for 'a'] Result:\n".repeat(headers) },
      ],
    }) ?? { messages: [] }
    expect(messages[1]?.blocks).toMatchObject([{ type: "result", callId: "call_0_0" }])
  })

  it("are written back where one result has many thousand pieces", () => {
    const value = {
      messages: [
        { role: "assistant", content: "<read_file>\n<path>a</path>\n</read_file>" },
        { role: "user", content: "[read_file for 'a'] Result:\nline\n".repeat(150_000).trimEnd() },
      ],
    }
    const codec = codecs["xml-text"]
    const { conversation } = settle(codec?.decode(value) ?? { format: "xml-text", messages: [] })
    expect(JSON.stringify(codec?.encode(conversation)) === JSON.stringify(value)).toBe(true)
  })

  it("are read where most lines are torn", () => {
    const lines = Array.from({ length: 80_000 }, (_, index) => {
      const line = JSON.stringify({ role: index % 2 === 0 ? "user" : "assistant", content: `word ${index}` })
      return index > 20 && index % 3 === 0 ? line.slice(0, 12) : line
    })
    const { parts } = openDocument(lines.join("\n"))
    expect(parts[0]?.lines).toHaveLength(lines.filter((line) => line.endsWith("}")).length)
  })
})

describe("a digest", () => {
  /** How often the blocks of the one exchange are read. */
  const readsOf = (calls: number): number => {
    const ids = Array.from({ length: calls }, (_, index) => `call_${index}`)
    const { conversation } = settle({
      format: "ligature",
      messages: [
        user("go"),
        assistant("all at once", ...ids.map((id) => call(id, "read_file", { path: `src/${id}.ts` }))),
        tool(...ids.map((id) => result(id, `contents of ${id}\nand a second line`))),
        user("and now?"),
        assistant("Done."),
        user("Thanks."),
      ],
    })
    let reads = 0
    const items = conversation.items.map((item) => {
      if (item.role !== "exchange" || item.outcomes.length === 0) return item
      const { blocks, ...rest } = item.message
      const message = Object.defineProperty({ ...rest }, "blocks", { enumerable: true, get: () => (reads++, blocks) })
      return { ...item, message }
    })
    compact({ ...conversation, items } as Conversation, { budget: { tokens: calls * 4 }, strategy: digest(), meter: estimateMeter })
    return reads
  }

  it("reads an exchange as often with many calls as with few", () => {
    expect(readsOf(400)).toBe(readsOf(100))
  })
})

describe("the account of what a conversion left out", () => {
  const messageWith = (fields: number): unknown => ({
    messages: [
      {
        role: "user",
        content: "go",
        ...Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field${index}`, `unknown words ${index}`])),
      },
      { role: "assistant", content: "yes" },
    ],
  })

  it("names every field, however many there are", () => {
    const { report } = convert(messageWith(60_000), { from: "anthropic", to: "xml-text", extras: "strip" })
    const lost = report.losses.find(({ feature }) => feature === "other-fields")
    expect(Object.keys(lost?.original ?? {})).toHaveLength(60_000)
  })

  it("finds every text in one that is very long, in whatever order they come", () => {
    const ids = Array.from({ length: 40_000 }, (_, index) => `call_${index}`)
    const results = ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `contents of ${id}` }))
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "read_file", input: { path: `src/${id}.ts` } })) },
      { role: "user", content: results.toReversed() },
    ]
    const { report } = convert({ messages }, { from: "anthropic", to: "xml-text" })
    expect(report.losses.filter(({ feature }) => feature === "other-fields")).toEqual([])
  })
})
