/** The smallest sessions that once broke a promise of `repair`, each with what is special about it. */
import { describe, expect, it } from "vitest"
import { missingWords } from "../../../../../scripts/fuzz/accounting.ts"
import { check, convert, decode, repair } from "../../../src/convert/index.ts"
import { findSession } from "../../../src/registry/registry.ts"
import { flatten } from "../../../src/model/index.ts"
import { brokenPromises, repaired } from "./promises.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const said = (format: string, value: unknown): readonly string[] => {
  const codec = findSession(format)
  return codec ? brokenPromises(codec, value) : [`no session codec for ${format}`]
}

describe("a repair is for good", () => {
  it.each<readonly [string, string, unknown]>([
    [
      "gemini-cli",
      "a result that is a thought of another API",
      { id: "", type: "gemini", toolCalls: [{ result: { type: "thinking", thinking: "a" } }] },
    ],
    [
      "gemini-cli",
      "a result that is a text of another API",
      { id: "", type: "gemini", toolCalls: [{ result: { type: "output_text", content: "a" } }] },
    ],
    [
      "gemini-cli",
      "words that are an image of another API",
      { id: "a", type: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }] },
    ],
    [
      "open-webui",
      "a message without a name that the chat stands at",
      {
        history: { messages: { n1: { role: "user", content: "a" }, "": { parentId: "n1", role: "user", content: "b" } }, currentId: "n9" },
      },
    ],
    [
      "codex-rollout-old",
      "half a character in an output that is an object",
      [{ type: "function_call" }, { type: "function_call_output", output: { content: "\ud83d" } }],
    ],
    [
      "codex-rollout",
      "an answer without id of another kind than the call",
      [
        { type: "response_item", payload: { type: "function_call", call_id: "call_x" } },
        { type: "response_item", payload: { type: "custom_tool_call_output", output: "" } },
      ],
    ],
    [
      "openhands-v0",
      "half a character in a response without a list of calls",
      [{ action: "", tool_call_metadata: { model_response: { choices: [{ message: { content: "\udc4d" } }] } } }],
    ],
    [
      "qwen-code",
      "half a character in a thought",
      [{ uuid: "a", type: "assistant", message: { role: "model", parts: [{ text: "a\ud83d", thought: true }, { text: "b" }] } }],
    ],
    [
      "claude-code",
      "words before a result in one record",
      [
        { uuid: "a", parentUuid: null, type: "user", message: { role: "user", content: "go" } },
        {
          uuid: "b",
          parentUuid: "a",
          type: "assistant",
          message: { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ls", input: {} }] },
        },
        {
          uuid: "c",
          parentUuid: "b",
          type: "user",
          message: {
            role: "user",
            content: [
              { type: "text", text: "hold on" },
              { type: "tool_result", tool_use_id: "toolu_1", content: "a.txt" },
            ],
          },
        },
      ],
    ],
    [
      "codex-rollout",
      "a call whose id is an object",
      [
        { type: "session_meta", payload: { id: "s" } },
        { type: "response_item", payload: { type: "function_call", id: "a", name: "ls", arguments: "{}", call_id: {} } },
      ],
    ],
    [
      "cline-cli",
      "a blank system prompt",
      {
        version: 1,
        agent: "lead",
        sessionId: "s",
        system_prompt: " \n",
        messages: [{ id: "a", role: "user", content: [{ type: "text", text: "hi" }], ts: 1 }],
      },
    ],
    [
      "gemini-cli",
      "half a character in the system prompt",
      [
        { sessionId: "s", projectHash: "p", systemInstruction: "a\ud83d" },
        { $set: { systemInstruction: "a\ud83d" } },
        { id: "u", type: "user", content: "hi" },
      ],
    ],
    [
      "open-webui",
      "half a character in the prompt of the chat",
      {
        params: { system: "a\ud83d" },
        history: { messages: { n1: { id: "n1", parentId: null, role: "user", content: "a" } }, currentId: "n1" },
      },
    ],
    [
      "continue",
      "half a character in what the user attached",
      [{ message: { role: "user", content: "hi" }, contextItems: [{ content: "a\ud83d" }] }],
    ],
    [
      "continue",
      "content of the model that is no block",
      [{ message: { role: "user", content: "hi" } }, { message: { role: "assistant", content: [null, { type: "text", text: "a" }] } }],
    ],
    [
      "continue",
      "content of a tool that is no block",
      [
        {
          message: {
            role: "assistant",
            content: "",
            toolCalls: [{ id: "c", type: "function", function: { name: "ls", arguments: "{}" } }],
          },
        },
        { message: { role: "tool", content: 7, toolCallId: "c" } },
      ],
    ],
    ["tau2", "equal records that are no objects", ["[read] Result:", { role: "assistant", tool_calls: [{ name: "" }] }, "[read] Result:"]],
  ])("%s: %s", (format, _, value) => {
    expect(said(format, value)).toEqual([])
  })
})

describe("a session of which nothing would be left but records that nobody understands", () => {
  it.each<readonly [string, unknown]>([
    ["neovate", [{ role: "user", type: "message" }, {}]],
    ["goose", [{}, { role: "assistant" }]],
    ["copilot-cli", [{ type: "tool.execution_complete" }, {}]],
    ["openhands-v0", [{ action: "message" }, {}]],
    ["openhands-v1", [{}, { kind: "MessageEvent", llm_message: {} }]],
    ["codex-rollout-old", [{ type: "reasoning", encrypted_content: "a" }, {}]],
    ["claude-code", [{}, { message: { content: [] }, type: "assistant" }]],
    ["pi", [{}, { type: "message", message: { role: "user" } }]],
  ])("is refused as %s before anything is written", (format, value) => {
    expect(() => repair(value, { from: resolveCodec(format) })).toThrow("got a list of 2 in which no message was understood")
  })

  it.each(["pi", "goose", "codex-rollout"])("is refused as %s where its one record is empty", (format) => {
    expect(() => repair({}, { from: resolveCodec(format) })).toThrow("got an empty object in which no message was understood")
  })
})

describe("what a session says twice and its repair once", () => {
  const card = 'said" arguments="twice'
  it.each<readonly [string, string, unknown]>([
    [
      "open-webui",
      "in the copy of a message",
      {
        history: { messages: { n1: { childrenIds: ["n2"], role: "user", content: "a" }, n2: { content: card } } },
        messages: [{ id: "n1", content: card }],
      },
    ],
    [
      "copilot-cli",
      "in a result that is left out",
      [
        { type: "assistant.message", data: { toolRequests: [{}] } },
        { type: "tool.execution_complete", length: "unmistakable" },
        { type: "tool.execution_complete", length: ["unmistakable"] },
      ],
    ],
    [
      "pi",
      "in two records of one id",
      [
        { type: "message", id: "f3725dd9", message: { role: "user", content: [["unmistakable"], { type: "text", text: "words" }] } },
        { type: "message", id: "f3725dd9", message: { role: "user", content: [["unmistakable"], { type: "text", text: "words" }] } },
      ],
    ],
    [
      "codex-rollout",
      "in a result without a call",
      [
        { type: "response_item", payload: { type: "function_call_output" }, x: { note: "unmistakable" } },
        { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "unmistakable" }] } },
      ],
    ],
    [
      "continue",
      "in the output of a call",
      [
        {
          message: { role: "assistant", toolCalls: [{}] },
          toolCallStates: [{ output: { content: "unmistakable" } }, { content: "unmistakable" }],
        },
        { message: { content: "words" } },
      ],
    ],
  ])("is in the report: %s, %s", (format, _, value) => {
    const codec = findSession(format)
    if (!codec) throw new Error(`Expected a session codec for ${format}`)
    const { value: written, report } = repaired(codec, value)
    expect(missingWords(value, written, report)).toEqual([])
    expect(said(format, value)).toEqual([])
  })
})

describe("a session whose last message is left out", () => {
  const call = { type: "message", message: { role: "assistant", content: [{ type: "toolCall", id: "c" }] } }
  const value = [
    { id: "7d4ccb4f" },
    call,
    { id: "35ab7d67" },
    { type: "message", parentId: "7d4ccb4f", message: { role: "toolResult" } },
    { type: "message", parentId: "35ab7d67", message: { role: "toolResult", toolCallId: "a" } },
  ]

  it.each([
    ["repair", repair(value, { from: "pi" })],
    ["convert", convert(value, { from: "pi", to: "pi" })],
  ])("is given by %s as the conversation that its file holds", (_, { value: written, conversation }) => {
    const read = decode("pi", written)
    expect(check(read).filter(({ severity }) => severity === "error")).toEqual([])
    expect(flatten(conversation).messages.map(({ blocks }) => blocks)).toEqual(read.messages.map(({ blocks }) => blocks))
  })

  it("is valid at once when a Codex session is converted to its own format", () => {
    const item = (payload: unknown): unknown => ({ type: "response_item", payload })
    const records = [
      item({ type: "function_call" }),
      { type: "event_msg", payload: { type: "user_message", message: "a" } },
      item({ role: "user" }),
      item({ type: "function_call_output" }),
    ]
    const { value: written } = convert(records, { from: "codex-rollout", to: "codex-rollout" })
    expect(check(decode("codex-rollout", written)).filter(({ severity }) => severity === "error")).toEqual([])
  })
})
