import { describe, expect, it } from "vitest"
import { gemini } from "../../../src/formats/gemini/index.ts"

const native = (wire: unknown) => ({ gemini: wire })

describe("gemini decode", () => {
  it("reads every kind of part", () => {
    const parts = {
      thought: { text: "Hm.", thought: true, thoughtSignature: "sigA" },
      text: { text: "Looking.", thoughtSignature: "sigB" },
      call: { functionCall: { id: "c1", name: "ls", args: { path: "." } }, thoughtSignature: "sigC" },
      bare: { functionCall: { name: "now" } },
      code: { executableCode: { language: "PYTHON", code: "print(1)" } },
      codeResult: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      search: { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { q: "x" } } },
      found: { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { hits: 1 } } },
      newer: { hologram: { depth: 3 } },
      last: { text: "", thoughtSignature: "sigD" },
    }
    const model = { role: "model", parts: Object.values(parts) }
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" } }
    const link = { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/a.pdf" } }
    const upload = { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/f1" } }
    const user = { role: "user", parts: [{ text: "hi" }, image, link, upload] }
    const plain = { functionResponse: { id: "c1", name: "ls", response: { output: "a.txt" } } }
    const failed = { functionResponse: { name: "now", response: { error: "no clock" } } }
    const results = { role: "user", parts: [plain, failed] }
    const body = {
      model: "gemini-3-pro",
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [user, model, results],
      tools: [],
    }
    expect(gemini.decode(body, { source: "a.json" })).toEqual({
      format: "gemini",
      ids: "optional",
      source: "a.json",
      native: native(body),
      origin: { provider: "gemini", model: "gemini-3-pro" },
      messages: [
        {
          role: "system",
          blocks: [{ type: "text", text: "Be brief.", native: native({ text: "Be brief." }) }],
          native: native({ system: body.systemInstruction }),
        },
        {
          role: "user",
          native: native(user),
          blocks: [
            { type: "text", text: "hi", native: native({ text: "hi" }) },
            {
              type: "media",
              kind: "image",
              mediaType: "image/png",
              source: { type: "base64", data: "AAAA" },
              native: native(image),
            },
            {
              type: "media",
              kind: "document",
              mediaType: "application/pdf",
              source: { type: "url", url: "https://example.com/a.pdf" },
              native: native(link),
            },
            {
              type: "media",
              kind: "file",
              source: { type: "file", id: "https://generativelanguage.googleapis.com/v1beta/files/f1" },
              native: native(upload),
            },
          ],
        },
        {
          role: "assistant",
          native: native(model),
          blocks: [
            { type: "thinking", text: "Hm.", signature: "sigA", native: native(parts.thought) },
            { type: "text", text: "Looking.", native: native(parts.text) },
            { type: "call", id: "c1", name: "ls", arguments: { path: "." }, native: native(parts.call) },
            { type: "call", id: "", name: "now", arguments: {}, native: native(parts.bare) },
            {
              type: "opaque",
              kind: "executableCode",
              span: "code-1",
              half: "call",
              text: "```python\nprint(1)\n```",
              native: native(parts.code),
            },
            {
              type: "opaque",
              kind: "codeExecutionResult",
              span: "code-1",
              half: "result",
              text: "1\n",
              native: native(parts.codeResult),
            },
            {
              type: "opaque",
              kind: "toolCall",
              span: "t1",
              half: "call",
              text: '[GOOGLE_SEARCH_WEB: {"q":"x"}]',
              native: native(parts.search),
            },
            {
              type: "opaque",
              kind: "toolResponse",
              span: "t1",
              half: "result",
              text: '{"hits":1}',
              native: native(parts.found),
            },
            { type: "opaque", kind: "hologram", text: '{"hologram":{"depth":3}}', native: native(parts.newer) },
            { type: "thinking", text: "", signature: "sigD", native: native(parts.last) },
          ],
        },
        {
          role: "user",
          native: native(results),
          blocks: [
            {
              type: "result",
              callId: "c1",
              name: "ls",
              content: [{ type: "text", text: "a.txt" }],
              native: native(plain),
            },
            {
              type: "result",
              callId: "",
              name: "now",
              content: [{ type: "text", text: "no clock" }],
              error: true,
              native: native(failed),
            },
          ],
        },
      ],
    })
  })

  it("reads snake_case as it reads camelCase", () => {
    const read = (body: unknown) =>
      JSON.parse(JSON.stringify(gemini.decode(body).messages, (key, value: unknown) => (key === "native" ? 0 : value)))
    const camel = {
      systemInstruction: { parts: [{ text: "S" }] },
      contents: [
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "AA", displayName: "n" } }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "s" }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { result: "ok" } } }] },
        { role: "model", parts: [{ text: "x", thought: true, thoughtSignature: "t" }] },
      ],
    }
    const snake = JSON.parse(
      JSON.stringify(camel).replace(/"(\w+)":/g, (whole) => whole.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)),
    )
    expect(snake.contents[1].parts[0].thought_signature).toBe("s")
    expect(read(snake)).toEqual(read(camel))
  })

  it.each([
    [{ output: "x" }, "x", undefined],
    [{ result: "x" }, "x", undefined],
    [{ error: "x" }, "x", true],
    [{ error: { code: 7 } }, '{"error":{"code":7}}', true],
    [{ error: null }, '{"error":null}', undefined],
    [{ output: "x", code: 0 }, '{"output":"x","code":0}', undefined],
    [{ output: { a: 1 } }, '{"output":{"a":1}}', undefined],
    [{}, undefined, undefined],
    [{ output: "" }, undefined, undefined],
  ])("reads the response %j", (response, text, error) => {
    const wire = { functionResponse: { name: "f", response } }
    const [message] = gemini.decode([{ role: "user", parts: [wire] }]).messages
    expect(message?.blocks).toEqual([
      {
        type: "result",
        callId: "",
        name: "f",
        content: text === undefined ? [] : [{ type: "text", text }],
        ...(error && { error }),
        native: native(wire),
      },
    ])
  })

  it("reads media beside a response", () => {
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" } }
    const wire = { functionResponse: { name: "shot", response: { output: "done" }, parts: [image] } }
    const [message] = gemini.decode([{ role: "user", parts: [wire] }]).messages
    expect(message?.blocks).toEqual([
      {
        type: "result",
        callId: "",
        name: "shot",
        content: [
          { type: "text", text: "done" },
          {
            type: "media",
            kind: "image",
            mediaType: "image/png",
            source: { type: "base64", data: "AAAA" },
            native: native(image),
          },
        ],
        native: native(wire),
      },
    ])
  })

  it("reads roles the API does not know and says so", () => {
    const roles = ["function", "tool", "assistant", "system", "user", "model", undefined]
    const transcript = gemini.decode(roles.map((role) => ({ ...(role && { role }), parts: [{ text: "x" }] })))
    expect(transcript.messages.map((message) => message.role)).toEqual(["tool", "tool", "assistant", "system", "user", "assistant", "user"])
    expect(transcript.diagnostics?.map(({ what, repair }) => [what, repair?.what])).toEqual([
      ["Expected role user or model, got function", "written as user"],
      ["Expected role user or model, got tool", "written as user"],
      ["Expected role user or model, got assistant", "written as model"],
      ["Expected role user or model, got system", "written as system instruction"],
    ])
  })

  it("takes a content without role for the model's when it calls a tool", () => {
    expect(gemini.decode([{ parts: [{ functionCall: { name: "f" } }] }]).messages[0]?.role).toBe("assistant")
  })

  it("reads what SDKs take in place of contents", () => {
    const texts = (value: unknown) =>
      gemini.decode(value).messages.map(({ role, blocks }) => [role, ...blocks.map((one) => "text" in one && one.text)])
    expect(texts({ contents: "hi" })).toEqual([["user", "hi"]])
    expect(texts({ contents: { role: "model", parts: [{ text: "hi" }] } })).toEqual([["assistant", "hi"]])
    expect(texts(["hi", { text: "there" }])).toEqual([
      ["user", "hi"],
      ["user", "there"],
    ])
    expect(texts({ contents: "hi", config: { systemInstruction: "S" } })).toEqual([
      ["system", "S"],
      ["user", "hi"],
    ])
    expect(texts({ contents: "hi", systemInstruction: [{ text: "S" }] })).toEqual([
      ["system", "S"],
      ["user", "hi"],
    ])
  })

  it("takes null for absent, as dumps of SDK objects write it", () => {
    const part = { text: null, inline_data: null, thought: null, function_call: { id: null, name: "f", args: null } }
    expect(gemini.decode([{ role: "model", parts: [part] }]).messages[0]?.blocks).toEqual([
      { type: "call", id: "", name: "f", arguments: {}, native: native(part) },
    ])
  })

  it("reads a part with several fields as several parts, the signature staying with the call", () => {
    const part = { functionCall: { name: "f", args: {} }, text: "a", thoughtSignature: "s" }
    const transcript = gemini.decode([{ role: "model", parts: [part] }])
    const call = { functionCall: part.functionCall, thoughtSignature: "s" }
    expect(transcript.messages[0]?.blocks).toEqual([
      { type: "call", id: "", name: "f", arguments: {}, native: native(call) },
      { type: "text", text: "a", native: native({ text: "a" }) },
    ])
    expect(transcript.diagnostics?.map(({ what }) => what)).toEqual(["Expected one of functionCall, text in a part, got 2"])
  })

  it("recognises results nobody reported", () => {
    const text = "[ligature:not-run] This call was never executed."
    const wire = { functionResponse: { name: "f", response: { error: text } } }
    expect(gemini.decode([{ role: "user", parts: [wire] }]).messages[0]?.blocks).toEqual([
      {
        type: "result",
        callId: "",
        name: "f",
        content: [{ type: "text", text }],
        error: true,
        synthetic: "not-run",
        native: native(wire),
      },
    ])
  })

  it("keeps and reports what is not of the format", () => {
    const transcript = gemini.decode({ contents: [7, { role: "user", parts: [null, { text: 5 }] }, { role: "bot" }] })
    expect(transcript.messages.map(({ role, blocks }) => [role, blocks])).toEqual([
      ["user", [{ type: "opaque", kind: "malformed", text: "7", native: native(7) }]],
      [
        "user",
        [
          { type: "opaque", kind: "malformed", text: "null", native: native(null) },
          { type: "opaque", kind: "malformed", text: '{"text":5}', native: native({ text: 5 }) },
        ],
      ],
      ["user", [{ type: "opaque", kind: "malformed", text: '{"role":"bot"}', native: native({ role: "bot" }) }]],
    ])
    expect(transcript.diagnostics?.map(({ rule, place }) => [rule, place.path])).toEqual([
      ["malformed-message", "contents[0]"],
      ["malformed-message", "contents[1]"],
      ["malformed-message", "contents[1]"],
      ["malformed-message", "contents[2]"],
    ])
  })
})
