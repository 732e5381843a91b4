/** What the own tools of each provider leave in an answer: arbitrary items, their stream, and a request that has them. */
import fc from "fast-check"
import type { Wire } from "../../src/model/index.ts"
import type { RecordedFormat } from "../../src/record/index.ts"

const long = fc.integer({ min: 1, max: 9000 }).map((length) => "output line ".repeat(Math.ceil(length / 12)).slice(0, length))
const short = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== "")
const id = fc.stringMatching(/^[a-z]{4,8}$/)
const json = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(short, fc.integer(), fc.boolean()), { maxKeys: 3 })
  .map((made) => ({ ...made }))

const wire = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Wire> => fc.record({ ...fields })
const is = (value: string): fc.Arbitrary<string> => fc.constant(value)

interface Streamed {
  readonly format: RecordedFormat
  readonly item: fc.Arbitrary<Wire>
  readonly events: (items: readonly Wire[]) => readonly unknown[]
  readonly request: (items: readonly Wire[]) => Wire
}

const anthropic: Streamed = {
  format: "anthropic",
  item: fc.oneof(
    wire({ type: is("server_tool_use"), id, name: is("web_search"), input: json }),
    wire({ type: is("mcp_tool_use"), id, name: short, server_name: short, input: json }),
    wire({
      type: is("code_execution_tool_result"),
      tool_use_id: id,
      content: wire({ type: is("code_execution_result"), stdout: long, stderr: short, return_code: fc.nat(9) }),
    }),
    wire({
      type: is("web_search_tool_result"),
      tool_use_id: id,
      content: fc.array(wire({ type: is("web_search_result"), title: short, url: short, encrypted_content: long })),
    }),
    wire({
      type: is("mcp_tool_result"),
      tool_use_id: id,
      is_error: fc.boolean(),
      content: fc.array(wire({ type: is("text"), text: long })),
    }),
    wire({ type: is("container_upload"), file_id: id }),
    wire({ type: is("compaction"), content: long }),
    wire({ type: is("redacted_thinking"), data: is("c2lnbmVk") }),
    wire({ type: is("image"), source: wire({ type: is("base64"), media_type: is("image/png"), data: is("aGVsbG8=") }) }),
    wire({ type: is("text"), text: short, citations: fc.array(json, { minLength: 1, maxLength: 2 }) }),
    wire({ type: is("something_new"), payload: long }),
  ),
  events: (items) => [
    { type: "message_start", message: { role: "assistant", content: [] } },
    ...items.flatMap((block, index) => {
      const grows = block["type"] === "server_tool_use" || block["type"] === "mcp_tool_use"
      const start = grows ? { ...block, input: {} } : block
      const partial_json = JSON.stringify(block["input"])
      return [
        { type: "content_block_start", index, content_block: start },
        ...(grows ? [{ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } }] : []),
        { type: "content_block_stop", index },
      ]
    }),
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ],
  request: (items) => ({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: items },
    ],
  }),
}

const responses: Streamed = {
  format: "openai-responses",
  item: fc.oneof(
    wire({ type: is("mcp_call"), id, server_label: short, name: short, arguments: is("{}"), output: long }),
    wire({
      type: is("code_interpreter_call"),
      id,
      code: short,
      status: is("completed"),
      outputs: fc.array(wire({ type: is("logs"), logs: long })),
    }),
    wire({ type: is("web_search_call"), id, status: is("completed"), action: wire({ type: is("search"), query: short }) }),
    wire({ type: is("file_search_call"), id, queries: fc.array(short) }),
    wire({ type: is("image_generation_call"), id, revised_prompt: long }),
    wire({ type: is("mcp_list_tools"), id, tools: fc.array(json) }),
    wire({ type: is("item_reference"), id }),
    wire({ type: is("compaction"), id, encrypted_content: long }),
    wire({ type: is("program"), id, call_id: id, code: long }),
    wire({
      type: is("local_shell_call"),
      id,
      call_id: id,
      action: wire({ type: is("exec"), command: fc.array(short) }),
      status: is("completed"),
    }),
    wire({ type: is("custom_tool_call"), id, call_id: id, name: short, input: long }),
    wire({ type: is("something_new"), id, payload: long }),
  ),
  events: (items) => [
    { type: "response.created", response: { id: "resp_1", output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { type: item["type"], id: item["id"], status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: items } },
  ],
  request: (items) => ({ input: [{ role: "user", content: "go" }, ...items] }),
}

const gemini: Streamed = {
  format: "gemini",
  item: fc.oneof(
    wire({ executableCode: wire({ language: is("PYTHON"), code: long }) }),
    wire({ codeExecutionResult: wire({ outcome: is("OUTCOME_OK"), output: long }) }),
    wire({ toolCall: wire({ id, toolType: is("GOOGLE_SEARCH"), args: json }) }),
    wire({ toolResponse: wire({ id, response: json }) }),
    wire({ inlineData: wire({ mimeType: is("image/png"), data: is("aGVsbG8=") }) }),
    wire({ functionCall: wire({ name: short, args: json }), thoughtSignature: is("c2lnbmVk") }),
    wire({ somethingNew: wire({ payload: long }) }),
  ),
  events: (parts) => [
    ...parts.map((part) => ({ candidates: [{ content: { role: "model", parts: [part] } }] })),
    { candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP" }] },
  ],
  request: (parts) => ({
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts },
    ],
  }),
}

const chat: Streamed = {
  format: "openai-chat",
  item: fc.oneof(
    wire({ type: is("text"), text: short }),
    wire({ type: is("thinking"), thinking: short, signature: is("c2lnbmVk") }),
    wire({ type: is("image_url"), image_url: wire({ url: is("https://example.com/a.png") }) }),
    wire({ type: is("something_new"), payload: long }),
  ),
  events: (parts) => [
    ...parts.map((part) => ({ choices: [{ index: 0, delta: { content: [part] } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ],
  request: (content) => ({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content },
    ],
  }),
}

/** Neighbours of one type are one block in a stream of parts. */
const isApart = (part: Wire, before: Wire | undefined): boolean => part["type"] === undefined || part["type"] !== before?.["type"]

export const serverItems = [anthropic, responses, gemini, chat].map((each) => ({
  ...each,
  items: fc.array(each.item, { minLength: 1, maxLength: 4 }).filter((made) => made.every((part, index) => isApart(part, made[index - 1]))),
}))
