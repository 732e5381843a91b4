import { describe, expect, it } from "vitest"
import { detectFormat } from "../../src/document/index.ts"

const formatOf = (value: unknown): string | undefined => {
  const found = detectFormat(value)
  return found === undefined ? undefined : `${found.format} (${found.certainty})`
}

const user = (text: string) => ({ role: "user", content: text })
const blocks = (role: string, ...content: readonly unknown[]) => ({ role, content })
const text = (words: string) => ({ type: "text", text: words })
const quoted = '<function_calls>\n<invoke name="h">\n<parameter name="a">1</parameter>\n</invoke>\n</function_calls>'

describe("detectFormat", () => {
  const cases: readonly (readonly [name: string, value: unknown, expected: string | undefined])[] = [
    ["anthropic blocks", [user("x"), blocks("assistant", { type: "tool_use", id: "a", name: "ls", input: {} })], "anthropic (certain)"],
    ["anthropic thinking", [blocks("assistant", { type: "thinking", thinking: "…", signature: "s" })], "anthropic (certain)"],
    [
      "anthropic thinking without a signature, which a repair leaves out",
      [blocks("assistant", { type: "thinking", thinking: "…" })],
      "anthropic (likely)",
    ],
    [
      "anthropic thinking with a signature that cannot be one, which a repair leaves out",
      [blocks("assistant", { type: "thinking", thinking: "", signature: "0" }, text(quoted))],
      "xml-text (likely)",
    ],
    [
      "an anthropic result that a repair wrote as text, next to a text that quotes a call",
      [user("x"), blocks("assistant", text(quoted)), blocks("user", text("[Result of a call that is no longer in the history (a)]\nx"))],
      "anthropic (likely)",
    ],
    [
      "an anthropic result without content, which a repair leaves out",
      [blocks("user", { type: "tool_result", tool_use_id: "a" })],
      "anthropic (likely)",
    ],
    [
      "a part of the AI SDK in a message without a role, which a repair shows as text",
      [blocks("assistant", text("a")), { content: [{ type: "tool-result" }] }],
      "openai-chat (guess)",
    ],
    [
      "a call of Anthropic in a message without a role",
      [{ content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] }],
      "anthropic (certain)",
    ],
    [
      "calls in text, answered by a bare text among the messages",
      [user("x"), blocks("assistant", text("<ls>\n<path>a</path>\n</ls>")), "[ls for 'a'] Result:\nb"],
      "xml-text (certain)",
    ],
    [
      "calls in text, answered by a text whose block has no readable type, which a repair gives one",
      [
        blocks("assistant", { type: "thinking", thinking: "…", signature: "c2ln" }, text("<ls>\n<path>a</path>\n</ls>")),
        blocks("user", { type: [], text: "[ls] Result:\nb" }),
      ],
      "xml-text (certain)",
    ],
    ["an orphan anthropic result", [blocks("user", { type: "tool_result", tool_use_id: "a", content: "x" })], "anthropic (certain)"],
    ["anthropic by its tools", { messages: [user("x")], tools: [{ name: "ls", input_schema: {} }] }, "anthropic (certain)"],
    ["plain strings with a top-level system", { system: "Be kind.", messages: [user("x")] }, "anthropic (likely)"],
    ["plain strings for a model called claude", { model: "claude-x", messages: [user("x")] }, "anthropic (guess)"],
    ["text blocks without a system message", [blocks("user", text("x")), blocks("assistant", text("y"))], "anthropic (likely)"],
    ["text parts with a system message", [blocks("system", text("s")), blocks("user", text("x"))], "openai-chat (guess)"],
    ["plain strings", [user("x"), { role: "assistant", content: "y" }], "openai-chat (guess)"],
    ["an empty request", { messages: [] }, "openai-chat (guess)"],
    [
      "tool_calls",
      [{ role: "assistant", content: null, tool_calls: [{ id: "a", function: { name: "ls", arguments: "{}" } }] }],
      "openai-chat (certain)",
    ],
    [
      "tool_calls of nobody, which a repair leaves out",
      [blocks("user", text("x")), { role: "assistant", content: quoted, tool_calls: [] }],
      "xml-text (likely)",
    ],
    [
      "a list of no calls next to text blocks",
      [blocks("assistant", text("x")), { role: "assistant", tool_calls: [] }],
      "openai-chat (likely)",
    ],
    ["a tool message", [{ role: "tool", tool_call_id: "a", content: "x" }], "openai-chat (certain)"],
    ["a tool message without id", [user("x"), { role: "tool", content: "x" }], "openai-chat (likely)"],
    ["the old function_call", [{ role: "assistant", function_call: { name: "ls", arguments: "{}" } }], "openai-chat (certain)"],
    ["image_url parts", [blocks("user", { type: "image_url", image_url: { url: "data:" } })], "openai-chat (certain)"],
    ["Responses items", [user("x"), { type: "function_call", call_id: "a", name: "ls", arguments: "{}" }], "openai-responses (certain)"],
    ["custom Responses items", [{ type: "custom_tool_call_output", call_id: "a", output: "x" }], "openai-responses (certain)"],
    ["Responses messages", [{ type: "message", role: "user", content: [{ type: "input_text", text: "x" }] }], "openai-responses (certain)"],
    ["plain input", { input: [user("x")] }, "openai-responses (likely)"],
    ["input as a string", { model: "gpt-x", input: "hello" }, "openai-responses (likely)"],
    [
      "Gemini contents",
      [
        { role: "user", parts: [{ text: "x" }] },
        { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }] },
      ],
      "gemini (certain)",
    ],
    ["a Gemini request", { contents: [], systemInstruction: { parts: [{ text: "s" }] } }, "gemini (certain)"],
    ["Gemini without roles", [{ parts: [{ text: "x" }] }], "gemini (certain)"],
    [
      "Bedrock toolUse",
      [blocks("user", { text: "x" }), blocks("assistant", { toolUse: { toolUseId: "a", name: "ls", input: {} } })],
      "bedrock-converse (certain)",
    ],
    ["Bedrock text", { system: [{ text: "s" }], messages: [blocks("user", { text: "x" })] }, "bedrock-converse (likely)"],
    [
      "AI SDK model messages",
      [blocks("assistant", { type: "tool-call", toolCallId: "a", toolName: "ls", input: {} })],
      "ai-sdk-model (certain)",
    ],
    [
      "AI SDK tool messages",
      [blocks("tool", { type: "tool-result", toolCallId: "a", toolName: "ls", output: { type: "text", value: "x" } })],
      "ai-sdk-model (certain)",
    ],
    [
      "AI SDK interface messages",
      [{ id: "1", role: "assistant", parts: [{ type: "tool-ls", toolCallId: "a", state: "output-available" }] }],
      "ai-sdk-ui (certain)",
    ],
    [
      "messages of a span",
      [
        { role: "user", parts: [{ type: "text", content: "x" }] },
        { role: "assistant", parts: [{ type: "tool_call", id: "a", name: "ls", arguments: {} }] },
      ],
      "otel-messages (certain)",
    ],
    ["attributes of a span", { attributes: { "gen_ai.input.messages": "[]" } }, "otel-messages (certain)"],
    ["ShareGPT", { conversations: [{ from: "human", value: "x" }] }, "sharegpt (certain)"],
    ["messages under the name of ShareGPT's list", { conversations: [user("x")] }, "openai-chat (guess)"],
    ["an empty list of ShareGPT", { conversations: [] }, "sharegpt (likely)"],
    ["nothing", 7, undefined],
    ["an empty list", [], undefined],
    ["keys that are no keys", JSON.parse('{"__proto__":{"messages":[]},"constructor":1}'), undefined],
  ]
  it.each(cases)("tells %s", (_name, value, expected) => {
    expect(formatOf(value)).toBe(expected)
  })

  it("looks at a long history in its middle too", () => {
    const history: unknown[] = Array.from({ length: 5000 }, () => user("x"))
    for (let index = 2000; index < 2100; index += 1) history[index] = { role: "tool", tool_call_id: "a", content: "x" }
    expect(formatOf(history)).toBe("openai-chat (certain)")
  })

  it("is not led astray by nulls and numbers among the messages", () => {
    expect(formatOf([null, 7, blocks("user", null, { type: "tool_result", tool_use_id: "a", content: "y" }), "x"])).toBe(
      "anthropic (certain)",
    )
  })
})

describe("detectFormat on calls in text", () => {
  const call = "I look.\n<read_file>\n<path>a.ts</path>\n</read_file>"
  const answer = "[read_file for 'a.ts'] Result:\n\nexport {}"

  it("sees XML calls answered by text", () => {
    expect(formatOf([blocks("user", text("go")), blocks("assistant", text(call)), blocks("user", text(answer))])).toBe("xml-text (certain)")
  })
  it("sees the answer without arguments", () => {
    const history = [
      blocks("assistant", text("<update_todo_list>\n<todos>x</todos>\n</update_todo_list>")),
      blocks("user", text("[update_todo_list] Result:")),
    ]
    expect(formatOf(history)).toBe("xml-text (certain)")
  })
  it.each(["Bash", "web-search", "mcp__fs__read-file"])(
    "sees the tool %s by its name in tag and answer, with and without parameters",
    (name) => {
      for (const parameters of ["<path>a</path>\n", ""]) {
        const asked = blocks("assistant", text(`I look.\n<${name}>\n${parameters}</${name}>`))
        expect(formatOf([asked, blocks("user", text(`[${name}] Result:\nx`))])).toBe("xml-text (certain)")
        expect(formatOf([user("x"), asked, blocks("user", text("[Other] Result:\nx"))])).toBe("anthropic (likely)")
      }
    },
  )
  it("reads a result in text with marks or a quoted hint as xml-text", () => {
    const asked = blocks("assistant", text("<read_file>\n<path>a</path>\n</read_file>"))
    for (const header of [
      "[read_file for 'a'] Result (fenced):",
      "[read_file] Result (Error):",
      "[read_file Result (Error)]",
      `[read_file for "${"a'".repeat(300)}"] Result:`,
    ]) {
      expect(formatOf([asked, blocks("user", text(`${header}\nx`))])).toBe("xml-text (certain)")
    }
  })

  it("sees native calls answered by text", () => {
    const native = blocks("assistant", { type: "tool_use", id: "a", name: "read_file", input: { path: "a.ts" } })
    expect(formatOf([blocks("user", text("<task>x</task>")), native, blocks("user", text(answer))])).toBe("xml-text (certain)")
  })
  it("leaves native calls with native results to anthropic, whatever frames them", () => {
    const history = [
      blocks("user", text("<task>x</task>"), text("<environment_details>…</environment_details>")),
      blocks("assistant", { type: "tool_use", id: "a", name: "read_file", input: {} }),
      blocks("user", { type: "tool_result", tool_use_id: "a", content: answer }, text("<environment_details>…</environment_details>")),
    ]
    expect(formatOf(history)).toBe("anthropic (certain)")
  })
  it("takes the frame of these agents as a sign when no call is there yet", () => {
    expect(formatOf([blocks("user", text("<task>\nSay hello\n</task>")), blocks("assistant", text("Hello!"))])).toBe("xml-text (likely)")
  })
  it("sees invoke tags", () => {
    const history = [
      user("go"),
      { role: "assistant", content: '<function_calls><invoke name="ls"><parameter name="path">.</parameter></invoke></function_calls>' },
      user("<function_results>a.ts</function_results>"),
    ]
    expect(formatOf(history)).toBe("xml-text (certain)")
  })
  it("does not take prose about tags for calls", () => {
    const history = [user("How do lists work?"), { role: "assistant", content: "<ul> <li>one</li> </ul> is a list. [Result]: see above" }]
    expect(formatOf(history)).toBe("openai-chat (guess)")
  })
})
