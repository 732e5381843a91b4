import { describe, expect, it } from "vitest"
import { openaiResponses } from "../../../src/formats/openai-responses/index.ts"
import { type AssistantBlock, type Item, type ResultBlock, syntheticResult, syntheticTexts } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const { decode, encode } = openaiResponses
const conversation = (...items: readonly Item[]) => byHand({ items })
const exchange = (blocks: readonly AssistantBlock[], ...results: readonly ResultBlock[]): Item => ({
  role: "exchange",
  message: { role: "assistant", blocks },
  outcomes: results.map((result) => ({ kind: "done", result })),
})

describe("encoding a conversation of another format", () => {
  it("writes easy messages, assistant text, calls with JSON text and outputs", () => {
    const items: readonly Item[] = [
      { role: "system", blocks: [{ type: "text", text: "Be brief." }] },
      { role: "user", blocks: [{ type: "text", text: "List" }] },
      exchange(
        [
          { type: "thinking", text: "secret", signature: "sig", native: { anthropic: {} } },
          { type: "text", text: "Looking." },
          { type: "call", id: "toolu_1", name: "ls", arguments: { path: "." } },
          { type: "call", id: "toolu_2", name: "patch", arguments: { input: "*** Begin" }, custom: true },
        ],
        { type: "result", callId: "toolu_1", content: [{ type: "text", text: "denied" }], error: true },
        { type: "result", callId: "toolu_2", content: [] },
      ),
    ]
    expect(encode(conversation(...items))).toEqual({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "List" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
        { type: "function_call", call_id: "toolu_1", name: "ls", arguments: '{"path":"."}' },
        { type: "custom_tool_call", call_id: "toolu_2", name: "patch", input: "*** Begin" },
        { type: "function_call_output", call_id: "toolu_1", output: "[tool error] denied" },
        { type: "custom_tool_call_output", call_id: "toolu_2", output: "" },
      ],
    })
  })

  it("puts media into messages and outputs, and leaves a note where they have no home", () => {
    const source = { type: "base64", data: "AAAA" } as const
    const image = { type: "media", kind: "image", mediaType: "image/png", source } as const
    const pdf = { type: "media", kind: "document", source: { type: "url", url: "https://example.com/a.pdf" } } as const
    const video = { type: "media", kind: "video", mediaType: "video/mp4", source } as const
    const call = { type: "call", id: "a", name: "shot", arguments: {} } as const
    const answer: ResultBlock = { type: "result", callId: "a", content: [image], error: true }
    const shown = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }
    expect(encode(conversation({ role: "user", blocks: [image, pdf, video] }, exchange([image, call], answer)))["input"]).toEqual([
      {
        role: "user",
        content: [
          shown,
          { type: "input_file", file_url: "https://example.com/a.pdf" },
          { type: "input_text", text: "[video: video/mp4, 3 bytes]" },
        ],
      },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "[image: image/png, 3 bytes]" }],
      },
      { type: "function_call", call_id: "a", name: "shot", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "[tool error] " }, shown] },
    ])
  })

  it("reads its own failed and invented results back", () => {
    const call = { type: "call", id: "a", name: "ls", arguments: {}, raw: "{}" } as const
    const results: readonly ResultBlock[] = [
      { type: "result", callId: "a", content: [{ type: "text", text: "denied" }], error: true },
      { type: "result", callId: "a", content: [], error: true },
      syntheticResult("a", "ls", "interrupted"),
    ]
    for (const result of results) {
      const [, tool] = decode(encode(conversation(exchange([call], result)))).messages
      const answer = tool?.blocks[0]
      expect(answer).toBeDefined()
      const { native: _, ...read } = answer as ResultBlock
      const { name: __, ...said } = result
      expect(read).toEqual(said)
    }
  })

  it("leaves a pending call without output and says nothing of silent opaque blocks", () => {
    const items: readonly Item[] = [
      {
        role: "exchange",
        message: {
          role: "assistant",
          blocks: [
            { type: "opaque", kind: "server_tool_use", text: "[search: x]", native: { anthropic: {} } },
            { type: "opaque", kind: "compaction", text: "", native: { anthropic: {} } },
            { type: "call", id: "a", name: "ls", arguments: {} },
          ],
        },
        outcomes: [{ kind: "pending" }],
      },
    ]
    expect(encode(conversation(...items))["input"]).toEqual([
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "[search: x]" }] },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
    ])
  })
})

/** Decodes one model message with its outputs and encodes it again with changed results. */
const answeredBy = (calls: readonly unknown[], ...results: readonly ResultBlock[]): unknown => {
  const [message] = decode(calls).messages
  return encode(conversation(exchange(message?.blocks as readonly AssistantBlock[], ...results)))["input"]
}

describe("answers to typed calls", () => {
  const lost = (id: string): ResultBlock => syntheticResult(id, "tool", "lost")

  it("have the type that belongs to the call", () => {
    const calls = [
      { type: "custom_tool_call", call_id: "a", name: "patch", input: "x" },
      { type: "apply_patch_call", call_id: "b", operation: { type: "delete_file", path: "a" } },
      { type: "shell_call", call_id: "c", action: { commands: ["ls"] } },
      { type: "local_shell_call", call_id: "d", action: { type: "exec", command: ["ls"] } },
    ]
    expect(answeredBy(calls, lost("a"), lost("b"), lost("c"), lost("d"))).toEqual([
      ...calls,
      { type: "custom_tool_call_output", call_id: "a", output: syntheticTexts.lost },
      { type: "apply_patch_call_output", call_id: "b", status: "failed", output: syntheticTexts.lost },
      {
        type: "shell_call_output",
        call_id: "c",
        output: [{ stdout: syntheticTexts.lost, stderr: "", outcome: { type: "exit", exit_code: 1 } }],
      },
      { type: "local_shell_call_output", call_id: "d", output: syntheticTexts.lost },
    ])
  })

  it("turn a computer call into a function where there is no screenshot to answer with", () => {
    const calls = [{ type: "computer_call", id: "cu_1", call_id: "a", action: { type: "click", x: 1, y: 2 } }]
    expect(answeredBy(calls, lost("a"))).toEqual([
      { type: "function_call", call_id: "a", name: "computer", arguments: '{"type":"click","x":1,"y":2}' },
      { type: "function_call_output", call_id: "a", output: syntheticTexts.lost },
    ])
  })

  it("correct the type of an output that does not fit", () => {
    const call = { type: "custom_tool_call", call_id: "a", name: "patch", input: "x" }
    const output = { type: "function_call_output", call_id: "a", output: "done", extra: 1 }
    const [, tool] = decode([call, output]).messages
    expect(answeredBy([call], tool?.blocks[0] as ResultBlock)).toEqual([
      call,
      { type: "custom_tool_call_output", call_id: "a", output: "done", extra: 1 },
    ])
  })
})

describe("item ids", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
  const said = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi." }] }
  const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "x" } }
  const call = { type: "function_call", id: "fc_1", call_id: "a", name: "ls", arguments: "{}" }
  const output = { type: "function_call_output", call_id: "a", output: "x" }
  const encoded = (keep: (block: AssistantBlock) => boolean): unknown => {
    const [message, tool] = decode([reasoning, said, search, call, output]).messages
    const blocks = ((message?.blocks ?? []) as readonly AssistantBlock[]).filter(keep)
    const result = tool?.blocks[0] as ResultBlock
    return encode(
      byHand({
        items: [
          {
            role: "exchange",
            message: { role: "assistant", blocks, ...(message?.native && { native: message.native }) },
            outcomes: [{ kind: "done", result }],
          },
        ],
      }),
    )["input"]
  }

  it("stay while the reasoning is before them", () => {
    expect(encoded(() => true)).toEqual([reasoning, said, search, call, output])
  })

  it("go when the reasoning is gone, and a server-side item goes with it", () => {
    expect(encoded((block) => block.type !== "thinking")).toEqual([
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "[web search: x]" }] },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
      output,
    ])
  })
})
