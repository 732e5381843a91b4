/** What a model has written: its calls become blocks that survive a store, and the next request has the very same text. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { knownTools } from "../../../src/formats/engine/tools.ts"
import { lowerToText } from "../../../src/formats/xml-text/lower.ts"
import { readSpokenCalls } from "../../../src/formats/xml-text/spoken-calls.ts"
import { settle } from "../../../src/rules/index.ts"
import { assistant, type CallBlock, flatten, type Message, result, tool, user } from "../../../src/model/index.ts"

const declared = [
  { name: "read", parameters: { type: "object", properties: { path: { type: "string" }, lines: { type: "integer" } } } },
  { name: "ls" },
]
const tools = knownTools(declared)

const callsOf = ({ blocks }: Message): readonly CallBlock[] => blocks.filter((block) => block.type === "call")

/** The text of the message in a request, once it was stored and its calls were answered. */
const saidAgain = (message: Message): string => {
  const read = readSpokenCalls(message, tools)
  const named = { ...read, blocks: read.blocks.map((block, index) => (block.type === "call" ? { ...block, id: `c${index}` } : block)) }
  const stored = JSON.parse(JSON.stringify(named)) as Message
  const results = callsOf(stored).map(({ id }) => result(id, "ok"))
  const messages = [user("Go."), stored, ...(results.length === 0 ? [] : [tool(...results)])]
  const { conversation } = settle({ format: "ligature", messages })
  const [, said] = flatten(lowerToText(conversation, { tools: declared })).messages
  expect(said?.blocks.map(({ type }) => type)).toEqual(["text"])
  return said?.blocks[0]?.type === "text" ? said.blocks[0].text : ""
}

const gap = fc.constantFrom("\n", "\n\n", "\n\n\n", "\r\n", " \n")
const value = fc.constantFrom("a.ts", "\na.ts\n", "x < y && z", "<b>bold</b>", "", "two\nlines")
const call = fc.oneof(
  value.map((path) => `<read>\n<path>${path}</path>\n</read>`),
  value.map((path) => `<read><path>${path}</path>\n<lines>12</lines></read>`),
  fc.constantFrom("<ls>\n</ls>", "<read>\n  <path>a</path>\n  <lines>many</lines>\n</read>"),
  fc.constantFrom('<tool_call>\n{"name": "read", "arguments": {"path": "b"}}\n</tool_call>'),
)
const words = fc.constantFrom("I look.", "First this:", "Then\n\nthat.", "Done with it.")

describe("calls in the text of a model", () => {
  it("are written again as they were written", () => {
    const part = fc.oneof(words, call)
    const text = fc.tuple(part, fc.array(fc.tuple(gap, part), { maxLength: 4 })).map(([first, more]) => [first, ...more.flat()].join(""))
    fc.assert(
      fc.property(text, (said) => {
        expect(saidAgain(assistant(said))).toBe(said.trim())
      }),
      { numRuns: 600, seed: 2 },
    )
  })

  it("have the types of their schema, and keep nothing but what is not in them", () => {
    const usual = readSpokenCalls(assistant("I look.\n\n<read>\n<path>a.ts</path>\n<lines>12</lines>\n</read>"), tools)
    expect(usual.blocks).toEqual([
      { type: "text", text: "I look." },
      { type: "call", id: "", name: "read", arguments: { path: "a.ts", lines: 12 }, style: "xml" },
    ])
    const [odd] = callsOf(readSpokenCalls(assistant("<read><path>a.ts</path></read>"), tools))
    expect(odd?.native).toEqual({ "xml-text": { raw: "<read><path>a.ts</path></read>", of: expect.any(String) as string } })
  })

  it("are rewritten where somebody has changed them", () => {
    const message = readSpokenCalls(assistant("<read><path>a.ts</path></read>"), tools)
    const changed = {
      ...message,
      blocks: message.blocks.map((block) => (block.type === "call" ? { ...block, arguments: { path: "b.ts" } } : block)),
    }
    expect(saidAgain(changed)).toBe("<read>\n<path>b.ts</path>\n</read>")
  })

  it("are left alone in a message without any", () => {
    const message = assistant("Use <read> for that, or `<ls>`.")
    expect(readSpokenCalls(message, tools)).toBe(message)
  })
})
