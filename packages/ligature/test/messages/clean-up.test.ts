import { describe, expect, it } from "vitest"
import { dropUnansweredCalls, type Notice, skipOrphanResults } from "../../src/messages/index.ts"
import { assistant, call, result, tool, user } from "../../src/model/index.ts"
import { shapes } from "./wire-shapes.ts"

const listen = (): { readonly said: string[]; readonly notice: Notice } => {
  const said: string[] = []
  return { said, notice: (what) => said.push(what) }
}

describe.each(shapes)("clean-up of $name messages", ({ write }) => {
  it("skips a result without call, and says so", () => {
    const messages = write([user("go"), tool(result("ghost", "boo")), assistant("hm")])
    const { said, notice } = listen()
    expect(skipOrphanResults(messages, { warn: notice })).toEqual([messages[0], messages[2]])
    expect(said).toEqual(["Skipping orphan result ghost in message 1 (no call before it)"])
  })

  it("skips a second result, not the first", () => {
    const messages = write([assistant(call("a", "ls")), tool(result("a", "x")), tool(result("a", "x")), user("ok")])
    expect(skipOrphanResults(messages)).toEqual([messages[0], messages[1], messages[3]])
  })

  it("keeps every result of a reused id, and skips the one too many", () => {
    const round = [assistant(call("call_0", "ls")), tool(result("call_0", "x")), user("again")]
    const healthy = write([...round, ...round])
    expect(skipOrphanResults(healthy)).toEqual(healthy)
    const messages = write([...round, tool(result("call_0", "y")), ...round])
    expect(skipOrphanResults(messages)).toEqual(messages.filter((_, index) => index !== 3))
  })

  it("skips a result that is before its call", () => {
    const messages = write([user("go"), tool(result("a", "x")), assistant(call("a", "ls"))])
    expect(skipOrphanResults(messages)).toEqual([messages[0], messages[2]])
  })

  it("drops a message with an unanswered call, and the results of its siblings", () => {
    const messages = write([
      user("go"),
      assistant(call("a", "ls")),
      tool(result("a", "x")),
      assistant("both", call("b", "ls"), call("c", "cat")),
      tool(result("b", "y")),
      user("stop"),
    ])
    const { said, notice } = listen()
    expect(dropUnansweredCalls(messages, { debug: notice })).toEqual([0, 1, 2, 5].map((index) => messages[index]))
    expect(said).toEqual([
      "Leaving out assistant message 3: 1 unanswered call(s): c",
      "Leaving out result b in message 4: its call is left out",
    ])
  })

  it("keeps running calls at an open tip only", () => {
    const messages = write([
      user("go"),
      assistant(call("a", "ls")),
      user("more"),
      assistant(call("b", "ls"), call("c", "cat")),
      tool(result("b", "y")),
    ])
    expect(dropUnansweredCalls(messages, { tip: "open" })).toEqual([0, 2, 3, 4].map((index) => messages[index]))
    expect(dropUnansweredCalls(messages)).toEqual([messages[0], messages[2]])
  })

  it("drops the unanswered copy of a call that was recorded twice", () => {
    const messages = write([user("go"), assistant(call("a", "ls")), assistant(call("a", "ls")), tool(result("a", "x"))])
    expect(dropUnansweredCalls(messages, { tip: "open" })).toEqual([0, 2, 3].map((index) => messages[index]))
  })

  it("tells the unanswered use of a reused id from the answered one", () => {
    const messages = write([
      assistant(call("call_0", "ls")),
      tool(result("call_0", "x")),
      user("again"),
      assistant(call("call_0", "cat")),
      user("?"),
    ])
    expect(dropUnansweredCalls(messages)).toEqual([0, 1, 2, 4].map((index) => messages[index]))
  })

  it("gives healthy lists back as they are", () => {
    const messages = write([user("go"), assistant(call("a", "ls")), tool(result("a", "x")), assistant("done")])
    expect(skipOrphanResults(messages)).toBe(messages)
    expect(dropUnansweredCalls(messages)).toBe(messages)
  })
})

describe("clean-up of mixed messages", () => {
  const calls = {
    role: "assistant",
    content: [
      { type: "tool_use", id: "a", name: "ls", input: {} },
      { type: "tool_use", id: "b", name: "ls", input: {} },
    ],
  }
  const answer = { type: "tool_result", tool_use_id: "a", content: "x" }
  const ghost = { type: "tool_result", tool_use_id: "ghost", content: "boo" }
  const words = { type: "text", text: "and now?" }

  it("takes the orphan out of a copy of its message and leaves the rest", () => {
    const mixed = { role: "user", content: [ghost, answer, words], id: "kept" }
    const messages = [{ role: "assistant", content: [calls.content[0]] }, mixed]
    expect(skipOrphanResults(messages)).toEqual([messages[0], { role: "user", content: [answer, words], id: "kept" }])
    expect(mixed.content).toEqual([ghost, answer, words])
  })

  it("takes the result of a dropped call out and keeps the words beside it", () => {
    expect(dropUnansweredCalls([calls, { role: "user", content: [answer, words] }])).toEqual([{ role: "user", content: [words] }])
  })

  it("leaves no message behind that says nothing", () => {
    const blank = { type: "text", text: " \n" }
    expect(dropUnansweredCalls([calls, { role: "user", content: [answer, blank] }])).toEqual([])
  })

  it("reaches into wrapped messages", () => {
    const entry = { uuid: "2", message: { role: "user", content: [ghost, words] } }
    expect(skipOrphanResults([entry])).toEqual([{ uuid: "2", message: { role: "user", content: [words] } }])
  })

  it("drops a whole Responses turn of which one call is unanswered", () => {
    const items = [
      { role: "user", content: "go" },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "cat", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "x" },
      { role: "user", content: "stop" },
    ]
    expect(dropUnansweredCalls(items)).toEqual([items[0], items[5]])
  })
})
