/** What Gemini and Vertex do, case by case. */
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { type CallBlock, isWire } from "../../src/model/index.ts"
import { createRecorder, isExecutable, type Recorded } from "../../src/record/index.ts"
import { record, recordEvents } from "./record.ts"

const chunk = (...parts: readonly object[]): object => ({ candidates: [{ content: { role: "model", parts }, index: 0 }] })
const end = (reason = "STOP", ...parts: readonly object[]): object => ({
  candidates: [{ content: { role: "model", parts }, finishReason: reason, index: 0 }],
})

const partsOf = ({ message }: Recorded): unknown => {
  const wire = message.native?.["gemini"]
  return isWire(wire) ? wire["parts"] : undefined
}

const expectReadBack = (recorded: Recorded): void => {
  expect(decode("gemini", { contents: [recorded.message.native?.["gemini"]] }).messages[0]).toEqual(recorded.message)
}

describe("parts", () => {
  it("of text are joined, as an answer in one piece has them", () => {
    expect(partsOf(record("gemini", [chunk({ text: "a" }), chunk({ text: "b" }), end("STOP", { text: "c" })]))).toEqual([{ text: "abc" }])
  })

  it("of thought and of text are not joined", () => {
    const recorded = record("gemini", [
      chunk({ text: "h", thought: true }),
      chunk({ text: "m", thought: true }),
      end("STOP", { text: "a" }),
    ])
    expect(partsOf(recorded)).toEqual([{ text: "hm", thought: true }, { text: "a" }])
    expectReadBack(recorded)
  })

  it("that carry a signature stay parts of their own", () => {
    const recorded = record("gemini", [chunk({ text: "a" }), chunk({ text: "b", thoughtSignature: "c2ln" }), chunk({ text: "c" }), end()])
    expect(partsOf(recorded)).toEqual([{ text: "a" }, { text: "b", thoughtSignature: "c2ln" }, { text: "c" }])
    expectReadBack(recorded)
  })

  it("with a signature on an empty text at the end are kept", () => {
    const recorded = record("gemini", [chunk({ text: "a" }), end("STOP", { text: "", thoughtSignature: "c2ln" })])
    expect(recorded.message.blocks[1]).toMatchObject({ type: "thinking", text: "", signature: "c2ln" })
    expectReadBack(recorded)
  })

  it("that are empty text are nothing", () => {
    expect(partsOf(record("gemini", [chunk({ text: "" }), end("STOP", { text: "" })]))).toEqual([])
  })

  it("of code and its result are one span", () => {
    const code = { executableCode: { language: "PYTHON", code: "1+1" } }
    const recorded = record("gemini", [chunk(code), chunk({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }), end()])
    expect(recorded.message.blocks).toMatchObject([
      { type: "opaque", kind: "executableCode", span: "code-1", half: "call", text: "```python\n1+1\n```" },
      { type: "opaque", kind: "codeExecutionResult", span: "code-1", half: "result", text: "2" },
    ])
    expectReadBack(recorded)
  })

  it("of media, of server tools and of kinds nobody knows are kept", () => {
    const recorded = record("gemini", [
      chunk({ inlineData: { mimeType: "image/png", data: "AAAA" } }),
      chunk({ toolCall: { id: "t", toolType: "GOOGLE_SEARCH", args: { q: 1 } } }, { toolResponse: { id: "t", response: { r: 1 } } }),
      chunk({ brandNew: { x: 1 } }),
      end(),
    ])
    expect(recorded.message.blocks.map(({ type }) => type)).toEqual(["media", "opaque", "opaque", "opaque"])
    expectReadBack(recorded)
  })
})

describe("calls", () => {
  it("come whole, with STOP, the signature on the first", () => {
    const recorded = record("gemini", [
      chunk({ functionCall: { name: "a", args: { n: 1 } }, thoughtSignature: "c2ln" }, { functionCall: { name: "b", args: {} } }),
      end(),
    ])
    expect(recorded).toMatchObject({ stop: "calls", said: "STOP", ids: "optional", complete: true })
    expect(recorded.message.blocks).toEqual([
      {
        type: "call",
        id: "",
        name: "a",
        arguments: { n: 1 },
        native: { gemini: { functionCall: { name: "a", args: { n: 1 } }, thoughtSignature: "c2ln" } },
      },
      { type: "call", id: "", name: "b", arguments: {}, native: { gemini: { functionCall: { name: "b", args: {} } } } },
    ])
    expectReadBack(recorded)
  })

  it("without arguments have no args at all", () => {
    const recorded = record("gemini", [chunk({ functionCall: { name: "a" } }), end()])
    expect(recorded.message.blocks).toMatchObject([{ type: "call", name: "a", arguments: {} }])
    expect(recorded.message.blocks.every((block) => isExecutable(block as CallBlock))).toBe(true)
  })

  it("come field by field on Vertex", () => {
    const call = (fields: object): object => chunk({ functionCall: fields })
    const events = [
      call({ name: "a", id: "x", willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.path", stringValue: "/tm", willContinue: true }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.path", stringValue: "p", willContinue: false }], willContinue: true }),
      call({
        partialArgs: [
          { jsonPath: "$.list[0].n", numberValue: 1 },
          { jsonPath: "$.flag", boolValue: true },
          { jsonPath: "$.none", nullValue: null },
        ],
        willContinue: true,
      }),
      call({}),
      end(),
    ]
    const args = { path: "/tmp", list: [{ n: 1 }], flag: true, none: null }
    expect(partsOf(record("gemini", events))).toEqual([{ functionCall: { name: "a", id: "x", args } }])
    const cut = record("gemini", events.slice(0, 3))
    expect(cut.message.blocks).toMatchObject([{ type: "call", id: "x", fault: "unparsable", raw: '{"path":"/tmp"}' }])
    const unended = record("gemini", [...events.slice(0, 3), end()])
    expect(unended.message.blocks.map((block) => isExecutable(block as CallBlock))).toEqual([false])
  })

  it("grow at the place each piece names, in whatever order the pieces come", () => {
    const piece = (jsonPath: string, stringValue: string): object =>
      chunk({ functionCall: { partialArgs: [{ jsonPath, stringValue, willContinue: true }], willContinue: true } })
    const recorded = record("gemini", [
      chunk({ functionCall: { name: "a", willContinue: true } }),
      piece("$.x", "1"),
      piece("$.x", "2"),
      piece("$.y[0].z", "a"),
      piece("$.y[0].z", "b"),
      piece("$.x", "3"),
      piece("$.y[0].z", "c"),
      piece("$.__proto__", "p"),
      piece("$.__proto__", "q"),
      chunk({ functionCall: {} }),
      end(),
    ])
    expect(JSON.stringify(partsOf(recorded))).toBe('[{"functionCall":{"name":"a","args":{"x":"123","y":[{"z":"abc"}],"__proto__":"pq"}}}]')
  })

  it("hold the latest value of a place, texts and others in turn, in the order in which places began", () => {
    const piece = (jsonPath: string, value: object): object =>
      chunk({ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue: true } })
    const events = [
      chunk({ functionCall: { name: "a", args: { z: "0" }, willContinue: true } }),
      piece("$.x", { stringValue: "1" }),
      piece("$.x", { stringValue: "2" }),
      piece("$.n", { numberValue: 3 }),
      piece("$['x']", { stringValue: "4" }),
      piece("$.n", { stringValue: "5" }),
      piece("$.n", { stringValue: "6" }),
      piece("$.z", { stringValue: "7" }),
      piece("$.z", { boolValue: true }),
      piece("$.z", { stringValue: "8" }),
      piece("$.n", { stringValue: "9" }),
    ]
    for (const telling of [true, false]) {
      const recorder = createRecorder("gemini", { events: telling })
      const drafts = events.map((event) => {
        recorder.push(event)
        return (recorder.draft().blocks[0] as CallBlock).raw
      })
      expect(drafts.slice(0, 5)).toEqual([
        '{"z":"0"}',
        '{"z":"0","x":"1"}',
        '{"z":"0","x":"12"}',
        '{"z":"0","x":"12","n":3}',
        '{"z":"0","x":"124","n":3}',
      ])
      for (const event of [chunk({ functionCall: {} }), end()]) recorder.push(event)
      const whole = { z: "8", x: "124", n: "569" }
      expect(JSON.stringify((recorder.end().message.blocks[0] as CallBlock).arguments)).toBe(JSON.stringify(whole))
    }
  })

  it("say which piece has no place to go to, and keep the others", () => {
    const pieces = [{ jsonPath: "$", stringValue: "lost" }, "no piece", { jsonPath: "$.list[999999]", stringValue: "far" }]
    const partialArgs = [...pieces, { jsonPath: "$.a", stringValue: "kept" }]
    const recorded = record("gemini", [chunk({ functionCall: { name: "a", partialArgs } }), end()])
    expect(recorded.message.blocks).toMatchObject([{ type: "call", arguments: { a: "kept" } }])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(pieces.map(() => "malformed-event"))
  })

  it("with a path through __proto__ reach no prototype", () => {
    record("gemini", [chunk({ functionCall: { name: "a", partialArgs: [{ jsonPath: "$.__proto__.polluted", stringValue: "x" }] } }), end()])
    expect("polluted" in {}).toBe(false)
  })

  it("that came whole stay when the stream is cut", () => {
    const recorded = record("gemini", [chunk({ functionCall: { name: "a", args: { n: 1 } } }), chunk({ text: "and" })], { cause: "cut" })
    expect(recorded).toMatchObject({ stop: "cut", complete: false })
    expect(recorded.message.blocks.filter((block) => block.type === "call").every(isExecutable)).toBe(true)
  })
})

describe("the end", () => {
  it("is a limit, a filter, a blocked prompt, or a reason nobody knows", () => {
    expect(record("gemini", [end("MAX_TOKENS", { text: "a" })]).stop).toBe("length")
    expect(record("gemini", [end("SAFETY")]).stop).toBe("refused")
    expect(record("gemini", [{ promptFeedback: { blockReason: "SAFETY" } }])).toMatchObject({ stop: "refused", complete: true })
    expect(record("gemini", [end("OTHER")])).toMatchObject({ stop: "other", said: "OTHER" })
  })

  it("is an error in the stream", () => {
    const error = { code: 503, message: "overloaded", status: "UNAVAILABLE" }
    expect(record("gemini", [chunk({ text: "a" }), { error }])).toMatchObject({ stop: "failed", error: { message: "overloaded" } })
  })

  it("that ends without a call that could be read has failed, so that it is asked for again", () => {
    const lost = { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "print(ls())", index: 0 }] }
    expect(record("gemini", [lost])).toMatchObject({
      stop: "failed",
      error: { message: "MALFORMED_FUNCTION_CALL: print(ls())" },
    })
  })

  it("brings usage in every chunk, and thoughts are counted as said", () => {
    const usage = { promptTokenCount: 3, candidatesTokenCount: 9, thoughtsTokenCount: 4, cachedContentTokenCount: 2 }
    const recorded = record("gemini", [
      { ...chunk({ text: "a" }), usageMetadata: { promptTokenCount: 3 } },
      { ...end(), usageMetadata: usage, modelVersion: "g", responseId: "r" },
    ])
    expect(recorded.usage).toEqual({ inputTokens: 3, outputTokens: 13, cacheReadTokens: 2, thinkingTokens: 4, native: { gemini: usage } })
    expect([recorded.responseId, recorded.origin]).toEqual(["r", { provider: "gemini", model: "g" }])
  })

  it("of a second candidate is not recorded", () => {
    const recorded = record("gemini", [chunk({ text: "a" }), { candidates: [{ index: 1, content: { parts: [{ text: "b" }] } }] }, end()])
    expect([partsOf(recorded), recorded.problems.map(({ rule }) => rule)]).toEqual([[{ text: "a" }], ["other-answer"]])
  })
})

describe("events", () => {
  it("tell a screen of calls that come whole", () => {
    expect(recordEvents("gemini", [chunk({ text: "a" }), chunk({ functionCall: { name: "f", args: { n: 1 } } }), end()])).toEqual([
      { type: "text-start", block: 0 },
      { type: "text-delta", block: 0, delta: "a" },
      { type: "text-end", block: 0 },
      { type: "call-start", block: 1, id: "", name: "f" },
      { type: "call-delta", block: 1, delta: '{"n":1}' },
      { type: "call-end", block: 1 },
    ])
  })

  it("tell a screen of calls that come field by field, each piece when it comes", () => {
    const call = (fields: object): object => chunk({ functionCall: fields })
    const piece = (stringValue: string): object => ({ jsonPath: "$.text", stringValue, willContinue: true })
    const events = [
      call({ name: "f", args: { n: 1 }, willContinue: true }),
      call({ partialArgs: [piece("a"), piece("b")], willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.list[0]", boolValue: true }], willContinue: true }),
      call({}),
      end(),
    ]
    const told = [
      { type: "call-start", block: 0, id: "", name: "f" },
      { type: "call-field", block: 0, path: "$", value: { n: 1 } },
      { type: "call-field", block: 0, path: "$.text", value: "a" },
      { type: "call-field", block: 0, path: "$.text", value: "b" },
      { type: "call-field", block: 0, path: "$.list[0]", value: true },
      { type: "call-end", block: 0 },
    ]
    expect(recordEvents("gemini", events)).toEqual(told)
    expect(record("gemini", events, { events: false }).message).toEqual(record("gemini", events).message)
  })
})
