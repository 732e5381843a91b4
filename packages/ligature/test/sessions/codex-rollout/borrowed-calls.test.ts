import { expect, it } from "vitest"
import "../../../src/registry/sessions.ts"
import { repair } from "../../../src/index.ts"

const meta = {
  timestamp: "2026-01-01T00:00:00.000Z",
  type: "session_meta",
  payload: { id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w", originator: "codex", cli_version: "0.1" },
}
const message = { role: "assistant", content: "a", tool_calls: [{ function: { name: "ls" } }] }

it("calls that a message has in the way of another API become items, once", () => {
  const files = [
    ["codex-rollout-old", [message]],
    ["codex-rollout", [meta, { timestamp: meta.timestamp, type: "response_item", payload: message }]],
  ] as const
  for (const [format, value] of files) {
    const once = repair(value, { from: format })
    expect(JSON.stringify(once.value).match(/"function_call"/g)).toHaveLength(1)
    const again = repair(once.value, { from: format })
    expect([again.report.entries, again.value]).toEqual([[], once.value])
  }
})

const thinking = { type: "thinking", thinking: "a long look" }
const call = { type: "tool_use", id: "a", name: "ls", input: {} }

it.each([
  ["no calls", { role: "assistant", content: "a", tool_calls: null }],
  ["calls that are none", { role: "assistant", tool_calls: [{}, "now", null] }],
  ["a call among them", { role: "assistant", tool_calls: [null, { function: { name: "ls" } }] }],
  ["calls and thinking among its parts", { role: "assistant", content: [thinking, call] }],
  ["text, calls and thinking among its parts", { role: "assistant", content: [thinking, { type: "text", text: "I look" }, call] }],
])("a message of another API with %s is written as items, once", (_, wire) => {
  const once = repair([wire], { from: "codex-rollout-old" })
  const again = repair(once.value, { from: "codex-rollout-old" })
  expect([again.report.entries, again.value]).toEqual([[], once.value])
  if (JSON.stringify(wire).includes("a long look")) expect(JSON.stringify(once)).toContain("a long look")
})
