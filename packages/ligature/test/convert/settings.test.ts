/** Settings of requests keep their meaning on the way to another format and back. */
import { describe, expect, it } from "vitest"
import { convertSettings, type RequestSettings } from "../../src/convert/index.ts"
import { isWire, type Wire } from "../../src/model/index.ts"

const wires = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }

const requests: Readonly<Record<(typeof wires)[number], Wire>> = {
  anthropic: {
    model: "m",
    max_tokens: 500,
    stream: true,
    temperature: 0.5,
    top_p: 0.9,
    stop_sequences: ["END"],
    tools: [{ name: "read", description: "d", input_schema: schema }],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
  },
  "openai-chat": {
    model: "m",
    max_tokens: 500,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: 0.9,
    stop: "END",
    tools: [{ type: "function", function: { name: "read", description: "d", parameters: schema } }],
    tool_choice: "required",
    parallel_tool_calls: false,
  },
  "openai-responses": {
    model: "m",
    max_output_tokens: 500,
    stream: true,
    temperature: 0.5,
    top_p: 0.9,
    tools: [{ type: "function", name: "read", description: "d", parameters: schema }],
    tool_choice: "required",
    parallel_tool_calls: false,
  },
  gemini: {
    tools: [
      {
        functionDeclarations: [
          { name: "read", description: "d", parameters: { type: "OBJECT", properties: { path: { type: "STRING" } }, required: ["path"] } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
    generationConfig: { maxOutputTokens: 500, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
  },
}

/** What each format has a place for. */
const meant = (of: (typeof wires)[number], through: (typeof wires)[number]): Partial<RequestSettings> => ({
  maxTokens: 500,
  temperature: 0.5,
  topP: 0.9,
  toolChoice: "required",
  tools: [expect.objectContaining({ name: "read", description: "d", schema })] as never,
  ...(of !== "openai-responses" && through !== "openai-responses" && { stop: ["END"] }),
  ...(of !== "gemini" && through !== "gemini" && { model: "m", stream: true, parallelCalls: false }),
})

const pairs = wires.flatMap((from) => wires.map((to) => [from, to] as const))

describe("settings", () => {
  it.each(pairs)("of %s mean the same in %s", (from, to) => {
    const once = convertSettings(requests[from], { from, to })
    expect(once.left).toEqual([])
    const again = convertSettings(once.fields, { from: to, to: from })
    expect(again.settings).toMatchObject(meant(from, to))
  })

  it.each(wires)("for a tool that must be called name it in %s", (to) => {
    const { fields } = convertSettings(
      { ...requests["openai-chat"], tool_choice: { type: "function", function: { name: "read" } } },
      { from: "openai-chat", to },
    )
    expect(convertSettings(fields, { from: to, to }).settings.toolChoice).toEqual({ tool: "read" })
  })

  it("for thinking become what the target has: a budget, an effort", () => {
    const thinks = { model: "gpt-5", max_tokens: 1000, messages: [], thinking: { type: "enabled", budget_tokens: 4000 } }
    expect(convertSettings(thinks, { from: "anthropic", to: "openai-chat" }).fields).toMatchObject({
      reasoning_effort: "medium",
      max_completion_tokens: 1000,
    })
    expect(convertSettings(thinks, { from: "anthropic", to: "openai-responses" }).fields).toMatchObject({
      reasoning: { effort: "medium" },
      include: ["reasoning.encrypted_content"],
    })
    expect(convertSettings(thinks, { from: "anthropic", to: "gemini" }).fields).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 4000 } },
    })
    // The limit of the answer stays beside the budget, which Anthropic counts with it.
    const back = convertSettings(
      { model: "claude", max_tokens: 1000, reasoning_effort: "low" },
      { from: "openai-chat", to: "anthropic" },
    ).fields
    expect(back).toMatchObject({ max_tokens: 2536, thinking: { type: "enabled", budget_tokens: 1536 } })
  })

  it("that only one provider has are named", () => {
    const body = {
      model: "m",
      messages: [],
      max_tokens: 9,
      context_management: {},
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { type: "bash_20250124", name: "bash" },
      ],
    }
    const { left, fields } = convertSettings(body, { from: "anthropic", to: "openai-chat" })
    expect(left).toEqual(["context_management", "tools: web_search_20250305"])
    expect((fields["tools"] as readonly Wire[]).map((tool) => isWire(tool["function"]) && tool["function"]["name"])).toEqual(["bash"])
  })

  it("with tools in groups, free text and long names give each a name the target takes", () => {
    const long = "x".repeat(80)
    const request = {
      model: "m",
      input: [],
      tools: [
        { type: "namespace", name: "a", tools: [{ type: "function", name: "run" }] },
        { type: "namespace", name: "b", tools: [{ type: "function", name: "run" }] },
        { type: "custom", name: "patch" },
        { type: "function", name: long },
      ],
    }
    const { tools, fields } = convertSettings(request, { from: "openai-responses", to: "openai-chat", profile: "openai-chat" })
    const names = [...tools.keys()]
    expect(names.slice(0, 3)).toEqual(["a__run", "b__run", "patch"])
    expect(names[3]?.length).toBeLessThanOrEqual(64)
    expect([...tools.values()].map(({ name }) => name)).toEqual(["run", "run", "patch", long])
    expect((fields["tools"] as readonly Wire[]).map(({ type }) => type)).toEqual(["function", "function", "custom", "function"])
  })
})
