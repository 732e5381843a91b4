import { describe, expect, it } from "vitest"
import { findConversations } from "../../src/document/index.ts"

const user = { role: "user", content: "x" }
const assistant = { role: "assistant", content: "y" }

const found = (value: unknown) =>
  findConversations(value).conversations.map(({ detected, container, path, value: wire, reply }) => ({
    format: detected.format,
    container,
    path,
    wire,
    replyPath: reply?.path,
  }))

describe("findConversations", () => {
  it("takes a request as a whole", () => {
    const request = { model: "m", messages: [user], tools: [], extra: 1 }
    expect(found(request)).toEqual([
      { format: "openai-chat", container: "request", path: ["messages"], wire: request, replyPath: undefined },
    ])
    expect(found(request)[0]?.wire).toBe(request)
  })

  it("takes a bare list as it is", () => {
    expect(found([user, assistant])).toEqual([
      { format: "openai-chat", container: "list", path: [], wire: [user, assistant], replyPath: undefined },
    ])
  })

  it("finds lists under any key when they are messages without doubt", () => {
    const value = { put: [user, assistant], clean: [user], numbers: [1, 2], names: [{ name: "a" }] }
    expect(found(value).map(({ path, container }) => [path, container])).toEqual([
      [["put"], "list"],
      [["clean"], "list"],
    ])
  })

  it("finds one conversation per entry of a benchmark and notes empty ones", () => {
    const value = [
      { task_id: 1, traj: [user, assistant] },
      { task_id: 2, traj: [] },
      { task_id: 3, traj: [user] },
    ]
    expect(found(value).map(({ path }) => path)).toEqual([
      [0, "traj"],
      [2, "traj"],
    ])
    expect(findConversations(value).emptyLists).toEqual([[1, "traj"]])
  })

  it("does not look for conversations inside messages", () => {
    const quoting = { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "x" }], metadata: { messages: [user] } }
    expect(found({ messages: [user, quoting], tools: [{ type: "function", function: { name: "f", messages: [user] } }] })).toHaveLength(1)
  })

  it("puts the reply of a log entry at the end, without what only a response carries", () => {
    const response = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "y" }],
      usage: {},
      stop_reason: "end_turn",
    }
    const value = [{ method: "POST", body: { model: "claude-x", messages: [user] }, status: 200, response }]
    expect(found(value)).toEqual([
      {
        format: "anthropic",
        container: "request",
        path: [0, "body", "messages"],
        wire: { model: "claude-x", messages: [user, { role: "assistant", content: [{ type: "text", text: "y" }] }] },
        replyPath: [0, "response"],
      },
    ])
  })

  it("takes replies of every provider", () => {
    const replies: readonly (readonly [unknown, readonly unknown[]])[] = [
      [{ choices: [{ message: assistant }] }, [assistant]],
      [
        { output: [{ type: "function_call", call_id: "a", name: "f", arguments: "{}" }] },
        [{ type: "function_call", call_id: "a", name: "f", arguments: "{}" }],
      ],
      [{ candidates: [{ content: { role: "model", parts: [{ text: "y" }] } }] }, [{ role: "model", parts: [{ text: "y" }] }]],
      [{ output: { message: { role: "assistant", content: [{ text: "y" }] } } }, [{ role: "assistant", content: [{ text: "y" }] }]],
      [{ message: assistant }, [assistant]],
    ]
    for (const [response, messages] of replies) {
      expect(findConversations({ request: { messages: [user] }, response }).conversations[0]?.reply?.messages).toEqual(messages)
    }
  })

  it("does not append a reply that the list already has", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } }
    const list = [user, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "a", content: "x" }]
    const value = { messages: list, response: { choices: [{ message: { role: "assistant", content: "", tool_calls: [call] } }] } }
    expect(found(value)[0]?.replyPath).toBeUndefined()
  })

  it("appends a reply that repeats a recycled id with other arguments", () => {
    const calling = (words: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "0", function: { name: "f", arguments: words } }],
    })
    const value = {
      messages: [user, calling("1"), { role: "tool", tool_call_id: "0", content: "x" }],
      response: { choices: [{ message: calling("2") }] },
    }
    expect(found(value)[0]?.replyPath).toEqual(["response", "choices", 0, "message"])
  })

  it("joins an empty input with the items of its response", () => {
    const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "y" }] }]
    expect(found({ responses_create_params: { input: [], model: "m" }, response: { output } })).toEqual([
      {
        format: "openai-responses",
        container: "request",
        path: ["responses_create_params", "input"],
        wire: { input: output, model: "m" },
        replyPath: ["response", "output"],
      },
    ])
  })

  it("gives the decoder the request out of a log entry, not the log", () => {
    const value = { messages: [user], tools: [{ function: {} }], cost: 1, latency_sec: 2, response: { choices: [{ message: assistant }] } }
    expect(found(value)[0]?.wire).toEqual({ messages: [user, assistant], tools: [{ function: {} }] })
  })

  it("gives a bare list where the key is not the format's own", () => {
    const list = [user, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }]
    expect(found({ model: "m", input: list })).toEqual([
      { format: "anthropic", container: "list", path: ["input"], wire: list, replyPath: undefined },
    ])
  })

  it("returns a conversation that one record says twice only once, with the place of the copy", () => {
    const value = [{ completions: { a: { input: [user] } }, output: { completion: { input: [{ ...user }] } } }, { input: [user] }]
    const { conversations } = findConversations(value)
    expect(conversations.map(({ path, copies }) => [path, copies])).toEqual([
      [[0, "completions", "a", "input"], [[0, "output", "completion", "input"]]],
      [[1, "input"], []],
    ])
  })

  it("reads a file that is one message, a reply, or a string as input", () => {
    expect(found(user).map(({ container, wire }) => [container, wire])).toEqual([["message", [user]]])
    expect(found({ id: "1", choices: [{ message: assistant }] }).map(({ container, wire }) => [container, wire])).toEqual([
      ["reply", [assistant]],
    ])
    expect(found({ model: "m", input: "hi" }).map(({ container }) => container)).toEqual(["request"])
  })

  it("tolerates damage among the messages", () => {
    expect(found({ messages: [null, user, "x", assistant, { role: "assistant" }] })).toHaveLength(1)
    expect(
      found([
        { role: "USER", index: 0 },
        { role: "TOOL_CALL", index: 1 },
      ]),
    ).toEqual([])
  })

  it("walks values that are nested deeper than the stack", () => {
    let deep: unknown = [user]
    for (let level = 0; level < 200_000; level += 1) deep = level % 2 === 0 ? { a: deep } : [deep]
    expect(found({ a: deep, messages: [user] }).map(({ path }) => path)).toEqual([["messages"]])
  })

  it("takes own keys only, whatever they are called", () => {
    const value: unknown = JSON.parse('{"__proto__":{"messages":[{"role":"user","content":"x"}]},"constructor":{"prototype":1}}')
    expect(found(value).map(({ path }) => path)).toEqual([["__proto__", "messages"]])
    expect(({} as Record<string, unknown>)["messages"]).toBeUndefined()
  })

  it("is linear in the number of lists and of elements", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`k${index}`, [user, { role: "assistant", content: `${index}` }]]),
    )
    expect(found(wide)).toHaveLength(20_000)
  }, 10_000)
})

describe("a request whose input is one text", () => {
  const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "8080" }] }]

  it("is found in a log, with the reply beside it", () => {
    const value = { responses_create_params: { input: "Which port?", temperature: 1 }, response: { output }, reward: 1 }
    expect(found(value)).toEqual([
      {
        format: "openai-responses",
        container: "request",
        path: ["responses_create_params", "input"],
        wire: { input: [{ role: "user", content: "Which port?" }, ...output], temperature: 1 },
        replyPath: ["response", "output"],
      },
    ])
    expect(found({ responses_create_params: { input: "Which port?", temperature: 1 } })).toEqual([
      {
        format: "openai-responses",
        container: "request",
        path: ["responses_create_params", "input"],
        wire: { input: "Which port?", temperature: 1 },
      },
    ])
  })
})
