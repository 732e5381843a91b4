import { describe, expect, it } from "vitest"
import { continueSession } from "../../../src/sessions/continue/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { resultText, syntheticTexts, type Transcript, type Wire } from "../../../src/model/index.ts"
import { calling, item, said, session, state, tool, toolCall } from "./session.ts"

const { decode, encode } = continueSession
const { outline, place, recognise } = continueSession.session

const texts = ({ messages }: Transcript): readonly string[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.map((block) => {
      if (block.type === "text" || block.type === "thinking") return `${role} ${block.type}: ${block.text}`
      if (block.type === "call") return `${role} call: ${block.id} ${block.pending ?? ""}`.trimEnd()
      if (block.type !== "result") return `${role} ${block.type}`
      return `${role} result: ${block.callId} ${resultText(block)}${block.error === true ? " (failed)" : ""}`
    }),
  )

const rewrite = (value: unknown, options = {}): Wire => encode(settle(decode(value, options)).conversation)

const historyOf = (value: Wire): readonly Wire[] => value["history"] as readonly Wire[]

describe("a Continue session", () => {
  it("reads context before the words, thinking with its message, and calls with their results", () => {
    const call = toolCall("c1", "ls")
    const context = { name: "a.ts", description: "", content: "let a" }
    const value = session(
      said(
        "user",
        [
          { type: "text", text: "Look." },
          { type: "imageUrl", imageUrl: { url: "data:image/png;base64,AA" } },
        ],
        { contextItems: [context] },
      ),
      said("thinking", "Hm.", {}),
      calling([call], { toolCallStates: [state(call, "done", "a.txt")] }),
      said("assistant", "One file."),
    )
    expect(texts(decode(value))).toEqual([
      "user text: let a\n",
      "user text: Look.",
      "user media",
      "assistant thinking: Hm.",
      "assistant call: c1",
      "tool result: c1 a.txt",
      "assistant text: One file.",
    ])
    expect(decode(value).messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
    expect(rewrite(value)).toBe(value)
  })

  it("takes a tool item for the result where there is one, and a state else", () => {
    const [one, two] = [toolCall("c1", "ls"), toolCall("c2", "ls")]
    const value = session(
      said("user", "Go."),
      calling([one, two], { toolCallStates: [state(one, "done", "from the state"), state(two, "done", "second")] }),
      tool("c1", "from the item"),
      said("user", "And?"),
    )
    expect(texts(decode(value)).slice(3)).toEqual(["tool result: c2 second", "tool result: c1 from the item", "user text: And?"])
  })

  it("reads the single state of older files, and every status", () => {
    const call = toolCall("c1", "ls")
    const read = (status: string, output?: string) =>
      texts(decode(session(said("user", "Go."), calling([call], { toolCallState: state(call, status, output) })))).slice(1)
    expect(read("done", "x")).toEqual(["assistant call: c1", "tool result: c1 x"])
    expect(read("errored", "x")).toEqual(["assistant call: c1", "tool result: c1 x (failed)"])
    expect(read("canceled")).toEqual(["assistant call: c1", "tool result: c1 The user cancelled this tool call. (failed)"])
    expect(read("calling")).toEqual(["assistant call: c1 running"])
    expect(read("generated")).toEqual(["assistant call: c1 approval"])
    expect(read("generating")).toEqual(["assistant call: c1 running"])
    expect(read("?")).toEqual(["assistant call: c1"])
  })

  it("says that a call was canceled, so that it did not run", () => {
    const call = toolCall("c1", "rm")
    const value = session(said("user", "Go."), calling([call], { toolCallStates: [state(call, "canceled")] }), said("user", "No."))
    const [, exchange] = settle(decode(value)).conversation.items
    expect(exchange?.role === "exchange" && exchange.outcomes.map(({ kind }) => kind)).toEqual(["not-run"])
    expect(rewrite(value)).toBe(value)
  })

  it("shows a summary where it is, and begins with it in the effective view", () => {
    const value = session(said("user", "Old."), said("assistant", "Yes.", { conversationSummary: "What was." }), said("user", "New."))
    expect(texts(decode(value))).toEqual(["user text: Old.", "assistant text: Yes.", "user text: What was.", "user text: New."])
    expect(decode(value).messages[2]?.summary).toBe(true)
    expect(texts(decode(value, { view: "effective" }))).toEqual(["user text: What was.", "user text: New."])
    expect(outline(value).compactions).toEqual([{ record: 1, kind: "summary", summary: "What was." }])
    expect(rewrite(value)).toBe(value)
    expect(rewrite(value, { view: "effective" })).toBe(value)
  })

  it("gets an honest result into the state of a call that never ended", () => {
    const call = toolCall("c1", "rm")
    const open = state(call, "calling")
    const value = session(said("user", "Go."), calling([call], { toolCallStates: [open] }), said("user", "And?"))
    const written = historyOf(rewrite(value))
    expect(written[0]).toBe(historyOf(value)[0])
    expect(written[2]).toBe(historyOf(value)[2])
    expect(written[1]?.["message"]).toEqual(historyOf(value)[1]?.["message"])
    expect(written[1]?.["toolCallStates"]).toEqual([
      {
        ...open,
        status: "errored",
        parsedArgs: { path: "." },
        output: [{ name: "rm", description: "Result of the call", content: syntheticTexts.interrupted }],
      },
    ])
    expect(rewrite({ ...value, history: written })["history"]).toBe(written)
  })

  it("puts a tool item after such a call where the session keeps no states", () => {
    const value = session(said("user", "Go."), calling([toolCall("c1", "rm")]), said("user", "And?"))
    const written = historyOf(rewrite(value))
    expect(written.map((one) => (one["message"] as Wire)["role"])).toEqual(["user", "assistant", "tool", "user"])
    expect(written[2]).toEqual({ contextItems: [], message: { role: "tool", content: syntheticTexts.interrupted, toolCallId: "c1" } })
  })

  it("keeps empty items and items it does not know", () => {
    const value = session(said("user", "Go."), said("assistant", ""), item({ role: "critic", content: "x" }), 7)
    expect(rewrite(value)).toBe(value)
    expect(decode(value).diagnostics?.map(({ rule }) => rule)).toEqual(["malformed-record", "malformed-record"])
  })

  it("knows its files and where they lie", () => {
    const value = session(said("user", "Go."))
    expect(recognise({ syntax: "value", records: [value] })?.certainty).toBe("certain")
    expect(recognise({ syntax: "value", records: [{ history: historyOf(value) }] })?.certainty).toBe("likely")
    expect(recognise({ syntax: "value", records: [{ conversation_id: "k", history: [{ user: {}, assistant: {} }] }] })).toBe(undefined)
    expect(place?.(value).path).toBe("~/.continue/sessions/s1.json")
    expect(outline(value)).toEqual({
      id: "s1",
      title: "A session",
      folder: "/home/a",
      paths: [{ id: "active", kind: "active", title: "Go.", messages: 1, first: 0 }],
      compactions: [],
    })
  })
})
