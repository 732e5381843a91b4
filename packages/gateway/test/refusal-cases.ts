/**
 * Histories that provoke refusals for which the strict fake providers have no example: another provider of the same wire
 * says them, or one behind a router. `refuses` is what that provider objects to.
 */
import type { FakeApi } from "ligature/testing"

type Json = Readonly<Record<string, any>>

export interface RefusalCase {
  readonly api: FakeApi
  readonly body: Json
  readonly refuses: (body: Json) => boolean
}

const hi = { role: "user", content: "hi" }
const use = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "ls", input: {}, ...more })
const answer = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more })
const called = (id: string, more: object = {}) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "ls", arguments: "{}" } }],
  ...more,
})
const told = (id: string, content = "ok") => ({ role: "tool", tool_call_id: id, content })
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const claude = (messages: readonly unknown[], refuses: RefusalCase["refuses"], more: object = {}): RefusalCase => ({
  api: "anthropic",
  body: { max_tokens: 4000, ...more, messages },
  refuses,
})
const chat = (messages: readonly unknown[], refuses: RefusalCase["refuses"], more: object = {}): RefusalCase => ({
  api: "openai-chat",
  body: { ...more, messages },
  refuses,
})
const responses = (input: readonly unknown[], refuses: RefusalCase["refuses"], more: object = {}): RefusalCase => ({
  api: "openai-responses",
  body: { ...more, input },
  refuses,
})

const text = (body: Json): string => JSON.stringify(body)
const has = (words: string) => (body: Json) => text(body).includes(words)
const sameRoles = ({ messages }: Json): boolean => messages.some((each: Json, at: number) => each["role"] === messages[at + 1]?.role)
const idsOf = ({ messages }: Json): readonly string[] =>
  messages.flatMap((each: Json) => each["tool_calls"] ?? []).map(({ id }: Json) => id)
const told2 = ({ messages }: Json): readonly string[] =>
  messages.flatMap((each: Json) => (each["role"] === "tool" ? [each["tool_call_id"]] : []))

const thought = (signature: string) => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", signature },
    { type: "text", text: "ok" },
  ],
})

const unanswered = (body: Json): boolean => idsOf(body).length !== told2(body).length
const wants = { tools: [{ type: "function", function: { name: "ls" } }] }

export const refusalCases: Readonly<Record<string, RefusalCase>> = {
  "anthropic-tools-param-with-tool-history": claude(
    [hi, { role: "assistant", content: [use("a")] }, { role: "user", content: [answer("a")] }],
    ({ tools }) => tools === undefined,
  ),
  "anthropic-role-alternation": claude([hi, hi], sameRoles),
  "anthropic-thinking-modified": claude([hi, thought("odd"), hi], has('"thinking"')),
  "anthropic-thinking-prefix-bound": claude([hi, thought("odd"), hi], has('"thinking"')),
  "anthropic-effort-thinking-off": claude([hi], ({ output_config: output }) => output.effort === "xhigh", {
    output_config: { effort: "xhigh" },
  }),
  "anthropic-document-name": claude(
    [
      {
        role: "user",
        content: [{ type: "document", title: "a/b.txt", source: { type: "text", media_type: "text/plain", data: "hello" } }],
      },
    ],
    has("a/b.txt"),
  ),
  "anthropic-compaction-incomplete-turn": claude([hi, { role: "assistant", content: [use("a")] }, hi], (body) => !has("tool_result")(body)),
  "anthropic-thread-errors": claude([hi], ({ thread }) => thread !== undefined, { thread: "t" }),
  "openai-responses-encrypted-content": responses(
    [hi, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" }, { role: "assistant", content: "ok" }, hi],
    has("gAAAA"),
  ),
  "openai-responses-previous-not-found": responses([hi], has("resp_gone"), { previous_response_id: "resp_gone" }),
  "gemini-image-signature": {
    api: "gemini",
    body: {
      contents: [
        { role: "user", parts: [{ text: "draw" }] },
        { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: png } }] },
        { role: "user", parts: [{ text: "again" }] },
      ],
    },
    refuses: (body) => has("inlineData")(body) && !has("thoughtSignature")(body),
  },
  "bedrock-starts-with-user": chat([{ role: "assistant", content: "ok" }, hi], ({ messages }) => messages[0].role !== "user"),
  "bedrock-alternate": chat([hi, hi], sameRoles),
  "bedrock-missing-toolresult": chat([hi, called("a"), hi], unanswered),
  "bedrock-excess-toolresult": chat([hi, called("a"), told("a"), told("b"), hi], unanswered),
  "bedrock-mixed-toolresult-text": chat([hi, called("a"), told("a"), hi], ({ messages }) =>
    messages.some((each: Json, at: number) => each["role"] === "tool" && messages[at + 1]?.role === "user"),
  ),
  "bedrock-mixed-tooluse-text": chat([hi, called("a", { content: "let me see" }), told("a"), hi], ({ messages }) =>
    messages.some((each: Json) => each["tool_calls"] !== undefined && Boolean(each["content"])),
  ),
  "bedrock-toolconfig-required": chat([hi, called("a"), told("a"), hi], ({ tools }) => tools === undefined),
  "bedrock-error-result-empty": chat([hi, called("a"), told("a", ""), hi], ({ messages }) =>
    messages.some((each: Json) => each["role"] === "tool" && each["content"] === ""),
  ),
  "bedrock-blank-text": chat([hi, { role: "assistant", content: " " }, hi], ({ messages }) =>
    messages.some((each: Json) => typeof each["content"] === "string" && each["content"].trim() === ""),
  ),
  "bedrock-document-names": chat(
    [
      {
        role: "user",
        content: [1, 2].map(() => ({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } })),
      },
    ],
    (body) => (text(body).match(/"a\.pdf"/g) ?? []).length > 1,
  ),
  "bedrock-reasoning-signature-unsupported": claude([hi, thought("odd"), hi], has('"signature"')),
  "bedrock-media-limits": claude(
    [{ role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }] }],
    has('"image"'),
  ),
  "deepseek-anthropic-thinking": claude(
    [hi, { role: "assistant", content: [use("a")] }, { role: "user", content: [answer("a")] }],
    ({ thinking }) => thinking?.type !== "disabled",
    { thinking: { type: "enabled", budget_tokens: 2000 } },
  ),
  "deepseek-responses-grouping": responses(
    [
      hi,
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
      { role: "user", content: "quick" },
      { type: "function_call_output", call_id: "a", output: "ok" },
    ],
    ({ input }) => input[2]?.type !== "function_call_output",
  ),
  "minimax-tool-id-not-found": chat([hi, told("x"), hi], (body) => told2(body).length > 0),
  "bedrock-duplicate-call-ids": chat([hi, called("a"), told("a"), called("a"), told("a"), hi], (body) => new Set(idsOf(body)).size < 2),
  "bedrock-duplicate-result-ids": chat([hi, called("a"), told("a"), told("a", "other"), hi], (body) => told2(body).length > 1),
  "openai-chat-duplicate-call-id": chat([hi, called("a"), told("a"), called("a"), told("a"), hi], (body) => new Set(idsOf(body)).size < 2),
  "openai-chat-call-id-missing": chat([hi, called("a"), { role: "tool", content: "ok" }, hi], ({ messages }) =>
    messages.some((each: Json) => each["role"] === "tool" && each["tool_call_id"] === undefined),
  ),
  "openai-chat-call-name-missing": chat(
    [hi, { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { arguments: "{}" } }] }, told("a"), hi],
    ({ messages }) => messages.some(({ tool_calls: calls = [] }: Json) => calls.some((call: Json) => !call["function"].name)),
  ),
  "openai-chat-content-missing": chat([hi, called("a", { content: undefined }), told("a"), hi], ({ messages }) =>
    messages.some((each: Json) => typeof each["content"] !== "string"),
  ),
  "mimo-content-part": chat([hi, called("a"), told("a"), hi], ({ messages }) => messages.some((each: Json) => !each["content"])),
  "openai-chat-tool-choice-without-tools": chat([hi], (body) => body["tool_choice"] !== undefined, { tool_choice: "auto" }),
  "anthropic-lone-surrogate": claude([{ role: "user", content: "half \ud83d" }], (body) => /\\ud83d(?!\\ud)/i.test(text(body))),
  "mistral-unknown-field": chat([{ ...hi, tool_calls: [] }], ({ messages }) => messages[0].tool_calls !== undefined, wants),
}

/** Why a refusal goes on to the client. Everything else has to be healed, or never happens. */
export const passedOn: Readonly<Record<string, string>> = {
  "anthropic-tool-use-name-length": "the name is in the client's own list of tools",
  "anthropic-tool-input-schema": "the schema is in the client's own list of tools",
  "openai-chat-tools-max-128": "which tools to leave out is the client's choice",
  "openai-string-length": "a text of ten million characters is shortened by compaction, not here",
  "anthropic-document-name": "the name of a document is the client's own",
  "bedrock-document-names": "the name of a document is the client's own",
  "anthropic-compaction-block-placement": "the state of a compaction is the provider's",
  "anthropic-thread-errors": "the state of a thread is the provider's",
  "openai-responses-previous-not-found": "clients send everything again on this very error",
}
