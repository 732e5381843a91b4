// Every quoted refusal, bare and inside the wrappers in which it reaches people.
import { describe, expect, it } from "vitest"
import { classify } from "../../../src/rules/classify/index.ts"
import type { ProviderRule } from "../../../src/rules/rulebook/index.ts"
import { fieldReports, rulebook } from "../../../src/rules/rulebook/index.ts"

// Two demands with one wording: the first is what the text is taken for, the second is among all.
const doubles: Readonly<Record<string, string>> = {
  "anthropic-tool-result-first-in-content": "anthropic-tool-use-needs-result",
  "deepseek-responses-grouping": "openai-responses-call-needs-output",
}

type Case = { readonly rule: ProviderRule; readonly text: string }

const cases: readonly Case[] = [...rulebook, ...fieldReports].flatMap((rule) =>
  [...rule.texts, ...(rule.alsoSeen ?? [])].map((text) => ({ rule, text })),
)

function bodyOf({ rule, text }: Case): unknown {
  const provider = rule.providers[0] ?? ""
  const status = rule.status ?? 400
  if (provider.startsWith("anthropic"))
    return { type: "error", error: { type: "invalid_request_error", message: text }, request_id: "req_011CSHoEeqs5" }
  if (provider.startsWith("gemini")) return [{ error: { code: status, message: text, status: "INVALID_ARGUMENT", details: [] } }]
  if (provider === "bedrock") return { __type: "com.amazon.coral.validate#ValidationException", message: text }
  if (provider === "mistral") return { object: "error", message: text, type: "invalid_request_message_order", param: null, code: "3230" }
  if (provider === "ollama") return { error: text }
  if (provider === "xai") return { code: "Client specified an invalid argument", error: text }
  return { error: { message: text, type: "invalid_request_error", param: null, code: null } }
}

/** A value as Python prints it. */
function pythonRepr(value: unknown): string {
  if (value === null) return "None"
  if (typeof value === "string") {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
    return quote + value.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`).replaceAll("\n", "\\n") + quote
  }
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, field]) => `${pythonRepr(key)}: ${pythonRepr(field)}`)
      .join(", ")}}`
  return String(value)
}

const wrappers: Readonly<Record<string, (given: Case) => unknown>> = {
  "the text alone": ({ text }) => text,
  "the provider's body as a value": bodyOf,
  "the provider's body as text": (given) => JSON.stringify(bodyOf(given)),
  "the provider's body printed over several lines": (given) => JSON.stringify(bodyOf(given), null, 2),
  "status and body": (given) => ({ status: given.rule.status, body: JSON.stringify(bodyOf(given)) }),
  "a JavaScript SDK's message": (given) => new Error(`${given.rule.status ?? 400} ${JSON.stringify(bodyOf(given))}`),
  "a Python SDK's message": (given) => `openai.BadRequestError: Error code: ${given.rule.status ?? 400} - ${pythonRepr(bodyOf(given))}`,
  "a gateway's message with a nested body": (given) => ({
    error: {
      message: "Provider returned error",
      code: 400,
      metadata: { raw: JSON.stringify(bodyOf(given)), provider_name: "Upstream", is_byok: false },
    },
    user_id: "user_2x",
  }),
  "a proxy's exception text": (given) =>
    `litellm.BadRequestError: UpstreamException - ${JSON.stringify(bodyOf(given))}. Received Model Group=main\n` +
    "Available Model Group Fallbacks=None",
  "an agent's error line": (given) => `● API Error: 400 ${JSON.stringify(bodyOf(given))} · check your network`,
  "a JSON log line that quotes the body": (given) =>
    JSON.stringify({ level: "error", time: 1731700000, msg: `request failed: ${JSON.stringify(bodyOf(given))}` }),
  "a stack trace": (given) =>
    `Error: 400 ${JSON.stringify(bodyOf(given))}\n    at APIError.generate (file:///app/error.mjs:37:20)\n` +
    "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {\n  status: 400\n}",
  "a body cut off at the end": (given) => `400 ${JSON.stringify(bodyOf(given)).slice(0, -2)}`,
  "text wrapped by a terminal": ({ text }) => `  ⎿ API Error: 400\n     ${text.replaceAll(" ", "\n     ")}`,
}

describe.each(Object.entries(wrappers))("classify reads %s", (_name, wrap) => {
  it("for every quoted refusal", () => {
    const wrong: unknown[] = []
    for (const given of cases) {
      const classification = classify(wrap(given))
      const expected = doubles[given.rule.id] ?? given.rule.id
      const isRight =
        classification?.rule.id === expected &&
        classification.all.includes(given.rule) &&
        classification.action === classification.rule.action
      if (!isRight) wrong.push({ text: given.text, expected, got: classification?.all.map((rule) => rule.id) })
    }
    expect(wrong).toEqual([])
    expect(cases.length).toBeGreaterThan(188)
  })
})

describe("a refusal that is a part of another", () => {
  it("is classified as the more specific demand, with the other one named too", () => {
    const shared = cases
      .map(({ text }) => classify(text)?.all.map((rule) => rule.id) ?? [])
      .filter((all) => all.length > 1)
      .map((all) => all.join(" > "))
    expect([...new Set(shared)].toSorted()).toEqual([
      "anthropic-tool-use-needs-result > anthropic-tool-result-first-in-content",
      "bedrock-media-limits > anthropic-image-5mb",
      "gemini-image-signature > gemini-thought-signature-missing",
      "mistral-unknown-field > anthropic-extra-inputs",
      "openai-responses-call-needs-output > deepseek-responses-grouping",
    ])
  })
})

// The shortened forms in which people quote refusals in reports.
const phrases: Readonly<Record<string, string>> = {
  "tool_use ids were found without tool_result blocks": "anthropic-tool-use-needs-result",
  "Did not find 3 tool_result block(s) at the beginning": "anthropic-tool-use-needs-result",
  "unexpected tool_use_id found in tool_result blocks": "anthropic-orphan-tool-result",
  "tool_use ids must be unique": "anthropic-tool-use-id-unique",
  "tool_use.id should match ^[a-zA-Z0-9_-]+$": "anthropic-tool-id-pattern",
  "without a corresponding web_search_tool_result block": "anthropic-server-tool-dangling",
  "Invalid signature in thinking block": "anthropic-thinking-signature-invalid",
  "the block is bound to a different conversation": "anthropic-thinking-prefix-bound",
  "blocks in the latest assistant message cannot be modified": "anthropic-thinking-modified",
  "must contain non-whitespace text": "anthropic-empty-text",
  "must end with a user message": "anthropic-no-prefill",
  "no low surrogate in string": "anthropic-lone-surrogate",
  "must be followed by tool messages responding to each 'tool_call_id'": "openai-chat-tool-call-needs-response",
  "insufficient tool messages following": "openai-chat-tool-call-needs-response",
  "Duplicate value for 'tool_call_id'": "openai-chat-duplicate-call-id",
  "missing field tool_call_id": "openai-chat-call-id-missing",
  "arguments must be a valid JSON object string": "openai-chat-arguments-json",
  "invalid function arguments json string (2013)": "openai-chat-arguments-json",
  "tools are required when tool choice is specified": "openai-chat-tool-choice-without-tools",
  "No tool output found for function call": "openai-responses-call-needs-output",
  "No tool call found for function call output": "openai-responses-orphan-output",
  "input[4].call_id: string too long": "openai-responses-call-id-length",
  "Expected an ID that begins with 'msg'": "openai-responses-item-id-prefix",
  "provided without its required following item": "openai-responses-reasoning-needs-follower",
  "Item with id 'rs_1' not found": "openai-responses-item-not-found",
  "Duplicate item found with id rs_1": "openai-responses-duplicate-item",
  "number of function response parts is wrong": "gemini-call-response-count",
  "function call turn comes immediately after": "gemini-call-after-user",
  "missing thought_signature": "gemini-thought-signature-missing",
  "toolUse blocks at messages.3.content contain duplicate Ids": "bedrock-duplicate-call-ids",
  "toolConfig field must be defined": "bedrock-toolconfig-required",
  "Unexpected role 'tool' after role 'system'": "mistral-role-order",
  "Unexpected role 'system' after role 'tool'": "mistral-role-order",
  "reasoning_content in the thinking mode must be passed back": "deepseek-reasoning-required",
  "413 request_too_large": "anthropic-limits",
}

describe("classify", () => {
  it.each(Object.entries(phrases))("knows %j as %s", (phrase, id) => {
    expect(classify(phrase)?.rule.id).toBe(id)
  })
})
