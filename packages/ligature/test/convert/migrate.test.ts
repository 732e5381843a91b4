/**
 * A history in one style of calls, whatever its shape: lists and requests like Anthropic's and like OpenAI's, calls in
 * text or in blocks or both. Both ways, and back.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { check, convert, decode, encode, formats, LigatureError, migrate, settle, type Wire } from "../../src/index.ts"
import { detectFormat } from "../../src/document/index.ts"
import { inOneStyle } from "../../src/formats/xml-text/style.ts"
import { resultText } from "../../src/model/index.ts"
import { Choices, generateHistory, judges } from "../../src/testing/index.ts"
import { transcript } from "../../src/model/index.ts"
import { resolveProfile } from "../../src/rules/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const words = "I read it."
const call = "<read_file>\n<path>a.ts</path>\n</read_file>"
const seedCall = "<read_file>\n<path>\na.ts\n</path>\n</read_file>"
const answer = "[read_file for 'a.ts'] Result:\nconst a = 1"
const seedAnswer = "[read_file Result]\n\nconst a = 1"
const text = (value: string): Wire => ({ type: "text", text: value })
const use = (id: string, path: string): Wire => ({ type: "tool_use", id, name: "read_file", input: { path } })
const result = (id: string, content: string): Wire => ({ type: "tool_result", tool_use_id: id, content })
const chatCall = (id: string, path: string): Wire => ({
  id,
  type: "function",
  function: { name: "read_file", arguments: JSON.stringify({ path }) },
})
const schema = { type: "object", properties: { path: { type: "string" } } }
const anthropicTools = [{ name: "read_file", input_schema: schema }]
const chatTools = [{ type: "function", function: { name: "read_file", parameters: schema } }]

interface Shape {
  readonly value: unknown
  /** The format it is migrated in. */
  readonly format: "anthropic" | "openai-chat"
}

const anthropic = (...messages: readonly Wire[]): Shape => ({ value: messages, format: "anthropic" })
const chat = (...messages: readonly Wire[]): Shape => ({ value: messages, format: "openai-chat" })

/** Every shape in which people have such histories. */
const shapes: Readonly<Record<string, Shape>> = {
  "a list of text blocks": anthropic(
    { role: "user", content: [text("Read a.ts")] },
    { role: "assistant", content: [text(`${words}\n\n${call}`)] },
    { role: "user", content: [text(answer)] },
    { role: "assistant", content: [text("Done.")] },
  ),
  "a list of texts": anthropic(
    { role: "user", content: "Read a.ts" },
    { role: "assistant", content: `${words}\n\n${call}` },
    { role: "user", content: answer },
    { role: "assistant", content: "Done." },
  ),
  "values on lines of their own, and the other header": anthropic(
    { role: "user", content: "Read a.ts" },
    { role: "assistant", content: [text(seedCall)] },
    { role: "user", content: [text(seedAnswer)] },
  ),
  "header and body in blocks of their own": anthropic(
    { role: "user", content: "Read a.ts" },
    { role: "assistant", content: [text(words), text(call)] },
    { role: "user", content: [text("[read_file for 'a.ts'] Result:"), text("const a = 1"), text("Go on.")] },
  ),
  "both styles in one list": anthropic(
    { role: "user", content: "Read both" },
    { role: "assistant", content: [text(call)] },
    { role: "user", content: [text(answer)] },
    { role: "assistant", content: [use("t1", "b.ts")] },
    { role: "user", content: [result("t1", "two")] },
    { role: "assistant", content: "Done." },
  ),
  "a block answered by text": anthropic(
    { role: "user", content: "Read it" },
    { role: "assistant", content: [use("t1", "a.ts")] },
    { role: "user", content: [text(answer)] },
  ),
  "a request for Anthropic": {
    format: "anthropic",
    value: {
      model: "claude-opus-4-6",
      max_tokens: 100,
      system: "Be brief.",
      tools: anthropicTools,
      messages: [
        { role: "user", content: "Read a.ts" },
        { role: "assistant", content: `${words}\n\n${call}` },
        { role: "user", content: answer },
      ],
    },
  },
  "a request whose call nothing answers": {
    format: "anthropic",
    value: {
      model: "claude-opus-4-6",
      max_tokens: 100,
      tools: anthropicTools,
      messages: [
        { role: "user", content: "Read a.ts" },
        { role: "assistant", content: call },
        { role: "user", content: "Well?" },
      ],
    },
  },
  "a list like OpenAI's": chat(
    { role: "system", content: "Be brief." },
    { role: "user", content: "Read a.ts" },
    { role: "assistant", content: `${words}\n\n${call}` },
    { role: "user", content: answer },
    { role: "assistant", content: "Done." },
  ),
  "a list like OpenAI's with parts": chat(
    { role: "system", content: "Be brief." },
    { role: "user", content: [text("Read a.ts")] },
    { role: "assistant", content: [text(`${words}\n\n${call}`)] },
    { role: "user", content: [text(answer), text("Go on.")] },
  ),
  "a request for OpenAI": {
    format: "openai-chat",
    value: {
      model: "gpt-5",
      tools: chatTools,
      messages: [
        { role: "user", content: "Read a.ts" },
        { role: "assistant", content: `${words}\n\n${call}` },
        { role: "user", content: answer },
      ],
    },
  },
  "both styles in a list like OpenAI's": chat(
    { role: "user", content: "Read both" },
    { role: "assistant", content: call },
    { role: "user", content: answer },
    { role: "assistant", content: null, tool_calls: [chatCall("c1", "b.ts")] },
    { role: "tool", tool_call_id: "c1", content: "two" },
    { role: "assistant", content: "Done." },
  ),
}

/** Calls and results, each in order, whatever their style and ids. */
const work = (value: unknown, format: string, tools?: readonly string[]): object => {
  const { messages } = inOneStyle(decode(resolveCodec(format), value), tools ?? ["read_file"]).transcript
  const blocks = messages.flatMap((message) => message.blocks)
  return {
    calls: blocks.flatMap((block) => (block.type === "call" ? [`${block.name} ${JSON.stringify(block.arguments)}`] : [])),
    results: blocks.flatMap((block) => {
      if (block.type !== "result" || block.synthetic !== undefined) return []
      return [`${block.error === true ? "failed " : ""}${resultText(block)}`]
    }),
  }
}

const convertTo = (format: string, request: Wire): Wire => convert(request, { from: "openai-chat", to: resolveCodec(format) }).value

const hasBlocks = (value: unknown, format: string): boolean =>
  decode(resolveCodec(format), value).messages.some(({ blocks }) => blocks.some(({ type }) => type === "call" || type === "result"))

const bodyOf = (value: unknown): Wire => (Array.isArray(value) ? { model: "m", max_tokens: 9, messages: value } : (value as Wire))

describe.each(Object.entries(shapes))("%s", (_, { value, format }) => {
  const before = JSON.stringify(value)
  const blocks = migrate(value, { to: "blocks" })

  it("becomes blocks that its provider takes, with the same calls and results", () => {
    expect([blocks.format, blocks.changed]).toEqual([format, true])
    expect(Array.isArray(blocks.value)).toBe(Array.isArray(value))
    expect(JSON.stringify(blocks.value)).not.toContain("<read_file>")
    expect(work(blocks.value, format)).toEqual(work(value, format))
    expect(check(decode(format, blocks.value), { tip: "open" })).toEqual([])
    expect(detectFormat(blocks.value)?.format).toBe(format)
    const body = bodyOf(JSON.parse(JSON.stringify(blocks.value)))
    const verdict = format === "anthropic" ? judges.anthropic(body) : judges["openai-chat"](body)
    expect(verdict).toEqual({ ok: true })
    expect(JSON.stringify(value)).toBe(before)
  })

  it("is left alone the second time", () => {
    const again = migrate(JSON.parse(JSON.stringify(blocks.value)), { to: "blocks" })
    expect([again.changed, again.report.repairs]).toEqual([false, []])
    const same = migrate(blocks.value, { to: "blocks", from: format })
    expect(same.value).toBe(blocks.value)
  })

  it("becomes text again, and blocks again", () => {
    const back = migrate(blocks.value, { to: "xml", tools: ["read_file"] })
    expect([back.format, back.changed, hasBlocks(back.value, format)]).toEqual([format, true, false])
    expect(work(back.value, format)).toEqual(work(value, format))
    expect(migrate(back.value, { to: "xml", from: format, tools: ["read_file"] }).value).toBe(back.value)
    const forth = migrate(back.value, { to: "blocks", from: format, tools: ["read_file"] })
    expect(work(forth.value, format)).toEqual(work(value, format))
    expect(hasBlocks(forth.value, format)).toBe(true)
  })

  it("is migrated alike when its format is named", () => {
    expect(migrate(value, { to: "blocks", from: format, tools: ["read_file"] }).value).toEqual(blocks.value)
  })
})

describe("migrating a list to blocks", () => {
  it("writes each call and result where its format has them, and tells what it did", () => {
    const { value, report } = migrate(shapes["a list like OpenAI's"]?.value, { to: "blocks" })
    expect(value).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read a.ts" },
      { role: "assistant", content: words, tool_calls: [chatCall("call_2_0", "a.ts")] },
      { role: "tool", tool_call_id: "call_2_0", content: "const a = 1" },
      { role: "assistant", content: "Done." },
    ])
    expect(report).toEqual({
      calls: [{ message: 2, name: "read_file", id: "call_2_0", certainty: expect.any(Number) as number, from: "xml" }],
      results: [{ message: 3, callId: "call_2_0", name: "read_file", from: "xml" }],
      unsure: [],
      repairs: [],
    })
  })

  it("gives a call that nothing answers a placeholder, which the way back takes away", () => {
    const { value } = shapes["a request whose call nothing answers"] as Shape
    const { value: blocks, report } = migrate(value, { to: "blocks" })
    expect(report.results).toEqual([{ message: 1, callId: "call_1_0", name: "read_file", from: "invented" }])
    const { messages } = migrate(blocks, { to: "xml" }).value as { readonly messages: readonly Wire[] }
    expect(JSON.stringify(messages)).not.toContain("ligature:")
  })

  it("keeps every byte of what has nothing to do with calls", () => {
    const { value } = shapes["a list like OpenAI's"] as Shape
    const migrated = migrate(value, { to: "blocks" }).value as readonly unknown[]
    const list = value as readonly unknown[]
    expect(migrated[0]).toBe(list[0])
    expect(migrated[1]).toBe(list[1])
    expect(migrated[4]).toBe(list[4])
    expect(JSON.stringify(migrate(migrated, { to: "xml" }).value)).toBe(JSON.stringify(list))
  })

  it("leaves prose about tags alone, and reports it", () => {
    const prose = [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [use("t1", "a.ts")] },
      { role: "user", content: [result("t1", "one")] },
      { role: "assistant", content: `You write\n\n${call}\n\nfor that.` },
    ]
    const { value, changed, report } = migrate(prose, { to: "blocks" })
    expect([value === prose, changed]).toEqual([true, false])
    expect(report.unsure).toEqual([
      { message: 3, name: "read_file", certainty: expect.any(Number) as number, became: "text", why: expect.any(String) as string },
    ])
  })

  it("finds no calls in the text of tools and users", () => {
    const list = [
      { role: "user", content: `Do not run this:\n${call}` },
      { role: "assistant", content: [use("t1", "a.ts")] },
      { role: "user", content: [result("t1", call)] },
      { role: "assistant", content: "Fine." },
    ]
    expect(migrate(list, { to: "blocks", tools: ["read_file"] }).changed).toBe(false)
  })

  it("refuses what has one style, what is no history, and a style that does not exist", () => {
    const refused = (value: unknown, options: object): unknown => {
      try {
        return migrate(value, { to: "blocks", ...options })
      } catch (error) {
        return LigatureError.is(error) ? error.code : error
      }
    }
    expect(refused([], { from: "claude-code" })).toBe("bad-option")
    expect(refused("text", {})).toBe("unknown-format")
    expect(refused([], { from: "nothing" })).toBe("unknown-format")
    expect(refused([], { to: "json" })).toBe("bad-option")
  })
})

describe("structured arguments", () => {
  const list = (spoken: string, name: string): readonly Wire[] => [
    { role: "user", content: "Go." },
    { role: "assistant", content: spoken },
    { role: "user", content: `[${name}] Result:\nok` },
  ]
  const inputOf = (spoken: string, name: string, tools: readonly (string | Wire)[] = []): unknown => {
    const { value } = migrate(list(spoken, name), { to: "blocks", from: "anthropic", tools: tools.length > 0 ? tools : [name] })
    const [block] = (value as readonly { readonly content: readonly Wire[] }[])[1]?.content ?? []
    return block?.["input"]
  }
  const readFile = (inner: string): string => `<read_file>\n<args>\n${inner}\n</args>\n</read_file>`

  it("become objects, and tags that repeat become lists", () => {
    const one = "  <file>\n    <path>a.ts</path>\n  </file>"
    const two = "  <file>\n    <path>b.ts</path>\n    <line_range>1-9</line_range>\n  </file>"
    expect(inputOf(readFile(one), "read_file")).toEqual({ args: { file: { path: "a.ts" } } })
    expect(inputOf(readFile(`${one}\n${two}`), "read_file")).toEqual({
      args: { file: [{ path: "a.ts" }, { path: "b.ts", line_range: "1-9" }] },
    })
    const asked =
      "<ask_followup_question>\n<question>Which?</question>\n<follow_up>\n<suggest>One</suggest>\n<suggest>Two</suggest>\n</follow_up>\n</ask_followup_question>"
    expect(inputOf(asked, "ask_followup_question")).toEqual({ question: "Which?", follow_up: { suggest: ["One", "Two"] } })
    const withMode = asked.replace("<suggest>One", '<suggest mode="code">One')
    expect(inputOf(withMode, "ask_followup_question")).toMatchObject({ follow_up: { suggest: [{ mode: "code", text: "One" }, "Two"] } })
  })

  it("keep source text as text", () => {
    const edit =
      "<file>\n<path>a.html</path>\n<diff>\n<content><![CDATA[<ul><li>a</li></ul>]]></content>\n<start_line>3</start_line>\n</diff>\n</file>"
    expect(inputOf(`<apply_diff>\n<args>\n${edit}\n</args>\n</apply_diff>`, "apply_diff")).toEqual({
      args: { file: { path: "a.html", diff: { content: "<ul><li>a</li></ul>", start_line: "3" } } },
    })
    const write = "<write_to_file>\n<path>a.html</path>\n<content>\n<ul>\n<li>a</li>\n</ul>\n</content>\n</write_to_file>"
    expect(inputOf(write, "write_to_file")).toEqual({ path: "a.html", content: "<ul>\n<li>a</li>\n</ul>" })
  })

  const declared = {
    name: "search",
    input_schema: {
      type: "object",
      properties: {
        query: { type: "string" },
        limit: { type: "integer" },
        score: { type: ["number", "null"] },
        recursive: { type: "boolean" },
        paths: { type: "array", items: { type: "string" } },
        where: { type: "object", properties: { depth: { type: "integer" }, names: { type: "array", items: { type: "string" } } } },
      },
    },
  }
  const search = (inner: string): string => `<search>\n${inner}\n</search>`

  it("have the types that the schema of the tool wants, where there is one", () => {
    const plain = search("<query>42</query>\n<limit>10</limit>\n<score>0.5</score>\n<recursive>false</recursive>")
    expect(inputOf(plain, "search")).toEqual({ query: "42", limit: "10", score: "0.5", recursive: "false" })
    expect(inputOf(plain, "search", [declared])).toEqual({ query: "42", limit: 10, score: 0.5, recursive: false })
    const nested = search("<paths><path>a</path></paths>\n<where><depth>2</depth><names>x</names></where>")
    expect(inputOf(nested, "search", [declared])).toEqual({ paths: ["a"], where: { depth: 2, names: ["x"] } })
    expect(inputOf(search('<paths>["a","b"]</paths>'), "search", [declared])).toEqual({ paths: ["a", "b"] })
    // What does not fit the schema, or would lose digits, stays as it was written.
    const odd = search("<limit>many</limit>\n<recursive>maybe</recursive>\n<score>12345678901234567890</score>")
    expect(inputOf(odd, "search", [declared])).toEqual({ limit: "many", recursive: "maybe", score: "12345678901234567890" })
  })

  it("come from the tools of the request, in the words of any provider", () => {
    const { name, input_schema: parameters } = declared
    const messages = list(search("<limit>10</limit>"), name)
    for (const tools of [
      [declared],
      [{ type: "function", function: { name, parameters } }],
      [{ functionDeclarations: [{ name, parameters }] }],
    ]) {
      const { value } = migrate({ messages, tools }, { to: "blocks", from: "anthropic" })
      expect(JSON.stringify(value)).toContain('"input":{"limit":10}')
    }
  })

  it("are the same text again where the request declares their types, and tags with types where nothing does", () => {
    const spoken = search("<query>42</query>\n<limit>10</limit>\n<recursive>false</recursive>")
    const request = { tools: [declared], messages: list(spoken, "search") }
    const blocks = migrate(request, { to: "blocks", from: "anthropic" }).value as Wire
    const back = migrate(blocks, { to: "xml", from: "anthropic" }).value as { readonly messages: readonly Wire[] }
    expect(back.messages[1]?.["content"]).toEqual([text(spoken)])
    const alone = migrate(blocks["messages"], { to: "xml", from: "anthropic" }).value
    expect(JSON.stringify(alone)).toContain('<limit type=\\"json\\">10</limit>')
    expect(migrate(alone, { to: "blocks", from: "anthropic", tools: ["search"] }).value).toEqual(blocks["messages"])
  })
})

describe("any history", () => {
  const tools = ["read_file", "bash", "grep", "write_file", "mcp.server/search", "查询"]
  const wires = formats.filter((format) => format !== "xml-text")

  it.each(wires)("of %s has the same calls and results as text, as blocks, and as text again", (format) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 40, maxLength: 160, size: "max" }), (numbers) => {
        const { conversation } = settle(transcript(...generateHistory(new Choices(numbers)).messages))
        const target = format in judges ? encode(conversation, resolveProfile(format)).value : encode(conversation, "openai-chat").value
        const value: unknown = JSON.parse(JSON.stringify(format in judges ? target : convertTo(format, target)))
        const inText = migrate(value, { to: "xml", from: format, tools }).value
        expect(work(inText, format, tools)).toEqual(work(value, format, tools))
        expect(migrate(inText, { to: "xml", from: format, tools }).changed).toBe(false)
        const back = migrate(inText, { to: "blocks", from: format, tools }).value
        expect(work(back, format, tools)).toEqual(work(value, format, tools))
        expect(migrate(back, { to: "blocks", from: format, tools }).changed).toBe(false)
      }),
      { numRuns: 25, seed: 3 },
    )
  })

  it("is migrated without complaint, whatever it holds", () => {
    const element = fc.constantFrom<unknown>(text(call), text(answer), use("t1", "a"), result("t1", "x"), text("words"), 5)
    const message = fc.oneof(
      fc.anything(),
      fc.record({
        role: fc.constantFrom("user", "assistant", "tool", "system"),
        content: fc.oneof(fc.anything(), fc.array(element), fc.constantFrom(call, answer, `${words}\n\n${call}`)),
      }),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), fc.constantFrom("anthropic", "openai-chat", "cline-api"), (list, from) => {
        for (const to of ["blocks", "xml"] as const) {
          const once = migrate(list, { to, from, tools: ["read_file"] })
          const stored: unknown = JSON.parse(JSON.stringify(once.value) ?? "[]")
          expect(migrate(stored, { to, from, tools: ["read_file"] }).changed).toBe(false)
        }
      }),
      { numRuns: 300, seed: 5 },
    )
  })
})
