import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openWebui } from "../../../src/sessions/open-webui/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { text, type Transcript, type Wire } from "../../../src/model/index.ts"
import { allOk, corpus, corpusFiles, countsOf, expectedCounts, readCorpus, rivals, verdicts } from "../pi/corpus.ts"
import { briefOf, card, chat, node, openCard, output, withCards } from "./chats.ts"

const { decode, encode } = openWebui

const repair = (value: unknown) => encode(settle(decode(value)).conversation)

const inside = (value: Wire) => value["chat"] as Wire

const nodesOf = (value: Wire) => (inside(value)["history"] as Wire)["messages"] as Readonly<Record<string, Wire>>

const brief = ({ messages }: Transcript): readonly string[] => briefOf(messages)

const rounds = [
  "user: weather?",
  'assistant: (Which city?\nOslo.) I look it up. c1:weather({"city":"Oslo"}) c2:time({})',
  'tool: c1=sunny c2={"now": "12:00"}',
  'assistant: Sunny. And tomorrow? c3:weather({"city":"Oslo","day":1})',
  "tool: c3=no forecast!",
  "assistant: I do not know.",
  "user: thanks",
]

describe("decoding", () => {
  it("reads cards as calls and results, round by round", () => {
    const value = chat([node("u1", null, "user", "weather?"), node("a1", "u1", "assistant", withCards), node("u2", "a1", "user", "thanks")])
    const read = decode(value)
    expect(brief(read)).toEqual(rounds)
    expect(check(read)).toEqual([])
    expect(read.messages.map(({ id }) => id)).toEqual(["u1", "a1", "a1", "a1", "a1", "a1", "u2"])
    expect(read.messages[1]?.origin).toEqual({ model: "gpt-x" })
    expect(repair(value)).toBe(value)
  })

  it("reads items of the output in their order, and leaves the rendered content alone", () => {
    const value = chat([node("u1", null, "user", "weather?"), node("a1", "u1", "assistant", withCards, { output })])
    expect(brief(decode(value))).toEqual([
      "user: weather?",
      'assistant: (Which city?) I look it up. c1:weather({"city":"Oslo"}) c2:time({})',
      "tool: c1=sunny c2=12:00",
      'assistant: c3:weather({"city":"Oslo","day":1})',
      "tool: c3=rain",
      "assistant: print(1)\n1 Rain.",
    ])
    expect(check(decode(value))).toEqual([])
    expect(repair(value)).toBe(value)
  })

  it("reads cards of other writers: objects as arguments, results in the body, single quotes, no arguments", () => {
    const content = [
      `<details type="tool_calls" done="true" id="1" name="f" arguments="{&quot;a&quot;: 1}">`,
      "<summary>Tool Executed</summary>\n&quot;in the body&quot;\n</details>",
      `<details type='tool_calls' done='true' id='2' name='g' arguments='' result='plain &lt;b&gt;' error='true'>`,
      "<summary>x</summary>\n</details>",
    ].join("\n")
    const value = chat([node("u1", null, "user", "go"), node("a1", "u1", "assistant", content)])
    expect(brief(decode(value)).slice(1)).toEqual(['assistant: 1:f({"a":1}) 2:g({})', "tool: 1=in the body 2=plain <b>!"])
    expect(repair(value)).toBe(value)
  })

  it("leaves an example of a card in a code fence, and any card of the user, as text", () => {
    const example = `It looks so:\n\`\`\`html\n${card("c9", "f", "{}", "x")}\`\`\``
    const value = chat([node("u1", null, "user", card("c9", "f", "{}", "x")), node("a1", "u1", "assistant", example)])
    expect(decode(value).messages.map(({ blocks }) => blocks)).toEqual([[text(card("c9", "f", "{}", "x"))], [text(example)]])
  })

  it("reads the prompt of the chat, pictures beside words, and parts", () => {
    const value = chat(
      [
        node("u1", null, "user", "see", {
          files: [
            { type: "image", url: "data:image/png;base64,AAAA" },
            { type: "file", id: "f" },
          ],
        }),
        node("a1", "u1", "assistant", "yes"),
        node("u2", "a1", "user", [
          { type: "text", text: "and" },
          { type: "image_url", image_url: { url: "https://x/y.png" } },
        ]),
      ],
      "u2",
      { params: { system: "be brief" } },
    )
    expect(brief(decode(value))).toEqual(["system: be brief", "user: see image", "assistant: yes", "user: and image"])
    expect(repair(value)).toBe(value)
  })

  it("begins with the last summary in the effective view", () => {
    const value = chat([
      node("u1", null, "user", "old"),
      node("a1", "u1", "assistant", "older"),
      node("u2", "a1", "user", "new", { contextSummary: "we met" }),
    ])
    expect(brief(decode(value))).toEqual(["user: old", "assistant: older", "user*: we met", "user: new"])
    expect(brief(decode(value, { view: "effective" }))).toEqual(["user*: we met", "user: new"])
    expect(repair(value)).toBe(value)
    expect(openWebui.session.outline(value).compactions).toEqual([{ record: 2, kind: "summary", summary: "we met" }])
  })

  it("reads nothing from a place kept for words that never came, and names an answer that broke off", () => {
    const value = chat([
      node("u1", null, "user", "go"),
      node("a1", "u1", "assistant", "", { error: { content: "overloaded" }, done: true }),
      node("u2", "a1", "user", "again"),
      node("a2", "u2", "assistant", `let me\n${openCard("1", "f", "{}")}`, { done: false }),
    ])
    expect(brief(decode(value))).toEqual(["user: go", "user: again", "assistant: let me 1:f({})"])
    expect(decode(value).diagnostics?.map(({ rule, place }) => ({ rule, place }))).toEqual([
      { rule: "stream-cut", place: { message: 2, path: "history.messages.a2" } },
    ])
  })
})

describe("the tree", () => {
  const nodes = [
    node("u1", null, "user", "start"),
    node("a1", "u1", "assistant", "first try"),
    node("a2", "u1", "assistant", "second try"),
    node("u2", "a1", "user", "no"),
    node("u3", "a2", "user", "yes"),
  ]

  it("is read along the path to the message the chat is at, or along another branch", () => {
    const value = chat(nodes, "u3")
    expect(brief(decode(value))).toEqual(["user: start", "assistant: second try", "user: yes"])
    expect(brief(decode(value, { branch: "u2" }))).toEqual(["user: start", "assistant: first try", "user: no"])
    expect(openWebui.session.outline(value)).toEqual({
      id: "c-1",
      title: "Weather",
      model: "gpt-x",
      startedAt: "2025-06-15T15:06:40.000Z",
      compactions: [],
      paths: [
        { id: "u3", kind: "active", title: "start", messages: 3, first: 0 },
        { id: "u2", kind: "abandoned", title: "no", messages: 2, first: 1, leaves: 0 },
      ],
    })
    expect(decode(value, { branch: "nope" }).diagnostics?.map(({ rule }) => rule)).toEqual(["unknown-record"])
  })

  it("is read with missing parents, circles and a lost place", () => {
    const listed = chat([node("u1", null, "user", "one"), node("a1", "gone", "assistant", "two")])
    const adopted: Wire = { ...nodesOf(listed)["u1"], childrenIds: ["a1"] }
    const history = { messages: { ...nodesOf(listed), u1: adopted }, currentId: "a1" }
    const { messages, diagnostics } = decode({ ...listed, chat: { ...inside(listed), history } })
    expect(messages).toHaveLength(2)
    expect(diagnostics?.map(({ rule }) => rule)).toEqual(["dangling-parent"])
    expect(brief(decode(listed))).toEqual(["user: one", "assistant: two"])
    expect(decode(listed).diagnostics?.map(({ rule }) => rule)).toEqual(["dangling-parent"])
    const circle = chat([node("u1", null, "user", "one"), node("a1", "u2", "assistant", "two"), node("u2", "a1", "user", "three")])
    expect(brief(decode(circle))).toEqual(["user: one", "assistant: two", "user: three"])
    expect(decode(circle).diagnostics?.map(({ rule }) => rule)).toEqual(["parent-cycle"])
    expect(decode(chat(nodes, "gone")).diagnostics?.map(({ rule }) => rule)).toEqual(["dangling-parent"])
  })

  it("is found in every chat of an export, and in a bare chat", () => {
    const value = chat(nodes)
    expect(openWebui.session.sessionsIn?.([value, 7, inside(value)])).toEqual([
      { path: [0], value },
      { path: [2], value: inside(value) },
    ])
    expect(openWebui.session.sessionsIn?.(inside(value))).toEqual([{ path: [], value: inside(value) }])
    expect(openWebui.session.recognise({ syntax: "value", records: [[value]] })?.certainty).toBe("certain")
    expect(brief(decode(inside(value)))).toEqual(brief(decode(value)))
    expect(brief(decode([value]))).toEqual(brief(decode(value)))
    const { history: _, ...plain } = inside(value)
    expect(brief(decode(plain))).toEqual(brief(decode(value)))
  })
})

describe("hostile values", () => {
  it("never throw", () => {
    const item = fc.record(
      {
        type: fc.constantFrom("message", "function_call", "function_call_output", "reasoning", "open_webui:code_interpreter", "x"),
        content: fc.anything(),
        call_id: fc.anything(),
        arguments: fc.anything(),
        output: fc.anything(),
        summary: fc.anything(),
      },
      { requiredKeys: ["type"] },
    )
    const message = fc.record(
      {
        id: fc.oneof(fc.constantFrom("a", "b", "c"), fc.anything()),
        parentId: fc.oneof(fc.constantFrom("a", "b", "c", null), fc.anything()),
        childrenIds: fc.oneof(fc.anything(), fc.array(fc.constantFrom("a", "b", "c"))),
        role: fc.oneof(fc.constantFrom("user", "assistant"), fc.anything()),
        content: fc.oneof(fc.anything(), fc.constantFrom(withCards, openCard("1", "f", "{"), " ")),
        output: fc.oneof(fc.anything(), fc.array(fc.oneof(item, fc.anything()))),
        files: fc.anything(),
      },
      { requiredKeys: ["role"] },
    )
    const anyChat = fc.record(
      {
        history: fc.oneof(
          fc.anything(),
          fc.record({
            messages: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.oneof(message, fc.anything())),
            currentId: fc.oneof(fc.constantFrom("a", "b"), fc.anything()),
          }),
        ),
        messages: fc.oneof(fc.anything(), fc.array(fc.oneof(message, fc.anything()))),
        params: fc.anything(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), anyChat, fc.array(anyChat), fc.record({ chat: anyChat })), (value) => {
        const read = decode(value, { view: "effective", branch: "c" })
        const { conversation } = settle(read)
        const back = encode(conversation)
        decode(back)
        openWebui.session.outline(value)
        openWebui.session.sessionsIn?.(value)
        openWebui.session.recognise({ syntax: "value", records: [value] })
      }),
      { numRuns: 600 },
    )
  })
})

describe.skipIf(corpus === undefined)("Open WebUI chats of the corpus", () => {
  const expected = expectedCounts()

  it.each(corpusFiles("open-webui"))("%s is recognised by this codec alone, has the expected counts, is valid and comes back", (file) => {
    const value = JSON.parse(readCorpus(file)) as unknown
    expect(openWebui.session.recognise({ syntax: "value", records: [value] })?.certainty).toBe("certain")
    expect(rivals(openWebui, "value", [value])).toEqual([])
    const sessions = openWebui.session.sessionsIn?.(value) ?? []
    expect(sessions).toHaveLength(1)
    const read = decode(sessions[0]?.value)
    expect(countsOf(openWebui, sessions[0]?.value, read, read.messages.length)).toEqual(expected.get(file))
    expect(verdicts(read)).toEqual(allOk)
    expect(repair(sessions[0]?.value)).toBe(sessions[0]?.value)
  })
})
