import { describe, expect, it } from "vitest"
import { tau2 } from "../../../src/sessions/tau2/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { type Message, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { resultWords, wordsOf } from "../tau-bench/chat-messages.ts"
import { describeNeverThrows, describeOwnWriter } from "../tau-bench/own-writer.ts"

const simulation = (messages: readonly unknown[], more: Wire = {}): Wire => ({
  id: "sim-1",
  task_id: "7",
  termination_reason: "user_stop",
  start_time: "2026-05-01T10:00:00",
  messages,
  ...more,
})

const call = (id: string, requestor = "assistant"): Wire => ({ id, name: "lookup", arguments: { order: 3 }, requestor })

const hello = { role: "assistant", content: "Hi! How can I help?", tool_calls: null, turn_idx: 0 }
const question = { role: "user", content: "Where is my order?", tool_calls: null, turn_idx: 1 }
const made = { role: "assistant", content: null, tool_calls: [call("a")], turn_idx: 2, cost: 0.1 }
const answer = { id: "a", role: "tool", content: "not found", requestor: "assistant", error: true, turn_idx: 3 }
const asked = { role: "user", content: "One moment", tool_calls: [call("u", "user")], turn_idx: 4 }
const told = { id: "u", role: "tool", content: "order 3", requestor: "user", error: false, turn_idx: 5 }

describe("tau2", () => {
  const value = simulation([hello, question, made, answer, asked, told])

  it("reads what the agent saw: not the tools of the simulated user", () => {
    const { native: _, ...transcript } = tau2.decode(value)
    expect(transcript).toEqual({
      format: "tau2",
      messages: [
        { role: "assistant", blocks: [{ type: "text", text: "Hi! How can I help?" }], native: { tau2: hello } },
        { role: "user", blocks: [{ type: "text", text: "Where is my order?" }], native: { tau2: question } },
        {
          role: "assistant",
          blocks: [{ type: "call", id: "a", name: "lookup", arguments: { order: 3 }, native: { tau2: made.tool_calls[0] } }],
          native: { tau2: made },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "a",
              content: [{ type: "text", text: "not found" }],
              error: true,
              native: { tau2: answer },
            },
          ],
          native: { tau2: answer },
        },
      ],
    })
  })

  it("tells the user's own calls and results as words of the user where all is asked for", () => {
    const { messages } = tau2.decode(value, { view: "whole" })
    expect(messages.slice(4)).toEqual([
      {
        role: "user",
        blocks: [{ type: "text", text: 'One moment\n[The user called lookup {"order":3}]' }],
        native: { tau2: asked },
      },
      { role: "user", blocks: [{ type: "text", text: "[The user's tool answered: order 3]" }], native: { tau2: told } },
    ])
  })

  it.each(["whole", "effective"] as const)("keeps every message of a healthy simulation, read as %s", (view) => {
    expect(tau2.encode(settle(tau2.decode(value, { view })).conversation)).toBe(value)
  })

  it("answers an open call where it is and leaves the user's traffic in place", () => {
    const more = { ...question, turn_idx: 6 }
    const broken = simulation([question, asked, told, made, more])
    expect(tau2.encode(settle(tau2.decode(broken)).conversation)).toEqual(
      simulation([
        question,
        asked,
        told,
        made,
        { id: "a", role: "tool", content: syntheticTexts.interrupted, requestor: "assistant", error: true },
        more,
      ]),
    )
  })

  it("finds the simulations of a file of results, and a simulation that is a file of its own", () => {
    const results = { timestamp: "t", info: {}, tasks: [], simulations: [value, { id: "no messages" }] }
    expect(tau2.session.sessionsIn?.(results)).toEqual([{ path: ["simulations", 0], value }])
    expect(tau2.session.sessionsIn?.(value)).toEqual([{ path: [], value }])
    expect(tau2.session.recognise({ syntax: "value", records: [results] })?.certainty).toBe("certain")
    expect(tau2.session.recognise({ syntax: "value", records: [value] })?.certainty).toBe("likely")
    expect(tau2.session.recognise({ syntax: "value", records: [{ messages: [question] }] })).toBeUndefined()
    expect(tau2.session.outline(value)).toEqual({
      id: "sim-1",
      title: "task 7",
      startedAt: "2026-05-01T10:00:00",
      paths: [{ id: "sim-1", kind: "active", title: "Where is my order?", messages: 6, first: 0 }],
      compactions: [],
    })
  })
})

const record = (message: Message): readonly Wire[] => {
  const words = wordsOf(message)
  const calls = message.blocks.flatMap((block) =>
    block.type === "call" ? [{ id: block.id, name: block.name, arguments: block.raw ?? block.arguments, requestor: "assistant" }] : [],
  )
  const results = message.blocks.flatMap((block): Wire[] =>
    block.type === "result"
      ? [
          {
            id: block.callId,
            role: "tool",
            content: resultWords(block),
            requestor: "assistant",
            error: block.error === true,
          },
        ]
      : [],
  )
  const role = message.role === "tool" ? "user" : message.role
  if (results.length > 0 && words === "" && calls.length === 0) return results
  // A call that damage put into a user's message would be the simulated user's own.
  const made = role === "assistant" && calls.length > 0 ? calls : null
  return [{ role, content: words === "" ? null : words, tool_calls: made }, ...results]
}

describeOwnWriter({
  codec: tau2,
  build: (messages) => simulation(messages.flatMap(record)),
  recordsOf: (value) => (value as Wire)["messages"] as readonly unknown[],
})
describeNeverThrows(tau2, ["messages", "simulations"])
