/** Results that are JSON objects, as Gemini, Bedrock and Codex give them, in files of agents that have only texts. */
import { describe, expect, it } from "vitest"
import { convert, type Format } from "../../../src/index.ts"
import { allSessions } from "../../../src/registry/registry.ts"

const structured = { verdict: "Success. Updated one file", exit_code: 0 }

const sources: readonly (readonly [Format, unknown])[] = [
  [
    "gemini",
    {
      contents: [
        { role: "user", parts: [{ text: "Patch it" }] },
        { role: "model", parts: [{ functionCall: { name: "apply_patch", args: { input: "the patch" } } }] },
        { role: "user", parts: [{ functionResponse: { name: "apply_patch", response: structured } }] },
      ],
    },
  ],
  [
    "bedrock-converse",
    {
      messages: [
        { role: "user", content: [{ text: "Patch it" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "c1", name: "apply_patch", input: { input: "the patch" } } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "c1", content: [{ json: structured }] } }] },
      ],
    },
  ],
  [
    "codex-rollout",
    [
      { timestamp: "2025-01-01T00:00:00.000Z", type: "session_meta", payload: { id: "0196a1f0-0000-7000-8000-000000000000", cwd: "/p" } },
      {
        timestamp: "2025-01-01T00:00:00.000Z",
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Patch it" }] },
      },
      {
        timestamp: "2025-01-01T00:00:00.000Z",
        type: "response_item",
        payload: { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "the patch" },
      },
      {
        timestamp: "2025-01-01T00:00:00.000Z",
        type: "response_item",
        payload: { type: "custom_tool_call_output", call_id: "c1", output: structured },
      },
    ],
  ],
]

const writable = allSessions()
  .filter(({ session }) => session.writes === "any")
  .map(({ format }) => format)

describe.each(sources)("a structured result of %s", (from, value) => {
  it.each(writable)("keeps its content on the way to %s", (to) => {
    expect(JSON.stringify(convert(value, { from, to: to as Format }).value)).toContain("Success. Updated one file")
  })
})
