/** The adapter of LangChain and LangGraph, on plain objects with the fields of its messages. */
import { describe, expect, it } from "vitest"
import {
  type Removal,
  stateUpdate,
  trimMessages,
  validMessages,
  validModelCall,
  validPreModelHook,
} from "../../src/adapters/langchain/index.ts"
import { syntheticTexts } from "../../src/model/index.ts"
import { Choices, generateHistory, judges } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { langChainToChat, type Plain, toLangChain } from "./render.ts"

const human = (id: string, content = "Hello."): Plain => ({ type: "human", id, content })
const ai = (id: string, ...calls: readonly string[]): Plain => ({
  type: "ai",
  id,
  content: calls.length === 0 ? "Done." : "",
  tool_calls: calls.map((call) => ({ id: call, name: "bash", args: { call }, type: "tool_call" })),
})
const answer = (id: string, call: string): Plain => ({ type: "tool", id, name: "bash", tool_call_id: call, content: "ok" })

const ids = (messages: readonly Plain[]): readonly unknown[] => messages.map(({ id }) => id)

describe("validMessages", () => {
  it("adds the outcome of an unanswered call as an object LangChain takes for a message", () => {
    const list = [human("1"), ai("2", "a"), human("3")]
    const valid = validMessages(list)
    expect(valid).toEqual([
      list[0],
      list[1],
      { role: "tool", name: "bash", status: "error", content: syntheticTexts.interrupted, tool_call_id: "a" },
      list[2],
    ])
    expect([valid[0] === list[0], valid[1] === list[1], valid[3] === list[2]]).toEqual([true, true, true])
  })

  it("makes real messages of what it wrote, where it is told how, and of nothing else", () => {
    const made: unknown[] = []
    const coerce = (message: Plain): Plain => {
      made.push(message["role"])
      return { ...message, real: true }
    }
    const valid = validMessages([human("1"), ai("2", "a")], { coerce })
    expect(valid.map(({ real }) => real)).toEqual([undefined, undefined, true])
    expect(made).toEqual(["tool"])
  })

  it("moves a call with broken arguments where its result can find it", () => {
    const broken = { id: "a", name: "bash", args: '{"comm', type: "invalid_tool_call", error: "Malformed args." }
    const left = { ...ai("2"), content: "", invalid_tool_calls: [broken] }
    const valid = validMessages([human("1"), left, human("3")])
    expect(valid).toEqual([
      human("1"),
      {
        role: "assistant",
        id: "2",
        content: "",
        tool_calls: [{ id: "a", name: "bash", args: { _invalid_json: '{"comm' }, type: "tool_call" }],
      },
      { role: "tool", name: "bash", status: "error", content: syntheticTexts["not-run"], tool_call_id: "a" },
      human("3"),
    ])
    expect(validMessages(valid)).toBe(valid)
  })

  it("renames a call everywhere it is named, and keeps id, thinking and usage", () => {
    const twice = {
      ...ai("4", "a"),
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "Again." },
        { type: "tool_use", id: "a", name: "bash", input: { call: "a" }, cache_control: { type: "ephemeral" } },
      ],
      additional_kwargs: { tool_calls: [{ id: "a" }], other: 1 },
      response_metadata: { model: "m", output: [{ type: "function_call" }] },
      usage_metadata: { total_tokens: 7 },
    }
    const valid = validMessages<Plain>([human("1"), ai("2", "a"), answer("3", "a"), twice, answer("5", "a")])
    const [written, result] = valid.slice(3)
    const id = ((written as Plain)["tool_calls"] as readonly Plain[])[0]?.["id"]
    expect(id).not.toBe("a")
    expect(written).toEqual({
      role: "assistant",
      id: "4",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "Again." },
        { type: "tool_use", id, name: "bash", input: { call: "a" }, cache_control: { type: "ephemeral" } },
      ],
      tool_calls: [{ id, name: "bash", args: { call: "a" }, type: "tool_call" }],
      additional_kwargs: { other: 1 },
      response_metadata: { model: "m" },
      usage_metadata: { total_tokens: 7 },
    })
    expect(result).toEqual({ role: "tool", id: "5", name: "bash", content: "ok", tool_call_id: id })
  })

  it("reads messages by their fields, wherever the class keeps them", () => {
    class AIMessage {
      readonly content = ""
      get type(): string {
        return "ai"
      }
      get tool_calls(): readonly Plain[] {
        return [{ id: "a", name: "bash", args: {} }]
      }
    }
    const message = new AIMessage()
    const valid = validMessages<unknown>([human("1"), message])
    expect(valid[1]).toBe(message)
    expect(valid).toHaveLength(3)
  })
})

describe("hooks", () => {
  it("give the model a valid list and leave the state alone", () => {
    const messages = [human("1"), ai("2", "a")]
    expect(validPreModelHook<Plain>()({ messages }).llmInputMessages).toHaveLength(3)
    const request = { messages, tools: [] }
    const { wrapModelCall } = validModelCall()
    expect(wrapModelCall(request, (sent) => [sent.messages.length, sent.tools === request.tools])).toEqual([3, true])
    expect(messages).toHaveLength(2)
  })

  it("hand on the very same request where nothing is wrong", () => {
    const request = { messages: [human("1"), ai("2", "a"), answer("3", "a")] }
    expect(validModelCall().wrapModelCall(request, (sent) => sent === request)).toBe(true)
  })
})

/** What the reducer of a graph makes of an update. */
const reduce = (state: readonly Plain[], update: readonly (Plain | Removal)[]): readonly Plain[] => {
  const all = update.findLastIndex((message) => message["type"] === "remove" && message["id"] === "__remove_all__")
  if (all >= 0) return update.slice(all + 1) as readonly Plain[]
  const gone = new Set(update.map(({ id }) => id))
  for (const { id } of update) expect(ids(state)).toContain(id)
  return state.filter(({ id }) => !gone.has(id))
}

describe("trimMessages", () => {
  const state = [
    { type: "system", id: "0", content: "Be brief." },
    human("1"),
    ai("2", "a", "b"),
    answer("3", "a"),
    answer("4", "b"),
    ai("5"),
    human("6"),
    ai("7", "c"),
    answer("8", "c"),
    ai("9"),
  ]

  it("keeps the system text and the newest exchanges that fit, beginning with a person", () => {
    expect(ids(trimMessages(state, { maxMessages: 6 }).messages)).toEqual(["0", "6", "7", "8", "9"])
    expect(ids(trimMessages(state, { maxMessages: 8 }).messages)).toEqual(["0", "6", "7", "8", "9"])
    expect(ids(trimMessages(state, { maxMessages: 8, startOn: "any" }).messages)).toEqual(["0", "6", "7", "8", "9"])
    expect(ids(trimMessages(state, { maxMessages: 9, startOn: "any" }).messages)).toEqual(["0", "2", "3", "4", "5", "6", "7", "8", "9"])
    expect(ids(trimMessages(state, { maxMessages: 6, keepFirst: 2 }).messages)).toEqual(["0", "1", "6", "7", "8", "9"])
  })

  it("always keeps the newest exchange, and all where all fits", () => {
    expect(ids(trimMessages(state, { maxMessages: 1 }).messages)).toEqual(["0", "7", "8", "9"])
    const whole = trimMessages(state, { maxMessages: 10 })
    expect([whole.messages === state, whole.removed, whole.update]).toEqual([true, [], []])
  })

  it("counts tokens with the meter it is given, and wants one", () => {
    const meter = (message: Plain): number => (message["type"] === "tool" ? 100 : 1)
    expect(ids(trimMessages(state, { maxTokens: 110, meter }).messages)).toEqual(["0", "6", "7", "8", "9"])
    expect(() => trimMessages(state, { maxTokens: 10 })).toThrow("Expected a meter")
  })

  it("removes messages from a state by their ids, or rewrites the state where they have none", () => {
    const { update, messages, removed } = trimMessages(state, { maxMessages: 6 })
    expect(update).toEqual(removed.map(({ id }) => ({ type: "remove", id })))
    expect(reduce(state, update)).toEqual(messages)
    const nameless = state.map((message) => ({ ...message, id: undefined }))
    const anew = trimMessages(nameless, { maxMessages: 6 })
    expect(anew.update).toEqual([{ type: "remove", id: "__remove_all__" }, ...anew.messages])
    const doubled = state.map((message) => ({ ...message, id: "same" }))
    expect(trimMessages(doubled, { maxMessages: 6 }).update[0]).toEqual({ type: "remove", id: "__remove_all__" })
  })

  it("makes an update of real messages where it is told how", () => {
    const coerce = (message: Plain): Plain => ({ ...message, real: true })
    expect(trimMessages(state, { maxMessages: 6, coerce }).update[0]).toEqual({ type: "remove", id: "1", real: true })
    expect(stateUpdate(state, { coerce })[0]).toEqual({ type: "remove", id: "__remove_all__", real: true })
  })

  it("keeps every healthy history healthy, whatever the budget", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const choices = new Choices(numbersFromSeed(seed, 400))
      const { messages, recycles } = generateHistory(choices)
      const list = toLangChain(messages)
      if (recycles || !judges["openai-chat"](langChainToChat(list)).ok) continue
      const maxMessages = 1 + choices.number(list.length)
      const trimmed = trimMessages(list, { maxMessages })
      const verdict = judges["openai-chat"](langChainToChat(trimmed.messages))
      expect({ seed, verdict }).toEqual({ seed, verdict: { ok: true } })
      expect(reduce(list, trimmed.update)).toEqual(trimmed.messages)
      expect(validMessages(trimmed.messages)).toBe(trimmed.messages)
    }
  })
})
