/** What goes back to the API it came from: only what that API knows; the rest is in the report. */
import { describe, expect, it, test } from "vitest"
import { check, decode, encode, repair } from "../../src/convert/index.ts"
import { profiles, resolveProfile, settle } from "../../src/rules/index.ts"
import { judges, type ProfileName } from "../../src/testing/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const written = (format: string, value: unknown, profile: string = format) => {
  const { value: request, report } = encode(settle(decode(resolveCodec(format), value)).conversation, resolveProfile(profile))
  return { request: JSON.parse(JSON.stringify(request)) as unknown, report }
}

const cases: readonly [ProfileName, string, unknown][] = [
  ["gemini", "gemini", { contents: [{ parts: { newKind: {} } }] }],
  ["gemini", "gemini", { contents: [{ parts: [{ text: null, length: "" }, { text: "go" }] }] }],
  ["gemini", "gemini", { contents: [{ parts: [{ text: "go" }] }], extra: [] }],
  ["openai-responses", "openai-responses", [{ type: "shape_of_tomorrow" }, { role: "user", content: "go" }]],
  ["openai-responses", "openai-responses", [{ type: "reasoning", encrypted_content: "a", extra: "x" }, { type: "function_call" }]],
  ["openai-responses", "openai-responses", [{ type: null, role: "user", content: "go" }]],
  ["bedrock-claude", "bedrock-converse", [{ role: "user", content: [{ lamp: "" }, { text: "go" }] }]],
  ["bedrock-claude", "bedrock-converse", [{ role: "assistant", content: [{ reasoningContent: [] }] }]],
  ["bedrock-claude", "bedrock-converse", [{ role: "assistant", content: [{ json: {} }] }]],
  ["bedrock-claude", "bedrock-converse", { messages: [{ role: "user", content: [{ text: "go" }] }], extra: "" }],
  ["anthropic", "anthropic", { messages: [{ role: "user", content: "go" }], tool_call_ids: [] }],
  ["anthropic", "anthropic", [{ role: "assistant", content: [{ type: "web_search_tool_result" }] }]],
  [
    "anthropic",
    "anthropic",
    [
      {
        role: "assistant",
        content: [
          { type: "thinking", signature: "c2ln" },
          { type: "text", text: "x" },
        ],
      },
    ],
  ],
  [
    "anthropic",
    "cline-api",
    [
      { role: "user", content: { type: "" }, ligature: { role: "system" } },
      { role: "user", content: "go" },
    ],
  ],
  ["anthropic", "anthropic", { messages: [{ role: "user", content: "go" }], tools: [""] }],
  [
    "anthropic",
    "anthropic",
    { messages: [{ role: "user", content: "go" }], tools: [[], { name: "" }, { name: "ls", input_schema: { type: "object" } }] },
  ],
  [
    "anthropic-preserved",
    "xml-text",
    [
      { role: "assistant", content: { type: "compaction", signature: "" } },
      { role: "user", content: "go" },
    ],
  ],
  [
    "ollama",
    "tau-bench",
    [
      { role: "assistant", refusal: "a" },
      { role: "user", content: "go" },
    ],
  ],
  ["kimi", "openai-chat", [{ role: "assistant", content: { type: "thinking", thinking: "why", signature: "a" } }]],
  [
    "mistral",
    "openai-chat",
    [
      { role: "developer", content: "a" },
      { role: "user", content: "go" },
    ],
  ],
  [
    "openai-chat",
    "openai-chat",
    [
      { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "a", content: "x", tool_name: "ls" },
    ],
  ],
]

test.each(cases)("%s accepts what is written of %s %j, and so does our check", (profile, format, value) => {
  const { request } = written(format, value, profile)
  expect(judges[profile](request)).toMatchObject({ ok: true })
  expect(check(decode(resolveCodec(profiles[profile].format), request), { profile })).toEqual([])
})

describe("what a provider does not know", () => {
  it("is a loss with the original, where it is a field", () => {
    const value = { contents: [{ parts: [{ text: "go", comment: "an unknown comment" }], role: "user" }] }
    expect(written("gemini", value).report.losses).toMatchObject([
      { feature: "other-fields", original: { "contents[].parts[].comment": ["an unknown comment"] } },
    ])
  })

  it("becomes text, where it is a block, and is in the report", () => {
    const part = { newKind: { note: "kept" } }
    const { request, report } = written("gemini", { contents: [{ role: "user", parts: [part] }] })
    expect(request).toEqual({ contents: [{ role: "user", parts: [{ text: JSON.stringify(part) }] }] })
    expect(report.entries).toMatchObject([{ rule: "unknown-block", kind: "demote", original: { native: { gemini: part } } }])
  })

  it("takes the other half of its span along", () => {
    const content = [
      { type: "server_tool_use", id: "s1", name: "tool_of_tomorrow", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    ]
    const { request } = written("anthropic", [
      { role: "user", content: "go" },
      { role: "assistant", content },
    ])
    expect(JSON.stringify(request)).not.toContain('web_search_tool_result"')
  })
})

const twice = (format: string, value: unknown): void => {
  const once = repair(value, { from: resolveCodec(format) })
  const again = repair(once.value, { from: resolveCodec(format) })
  expect(again.report.entries).toEqual([])
  expect(again.value).toEqual(once.value)
}

describe("a second repair changes nothing", () => {
  it.each([
    ["ai-sdk-ui", [{ role: "user", parts: [{}] }, { role: "assistant" }]],
    ["ai-sdk-ui", [{ role: "assistant", parts: [null, { type: "tool_use" }, null] }]],
    ["bedrock-converse", { system: [], messages: [{ role: "user", content: [{ text: "go" }] }] }],
    [
      "openai-responses",
      [
        { type: "function_call", id: "fc_2", call_id: "a" },
        { type: "a", call_id: "fc_2" },
      ],
    ],
    ["openai-responses", [{ type: "a", call_id: 7 }]],
    [
      "openai-responses",
      [
        { role: "user", content: "go" },
        { role: "assistant", content: [{}, { type: "message", role: "assistant" }] },
      ],
    ],
    ["openai-chat", [{ role: "assistant", tool_calls: { function: {}, result: "a" } }]],
    ["anthropic", [{ content: [{ type: "tool_use" }, { type: "input_json_delta", input: "" }] }]],
    [
      "anthropic",
      [
        {
          content: [
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            { type: "tool_use", name: "ls" },
          ],
        },
        { role: "assistant", content: { type: "web_search_tool_result", tool_use_id: "s1" } },
      ],
    ],
  ])("in %s %j", twice)
})

it.each([
  [
    "bedrock-converse",
    "bedrock",
    [
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "ls", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "a", content: [""], status: "error" } }] },
    ],
  ],
  ["ai-sdk-ui", "openai-chat", [{ role: "assistant", parts: [{ type: "tool-grep", toolCallId: "a", state: "output-denied" }] }]],
])("a failed result of %s is written for %s as it is written again", (format, profile, value) => {
  const { request } = written(format, value, profile)
  const target = profile === "bedrock" ? "bedrock-converse" : profile
  expect(written(target, request, profile).request).toEqual(request)
})

it.each([
  [
    "openai-chat",
    { messages: [{ object: "the same words", choices: [{ message: { role: "assistant", content: "x" } }] }] },
    "the same words",
  ],
  ["anthropic", { messages: [{ note: "the same words" }, { role: "user", content: "a", note: "the same words" }] }, "the same words"],
  ["gemini", [{ parts: {}, x: { note: "the same words" } }, { x: { note: "the same words" } }], "the same words"],
])("every place of a text in %s is kept or reported", (format, value, words) => {
  const count = (root: unknown): number => JSON.stringify(root).split(words).length - 1
  const { value: repaired, report } = repair(value, { from: resolveCodec(format) })
  expect(count(repaired) + count(report)).toBeGreaterThanOrEqual(count(value))
})
