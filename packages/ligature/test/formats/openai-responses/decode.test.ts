import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openaiResponses } from "../../../src/formats/openai-responses/index.ts"
import type { Message } from "../../../src/model/index.ts"

const { decode } = openaiResponses
const bytes = (data: string) => ({ type: "base64", data })
const native = (wire: unknown) => ({ native: { "openai-responses": wire } })

describe("decoding a Responses request", () => {
  it("reads instructions and a text input", () => {
    const body = { model: "gpt-4.1", instructions: "Be brief.", input: "Hello" }
    expect(decode(body)).toEqual({
      format: "openai-responses",
      messages: [
        { role: "system", blocks: [{ type: "text", text: "Be brief." }], ...native({ instructions: "Be brief." }) },
        { role: "user", blocks: [{ type: "text", text: "Hello" }], ...native("Hello") },
      ],
      ...native(body),
      origin: { provider: "openai", model: "gpt-4.1" },
    })
  })

  it("makes one assistant message of what the model said between two things the client said", () => {
    const reasoning = {
      type: "reasoning",
      id: "rs_1",
      summary: [
        { type: "summary_text", text: "First." },
        { type: "summary_text", text: "Second." },
      ],
      encrypted_content: "gAAA",
    }
    const said = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [
        { type: "output_text", text: "One.", annotations: [] },
        { type: "refusal", refusal: "Not two." },
      ],
    }
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "ls", arguments: '{"path": "."}' }
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "patch", input: "*** Begin" }
    const output = { type: "function_call_output", call_id: "call_1", output: "a.txt" }
    const customOutput = { type: "custom_tool_call_output", call_id: "call_2", output: "[tool error] no such file" }
    const question = { role: "user", content: "Go" }
    const messages: readonly Message[] = [
      { role: "user", blocks: [{ type: "text", text: "Go" }], ...native(question) },
      {
        role: "assistant",
        blocks: [
          { type: "thinking", text: "First.\n\nSecond.", signature: "gAAA", tied: true, ...native(reasoning) },
          { type: "text", text: "One.", ...native(said) },
          { type: "text", text: "Not two.", ...native(said.content[1]) },
          {
            type: "call",
            id: "call_1",
            name: "ls",
            arguments: { path: "." },
            raw: '{"path": "."}',
            ...native(call),
          },
          {
            type: "call",
            id: "call_2",
            name: "patch",
            arguments: { input: "*** Begin" },
            custom: true,
            ...native(custom),
          },
        ],
        ...native([reasoning, said, call, custom]),
      },
      {
        role: "tool",
        blocks: [
          { type: "result", callId: "call_1", content: [{ type: "text", text: "a.txt" }], ...native(output) },
          {
            type: "result",
            callId: "call_2",
            content: [{ type: "text", text: "no such file" }],
            error: true,
            custom: true,
            ...native(customOutput),
          },
        ],
      },
    ]
    expect(decode([question, reasoning, said, call, custom, output, customOutput]).messages).toEqual(messages)
  })

  it("reads images, files and audio", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" }
    const stored = { type: "input_image", file_id: "file-1" }
    const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" }
    const remote = { type: "input_file", file_url: "https://example.com/a.pdf" }
    const audio = { type: "input_audio", input_audio: { data: "CCCC", format: "mp3" } }
    const content = [image, stored, file, remote, audio]
    expect(decode([{ role: "user", content }]).messages[0]?.blocks).toEqual([
      { type: "media", kind: "image", mediaType: "image/png", source: bytes("AAAA"), ...native(image) },
      { type: "media", kind: "image", source: { type: "file", id: "file-1" }, ...native(stored) },
      {
        type: "media",
        kind: "document",
        mediaType: "application/pdf",
        name: "a.pdf",
        source: { type: "base64", data: "BBBB" },
        ...native(file),
      },
      { type: "media", kind: "document", source: { type: "url", url: "https://example.com/a.pdf" }, ...native(remote) },
      { type: "media", kind: "audio", mediaType: "audio/mp3", source: bytes("CCCC"), ...native(audio) },
    ])
  })

  it("reads the calls of built-in tools by their action, and their outputs", () => {
    const shell = { type: "local_shell_call", id: "lsh_1", call_id: "c1", action: { type: "exec", command: ["ls"] } }
    const patch = { type: "apply_patch_call", call_id: "c2", operation: { type: "delete_file", path: "a" } }
    const computer = { type: "computer_call", call_id: "c3", action: { type: "screenshot" } }
    const many = { type: "shell_call", call_id: "c4", action: { commands: ["ls", "pwd"] } }
    const outputs = [
      { type: "function_call_output", call_id: "c1", output: "a" },
      { type: "apply_patch_call_output", call_id: "c2", status: "failed", output: "no file" },
      {
        type: "computer_call_output",
        call_id: "c3",
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" },
      },
      {
        type: "shell_call_output",
        call_id: "c4",
        output: [
          { stdout: "a", stderr: "warn", outcome: { type: "exit", exit_code: 0 } },
          { stdout: "/", stderr: "", outcome: { type: "exit", exit_code: 0 } },
        ],
      },
    ]
    const [spoken, answered] = decode([shell, patch, computer, many, ...outputs]).messages
    expect(spoken?.blocks.map((block) => block.type === "call" && [block.id, block.name, block.arguments])).toEqual([
      ["c1", "local_shell", shell.action],
      ["c2", "apply_patch", patch.operation],
      ["c3", "computer", computer.action],
      ["c4", "shell", many.action],
    ])
    expect(answered?.blocks).toEqual([
      { type: "result", callId: "c1", content: [{ type: "text", text: "a" }], ...native(outputs[0]) },
      {
        type: "result",
        callId: "c2",
        content: [{ type: "text", text: "no file" }],
        error: true,
        ...native(outputs[1]),
      },
      {
        type: "result",
        callId: "c3",
        content: [
          {
            type: "media",
            kind: "image",
            mediaType: "image/png",
            source: { type: "base64", data: "AAAA" },
            ...native(outputs[2]?.output),
          },
        ],
        ...native(outputs[2]),
      },
      { type: "result", callId: "c4", content: [{ type: "text", text: "a\nwarn\n/" }], ...native(outputs[3]) },
    ])
  })

  it("keeps server-side items whole and shows a short text of them", () => {
    const items = [
      { type: "web_search_call", id: "ws_1", action: { type: "search", query: "weather" } },
      { type: "image_generation_call", id: "ig_1", result: "A".repeat(5000), revised_prompt: "a cat" },
      { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" },
      { type: "program", call_id: "p1", code: "1 + 1", fingerprint: "f" },
      { type: "program_output", call_id: "p1", result: "2" },
      { type: "something_new", field: 1 },
    ]
    expect(decode(items).messages[0]?.blocks).toEqual([
      { type: "opaque", kind: "web_search_call", text: "[web search: weather]", ...native(items[0]) },
      { type: "opaque", kind: "image_generation_call", text: "[image generated: a cat]", ...native(items[1]) },
      { type: "opaque", kind: "compaction", text: "", ...native(items[2]) },
      { type: "opaque", kind: "program", span: "p1", half: "call", text: "[program: 1 + 1]", ...native(items[3]) },
      {
        type: "opaque",
        kind: "program_output",
        span: "p1",
        half: "result",
        text: "[program output: 2]",
        ...native(items[4]),
      },
      { type: "opaque", kind: "something_new", text: '{"type":"something_new","field":1}', ...native(items[5]) },
    ])
  })

  it("takes the id of stored reasoning as its proof, but not where nothing is stored or the content is open", () => {
    const kept = { type: "reasoning", id: "rs_1", summary: [] }
    const open = { type: "reasoning", id: "rs_2", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] }
    const proof = (body: unknown) => decode(body).messages[0]?.blocks[0]
    const thought = { type: "thinking", text: "", tied: true, ...native(kept) }
    expect(proof({ input: [kept] })).toEqual({ ...thought, signature: "rs_1" })
    expect(proof({ input: [kept], store: false })).toEqual(thought)
    expect(proof({ input: [open] })).toEqual({ type: "thinking", text: "Hm.", tied: true, ...native(open) })
  })

  it("does not take an output for an orphan when its call may be on the server", () => {
    const output = { type: "function_call_output", call_id: "call_1", output: "42" }
    const [message] = decode({ previous_response_id: "resp_1", input: [output] }).messages
    expect(message).toEqual({
      role: "user",
      blocks: [{ type: "opaque", kind: "function_call_output", text: "[result of call_1] 42", ...native(output) }],
    })
  })

  it("reports items that are none, and keeps them", () => {
    const { messages, diagnostics } = decode([42, { role: "tool", content: "x" }, { type: "message", role: "user" }], {
      lines: [3, 5, 8],
    })
    expect(messages.map(({ role, blocks, line }) => [role, blocks.length, line])).toEqual([
      ["user", 1, 3],
      ["user", 1, 5],
      ["user", 0, 8],
    ])
    expect(diagnostics?.map(({ rule, place }) => [rule, place])).toEqual([
      ["malformed-message", { message: 0, path: "input[0]", line: 3 }],
      ["malformed-message", { message: 1, path: "input[1]", line: 5 }],
      ["malformed-message", { message: 2, path: "input[2]", line: 8 }],
    ])
  })

  it("warns of ids and shapes that the server refuses", () => {
    const { diagnostics } = decode({
      model: "gpt-5.1",
      input: [
        { type: "function_call", id: "call_1", call_id: "call_1", name: "ls", arguments: {} },
        { type: "function_call_output", call_id: "call_1", output: [{ type: "text", text: "a" }] },
        { type: "message", id: "msg_1", role: "assistant", content: [{ type: "input_text", text: "Done." }] },
      ],
    })
    expect(diagnostics?.map(({ severity, what }) => `${severity}: ${what}`)).toEqual([
      'warning: The item id "call_1" does not begin with "fc"',
      "warning: The arguments of a call are an object where a text belongs",
      "warning: A text has a type its speaker does not use",
      'warning: The item id "msg_1" needs reasoning that is not here',
      "warning: A text has a type its speaker does not use",
    ])
  })

  it("never throws", () => {
    const types = ["message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "shell_call"]
    const more = ["shell_call_output", "computer_call_output", "web_search_call", "mcp_call", "program", "__proto__"]
    const item = fc.record(
      {
        type: fc.constantFrom(...types, ...more),
        role: fc.oneof(fc.constantFrom("user", "assistant", "developer"), fc.anything()),
        content: fc.oneof(fc.array(fc.anything()), fc.anything()),
        call_id: fc.anything(),
        id: fc.anything(),
        output: fc.anything(),
        arguments: fc.anything(),
        summary: fc.anything(),
        action: fc.anything(),
      },
      { requiredKeys: [] },
    )
    const list = fc.array(fc.oneof(item, fc.anything()))
    const body = fc.record({ input: fc.oneof(list, fc.anything()), instructions: fc.anything() }, { requiredKeys: [] })
    fc.assert(fc.property(fc.oneof(list, body, fc.anything()), (value) => Array.isArray(decode(value).messages)))
  })
})
