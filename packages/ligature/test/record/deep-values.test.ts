import { describe, expect, it } from "vitest"
import { jsonText, type Wire } from "../../src/model/index.ts"
import type { RecordedFormat } from "../../src/record/index.ts"
import { record } from "./record.ts"

const levels = 20_000
const deep: unknown = JSON.parse(`${'{"a":'.repeat(levels)}"needle"${"}".repeat(levels)}`)

const streams: Readonly<Record<string, readonly unknown[]>> = {
  anthropic: [
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "ls", input: deep } },
    { type: "content_block_start", index: 1, content_block: { type: "something_new", payload: deep } },
    { type: "unheard_of", deep },
    { type: "message_stop" },
  ],
  "openai-chat": [
    { choices: [{ delta: { tool_calls: [{ index: 0, id: "a", function: { name: "ls", arguments: deep } }] } }] },
    { choices: [{ delta: { content: [{ type: "something_new", payload: deep }], reasoning_details: [{ type: "x", data: deep }] } }] },
    { unheard: deep },
    "[DONE]",
  ],
  "openai-responses": [
    { type: "response.output_item.done", output_index: 0, item: { type: "shell_call", call_id: "a", action: deep } },
    { type: "response.output_item.done", output_index: 1, item: { type: "something_new", payload: deep } },
    { type: "unheard_of", deep },
    { type: "response.completed", response: { id: "r" } },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ functionCall: { name: "ls", args: deep } }, { somethingNew: deep }] } }] },
    { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] },
  ],
  "ai-sdk-model": [
    { type: "tool-call", toolCallId: "a", toolName: "ls", input: deep },
    { type: "unheard_of", deep },
    { type: "finish", finishReason: "tool-calls" },
  ],
}

describe("values that are nested by thousands", () => {
  it.each(Object.entries(streams))("end no recording of %s, and nothing of them is lost", (format, events) => {
    for (const cause of ["complete", "cut"] as const) {
      const recorded = record(format as RecordedFormat, events, { cause })
      expect(jsonText(recorded)).toContain("needle")
      expect(() => JSON.stringify(recorded.message satisfies object as unknown as Wire)).not.toThrow()
    }
  })
})
