import { describe, expect, it } from "vitest"
import { check, convert, convertText, decode, repair } from "../../src/convert/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const open = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }] }

describe("repair", () => {
  it("keeps the system message of a bare list, which has no envelope to hoist it into", () => {
    const list = [{ role: "system", content: "Be brief." }, { role: "user", content: "hi" }, open]
    const { value } = repair(list, { from: "anthropic" })
    expect(JSON.stringify(value["messages"])).toContain("Be brief.")
    const contents = [
      { role: "system", parts: [{ text: "Be brief." }] },
      { parts: [{ text: "hi" }], role: "user" },
    ]
    expect(JSON.stringify(repair(contents, { from: "gemini" }).value["contents"])).toContain("Be brief.")
  })

  it("moves the system prompt of a request to where its provider wants it", () => {
    const request = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
    }
    const written = { system: "Be brief.", messages: [{ role: "user", content: "hi" }] }
    expect(convert(request, { from: "anthropic", to: "anthropic" }).value).toEqual(written)
    expect(repair(request, { from: "anthropic" }).value).toEqual(request)
    const damaged = { messages: [{ role: "user", content: "" }, ...request.messages] }
    expect(repair(damaged, { from: "anthropic" }).value).toEqual(written)
  })

  it("lets a history end with the assistant, since the next word is the user's", () => {
    const request = { messages: [{ role: "user", content: "hi" }, { role: "assistant", content: "\n" }, open, open] }
    const { value } = repair(request, { from: "anthropic" })
    expect((value["messages"] as readonly unknown[]).at(-1)).toMatchObject({ role: "user" })
    const spoken = {
      messages: [
        { role: "user", content: "" },
        { role: "user", content: "hi" },
        { role: "assistant", content: "x" },
      ],
    }
    expect(repair(spoken, { from: "openai-chat" }).value).toEqual({ messages: spoken.messages.slice(1) })
  })

  it("trims white space at the end where a provider refuses it, and where the request is to be sent", () => {
    const request = {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "x \n" },
      ],
    }
    const sent = convert(request, { from: "anthropic", to: "anthropic" })
    expect(sent.value).toEqual({ messages: [request.messages[0], { role: "assistant", content: "x" }] })
    expect(repair(request, { from: "anthropic" }).value).toEqual(request)
  })

  it("makes a history valid for the provider of its format also where no invariant is broken", () => {
    const { content } = open
    const read = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] }
    const { value, report } = repair({ messages: [{ role: "assistant", content }, read] }, { from: "anthropic" })
    expect(report.entries.map(({ rule, kind }) => [rule, kind])).toEqual([["first-role", "synthetic"]])
    expect(value["messages"]).toMatchObject([{ role: "user" }, { role: "assistant" }, { role: "user" }])
    const calls = [{ id: "c".repeat(60), type: "function", function: { name: "ls", arguments: "{}" } }]
    const long = [
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "c".repeat(60), content: "x" },
    ]
    expect(repair(long, { from: "openai-chat" }).report.entries.map(({ rule }) => rule)).toEqual(["call-id-format"])
  })

  it("reports what it wrote in another shape than it was read in", () => {
    const calls = [{ id: 7, type: "function", function: { name: "ls", arguments: "{}" } }]
    const messages = [
      { role: "human", content: "go" },
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: 7, content: "a" },
    ]
    const { value, report } = repair({ messages }, { from: "openai-chat" })
    expect(report.entries.map(({ kind, place, what }) => [kind, place.path, what])).toEqual([
      ["safe", "messages[0]", 'The role "human" is not of this format: read as user'],
      ["safe", "messages[1]", "The id of call 7 is a number: written as text"],
      ["safe", "messages[2]", "A result names its call by a number: written as text"],
    ])
    expect(repair(value, { from: "openai-chat" })).toMatchObject({ value, report: { entries: [] } })
  })

  it.each(["tool", "system", "assistant", "function"])("takes a result in a message of role %s to the user, and says so", (role) => {
    const use = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }] }
    const answer = { type: "tool_result", tool_use_id: "toolu_1", content: "done" }
    const messages = [{ role: "user", content: "hi" }, use, { role, content: [answer] }]
    expect(check(decode("anthropic", messages)).filter(({ severity }) => severity === "error")).not.toEqual([])
    for (const { value, report } of [convert(messages, { from: "anthropic", to: "anthropic" }), repair(messages, { from: "anthropic" })]) {
      expect(value["messages"]).toEqual([messages[0], use, { role: "user", content: [answer] }])
      expect(report.entries).not.toEqual([])
    }
  })

  it("gives back the very same messages when nothing is wrong", () => {
    const request = {
      model: "m",
      messages: [
        { role: "user", content: "hi", ts: 1 },
        { role: "assistant", content: "x" },
      ],
    }
    expect(repair(request, { from: "anthropic" }).value).toEqual(request)
  })
})

describe("convertText", () => {
  const healthy = ' {"model": "m", "messages": [{"role":"user","content":"hi \\u00e9"}], "temperature": 1.0}\n'

  it("gives back the very text of a healthy request, digits and spaces included", () => {
    for (const format of ["anthropic", "openai-chat"]) {
      const { value: text, report } = convertText(healthy, { from: resolveCodec(format), to: resolveCodec(format) })
      expect(text).toBe(healthy)
      expect(report).toEqual({ entries: [], losses: [] })
    }
    const responses = '{"model":"m", "input":[{"type":"message","role":"user","content":"hi"}]}'
    expect(convertText(responses, { from: "openai-responses", to: "openai-responses" }).value).toBe(responses)
    const gemini = '{"contents":[ {"role":"user","parts":[{"text":"hi"}]} ]}'
    expect(convertText(gemini, { from: "gemini", to: "gemini" }).value).toBe(gemini)
  })

  it("writes what it had to change", () => {
    const damaged = JSON.stringify({ messages: [{ role: "user", content: "hi" }, open, { role: "user", content: "on" }] })
    const { value: text, report } = convertText(damaged, { from: "anthropic", to: "anthropic" })
    expect(report.entries.map(({ rule }) => rule)).toContain("unanswered-call")
    expect(JSON.parse(text)).toEqual(convert(JSON.parse(damaged), { from: "anthropic", to: "anthropic" }).value)
  })
})

describe("convert into the own format", () => {
  it("makes a history valid for its provider even where no invariant is broken", () => {
    const contents = [
      { role: "user", parts: [{ text: "one" }] },
      { role: "user", parts: [{ text: "two" }] },
      { role: "model", parts: [{ text: "three" }] },
    ]
    const { value } = convert({ contents }, { from: "gemini", to: "gemini" })
    expect(value).toEqual({
      contents: [
        { role: "user", parts: [{ text: "one" }, { text: "two" }] },
        { role: "model", parts: [{ text: "three" }] },
        { role: "user", parts: [{ text: "[Continue.]" }] },
      ],
    })
  })

  it("brings results together that words had parted, and leaves apart what nobody parted", () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "f", input: {} })
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: id })
    const asked = [
      { role: "user", content: "go" },
      { role: "assistant", content: [call("a"), call("b")] },
    ]
    const parted = [
      ...asked,
      { role: "user", content: [result("a")] },
      { role: "user", content: "wait" },
      { role: "user", content: [result("b")] },
    ]
    const { value } = repair({ messages: parted }, { from: "anthropic" })
    expect(value["messages"]).toEqual([...asked, { role: "user", content: [result("a"), result("b"), { type: "text", text: "wait" }] }])
    const apart = { messages: [...asked, { role: "user", content: [result("a")] }, { role: "user", content: [result("b")] }] }
    expect(repair(apart, { from: "anthropic" }).value).toEqual(apart)
  })

  it("sends the images of a failed result after it, and keeps those of others inside", () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } }
    const answered = (failed: boolean) => ({
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: [{ type: "text", text: "seen" }, image],
      ...(failed && { is_error: true }),
    })
    const request = (failed: boolean) => ({
      messages: [{ role: "user", content: "hi" }, open, { role: "user", content: [answered(failed)] }],
    })
    const sent = (failed: boolean) => convert(request(failed), { from: "anthropic", to: "anthropic" }).value
    expect(sent(false)).toEqual(request(false))
    const last = (sent(true)["messages"] as readonly { content: readonly { type: string; content?: readonly { type: string }[] }[] }[])[2]
    expect(last?.content.map(({ type }) => type)).toEqual(["tool_result", "text", "image"])
    expect(last?.content[0]?.content?.map(({ type }) => type)).toEqual(["text", "text"])
  })

  it("joins user text with the responses before it where roles must take turns", () => {
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "x" } } }] },
      { role: "user", parts: [{ text: "and?" }] },
    ]
    const { value } = convert({ contents }, { from: "gemini", to: "gemini" })
    const roles = (value["contents"] as readonly { role: string }[]).map(({ role }) => role)
    expect(roles).toEqual(["user", "model", "user"])
  })
})

describe("repair, run again", () => {
  it("keeps the ids that it gave to calls after those of old, which have none", () => {
    const old = { role: "assistant", function_call: { name: "f", arguments: "{}" } }
    const fresh = { role: "assistant", tool_calls: [{ id: "x", type: "function", function: { name: "f", arguments: "{}" } }] }
    const once = repair([old, old, old, old, fresh, { role: "tool", tool_call_id: "x", content: "1" }, old], { from: "openai-chat" }).value
    expect(repair(once, { from: "openai-chat" })).toMatchObject({ value: once, report: { entries: [] } })
  })

  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } }
  const old = { name: "f", arguments: "{}" }
  it.each<readonly [string, string, unknown]>([
    [
      "openai-chat",
      "a call, not in a list, inside of a result",
      { messages: [{ role: "tool", content: "", tool_calls: call, tool_call_id: "c" }] },
    ],
    [
      "openai-chat",
      "a call of old inside of a result",
      {
        messages: [
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c", content: "b", function_call: old },
        ],
      },
    ],
    [
      "openai-chat",
      "a call of old inside of a user message",
      {
        messages: [
          { role: "user", content: "a", function_call: old },
          { role: "function", name: "f", content: "b", function_call: old },
        ],
      },
    ],
    [
      "openai-responses",
      "a message inside of a message of the assistant",
      {
        input: [
          {
            role: "assistant",
            content: [
              { type: "output_text", text: "a" },
              { type: "message", role: "" },
            ],
          },
        ],
      },
    ],
    [
      "openai-responses",
      "a message inside of a message of the user",
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: "a" },
              { type: "message", role: "user", content: "hi" },
            ],
          },
        ],
      },
    ],
  ])("finds nothing left in %s: %s", (from, _, value) => {
    const once = repair(value, { from: resolveCodec(from) })
    const again = repair(once.value, { from: resolveCodec(from) })
    expect(once.report.entries).not.toEqual([])
    expect(again.report.entries).toEqual([])
    expect(again.value).toEqual(once.value)
  })
})

describe("arguments of an Anthropic call that are still in the pieces of its stream", () => {
  it.each([{}, "", "{}"])("are put into the call by one repair, where its input is %j", (input) => {
    const call = { type: "tool_use", id: "t", name: "ls", input, partial_json: '{"path":"src"}' }
    const once = repair(
      [
        { role: "user", content: "go" },
        { role: "assistant", content: [call] },
      ],
      { from: "anthropic" },
    ).value
    expect(JSON.stringify(once)).toContain('"input":{"path":"src"}')
    expect(repair(once, { from: "anthropic" }).value).toEqual(once)
  })
})
