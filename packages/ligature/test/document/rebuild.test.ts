import { describe, expect, it } from "vitest"
import { openDocument, type DocumentPart } from "../../src/document/index.ts"

const user = { role: "user", content: "x" }
const assistant = { role: "assistant", content: "y" }
const fresh = { role: "user", content: "new", list: [1, { a: 2 }] }
const spacedFresh = '{"role": "user", "content": "new", "list": [1, {"a": 2}]}'
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Opens, replaces each part's value by what `change` makes of it, and writes. */
function rebuilt(text: string, change: (value: never, part: DocumentPart) => unknown): string {
  const document = openDocument(text)
  expect(document.parts.length).toBeGreaterThan(0)
  return document.rebuild(new Map(document.parts.map((part) => [part, change(part.value as never, part)])))
}

const withFresh = (list: readonly unknown[]): readonly unknown[] => [...list, fresh]
const inRequest = (request: { messages: readonly unknown[] }): unknown => ({ ...request, messages: withFresh(request.messages) })

describe("rebuild", () => {
  it("gives the very text when nothing or nothing new is replaced", () => {
    const text = `{ "messages" : [ {"role":"user","content":"\\u0078"} ] ,"n":1.0, "big":12345678901234567890 }\n\n`
    expect(openDocument(text).rebuild(new Map())).toBe(text)
    expect(rebuilt(text, (value) => structuredClone(value))).toBe(text)
  })

  it.each([
    ["compact", undefined],
    ["two spaces", 2],
    ["four spaces", 4],
    ["tabs", "\t"],
  ])("writes a request as it was written: %s", (_name, margin) => {
    const request = { model: "m", messages: [user, assistant], tools: [{ name: "f" }] }
    for (const end of ["", "\n"]) {
      expect(rebuilt(JSON.stringify(request, null, margin) + end, inRequest)).toBe(JSON.stringify(inRequest(request), null, margin) + end)
      expect(rebuilt(JSON.stringify([user], null, margin) + end, withFresh)).toBe(JSON.stringify([user, fresh], null, margin) + end)
      expect(rebuilt(JSON.stringify([{ id: 1, traj: [user] }], null, margin) + end, withFresh)).toBe(
        JSON.stringify([{ id: 1, traj: [user, fresh] }], null, margin) + end,
      )
    }
  })

  it("writes with spaces after commas and colons where the file does, as Python does", () => {
    expect(rebuilt('{"messages": [{"role": "user", "content": "x"}], "n": 1}', inRequest)).toBe(
      `{"messages": [{"role": "user", "content": "x"}, ${spacedFresh}], "n": 1}`,
    )
  })

  it("writes one message per line inside a list where the file does", () => {
    const text = '[\n  {"role": "user", "content": "x"},\n  {"role": "assistant", "content": "y"}\n]\n'
    expect(rebuilt(text, withFresh)).toBe(
      `[\n  {"role": "user", "content": "x"},\n  {"role": "assistant", "content": "y"},\n  ${spacedFresh}\n]\n`,
    )
  })

  it("copies untouched messages from the file, digits and escapes included", () => {
    const text = '{"messages":[{"role":"user","content":"\\u00e9","n":1.0},{"role":"user","content":"y"}],"n":12345678901234567890}'
    expect(
      rebuilt(text, (request: { messages: readonly unknown[] }) => ({
        ...request,
        messages: [...structuredClone(request.messages.slice(0, 1)), fresh],
      })),
    ).toBe(`{"messages":[{"role":"user","content":"\\u00e9","n":1.0},${JSON.stringify(fresh)}],"n":12345678901234567890}`)
  })

  it("changes, adds and removes members of a request and leaves those of the log around it", () => {
    const text = '{"cost": 1.50, "messages": [{"role": "user", "content": "x"}], "model": "m", "temperature": 1, "reward": 2}'
    expect(rebuilt(text, ({ messages }: { messages: unknown }) => ({ messages, model: "n", system: "s" }))).toBe(
      '{"cost": 1.50, "messages": [{"role": "user", "content": "x"}], "model": "n", "reward": 2, "system": "s"}',
    )
  })

  it("removes the last member with its comma", () => {
    expect(rebuilt('{\n  "messages": [],\n  "model": "m"\n}', () => ({ messages: [] }))).toBe('{\n  "messages": []\n}')
  })

  it("fills an empty list and empties a full one", () => {
    expect(rebuilt('{"messages":[]}', () => ({ messages: [user] }))).toBe('{"messages":[{"role":"user","content":"x"}]}')
    expect(rebuilt(JSON.stringify({ messages: [user] }, null, 2), () => ({ messages: [] }))).toBe('{\n  "messages": []\n}')
  })

  it("replaces one line of JSON lines and leaves the others as they are", () => {
    const odd = '{ "messages" : [ {"role":"user","content":"x"} ] }\r\n'
    const document = openDocument(`${odd}\n${line({ messages: [user] })}${odd}`)
    expect(document.rebuild(new Map([[document.parts[1] as DocumentPart, { messages: [fresh] }]]))).toBe(
      `${odd}\n${line({ messages: [fresh] })}${odd}`,
    )
  })

  it("inserts, changes and removes messages that are on lines of their own, bookkeeping in place", () => {
    const mark = (id: number) => ({ role: "_mark", id })
    const text = [mark(0), user, mark(1), assistant, mark(2), { role: "user", content: "z" }, mark(3)].map(line).join("")
    expect(rebuilt(text, ([first, second, third]: readonly unknown[]) => [first, fresh, second, third])).toBe(
      [mark(0), user, fresh, mark(1), assistant, mark(2), { role: "user", content: "z" }, mark(3)].map(line).join(""),
    )
    expect(rebuilt(text, ([, second]: readonly unknown[]) => [fresh, second])).toBe(
      [mark(0), fresh, mark(1), assistant, mark(2), mark(3)].map(line).join(""),
    )
    expect(rebuilt(text, ([first, second, third]: readonly unknown[]) => [first, { ...(second as object), content: "Y" }, third])).toBe(
      [mark(0), user, mark(1), { role: "assistant", content: "Y" }, mark(2), { role: "user", content: "z" }, mark(3)].map(line).join(""),
    )
  })

  it("appends to lines without a final line break", () => {
    expect(rebuilt(line(user) + JSON.stringify(assistant), withFresh)).toBe(line(user) + line(assistant) + JSON.stringify(fresh))
  })

  it("leaves damaged lines out of a conversation that is rewritten", () => {
    expect(rebuilt(`${line(user)}{"role":"us\n${line(assistant)}{"role`, withFresh)).toBe(
      line(user) + line(assistant) + JSON.stringify(fresh) + "\n",
    )
  })

  it("takes glued values apart when one is replaced", () => {
    const text = `${JSON.stringify({ messages: [user] })}${JSON.stringify({ messages: [assistant] })}\n`
    const document = openDocument(text)
    expect(document.rebuild(new Map([[document.parts[1] as DocumentPart, { messages: [fresh] }]]))).toBe(
      `${JSON.stringify({ messages: [user] })}${JSON.stringify({ messages: [fresh] })}\n`,
    )
  })

  it("writes whole JSON for a file that broke off", () => {
    const text = JSON.stringify({ id: 7, messages: [user, assistant, user] }, null, 2)
    expect(rebuilt(text.slice(0, -20), (request) => structuredClone(request))).toBe(
      JSON.stringify({ id: 7, messages: [user, assistant] }, null, 2),
    )
  })

  it("leaves an unchanged reply where it is, and opens to the same conversation again", () => {
    const text = JSON.stringify({ messages: [user], response: { choices: [{ message: assistant }] } })
    const written = rebuilt(text, ({ messages }: { messages: readonly unknown[] }) => ({ messages: [fresh, ...messages] }))
    expect(written).toBe(JSON.stringify({ messages: [fresh, user], response: { choices: [{ message: assistant }] } }))
    expect(openDocument(written).parts[0]?.value).toEqual({ messages: [fresh, user, assistant] })
  })

  it("writes a changed reply where it is, with the fields that only a response has", () => {
    const response = { id: "msg_1", type: "message", role: "assistant", content: [{ type: "text", text: "a" }], usage: { n: 1.0 } }
    const text = JSON.stringify({ request: { body: { model: "m", messages: [user] } }, response: { body: response } })
    const said = [{ type: "text", text: "b" }]
    const written = rebuilt(text, (request: { messages: readonly { readonly role: string }[] }) => ({
      ...request,
      messages: request.messages.map((message) => (message.role === "assistant" ? { ...message, content: said } : message)),
    }))
    expect(JSON.parse(written)).toEqual({
      request: { body: { model: "m", messages: [user] } },
      response: { body: { ...response, content: said } },
    })
  })

  it("writes a changed reply of items on the line after its request", () => {
    const item = { type: "function_call", call_id: "a", name: "f", arguments: "{}" }
    const text = line({ request: { model: "m", input: [user] } }) + line({ response: { output: [item] } })
    const written = rebuilt(text, (request: { input: readonly { readonly type?: string }[] }) => ({
      ...request,
      input: request.input.map((each) => (each.type === "function_call" ? { ...each, call_id: "b" } : each)),
    }))
    expect(written).toBe(line({ request: { model: "m", input: [user] } }) + line({ response: { output: [{ ...item, call_id: "b" }] } }))
  })

  it("moves a reply that got company into the request, and opens to the same conversation again", () => {
    const calling = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    }
    const text = JSON.stringify({ messages: [user], response: { choices: [{ message: calling }] } })
    const answer = { role: "tool", tool_call_id: "a", content: "not run" }
    const written = rebuilt(text, ({ messages }: { messages: readonly unknown[] }) => ({ messages: [...messages, answer] }))
    expect(openDocument(written).parts[0]?.value).toEqual({ messages: [user, calling, answer] })
  })

  it("writes every copy of a conversation", () => {
    const text = JSON.stringify([{ one: { messages: [user] }, other: { messages: [user] } }])
    expect(rebuilt(text, () => ({ messages: [fresh] }))).toBe(
      JSON.stringify([{ one: { messages: [fresh] }, other: { messages: [fresh] } }]),
    )
  })

  it("writes two conversations of one object", () => {
    const text = JSON.stringify({ messages: [user], raw_messages: [assistant, user], cost: 1 })
    expect(rebuilt(text, (value) => (Array.isArray(value) ? withFresh(value) : inRequest(value)))).toBe(
      JSON.stringify({ messages: [user, fresh], raw_messages: [assistant, user, fresh], cost: 1 }),
    )
  })

  it("keeps keys called __proto__ as keys", () => {
    const text = '{"__proto__":{"a":1},"messages":[{"role":"user","content":"x","__proto__":{"b":2}}],"cost":1}'
    expect(rebuilt(text, inRequest)).toBe(text.replace('}],"cost"', `},${JSON.stringify(fresh)}],"cost"`))
  })

  it("writes the last of two equal keys, which is the one that counts", () => {
    const text = '{"messages":[],"messages":[{"role":"user","content":"x"}]}'
    expect(JSON.parse(rebuilt(text, inRequest))).toEqual({ messages: [user, fresh] })
  })
})
