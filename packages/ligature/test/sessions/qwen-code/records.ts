/** Records as Qwen Code writes them, made up for these tests. */
import type { Wire } from "../../../src/model/index.ts"

export const session = "0b7c0c1e-0000-4000-8000-00000000000a"

export const record = (number: number, type: string, fields: Wire): Wire => ({
  uuid: `0b7c0c1e-0000-4000-8000-${String(number).padStart(12, "0")}`,
  parentUuid: number === 1 ? null : `0b7c0c1e-0000-4000-8000-${String(number - 1).padStart(12, "0")}`,
  sessionId: session,
  timestamp: `2026-09-01T10:00:${String(number).padStart(2, "0")}.000Z`,
  type,
  cwd: "/project",
  version: "0.21.0",
  ...fields,
})

export const content = (role: string, ...parts: readonly Wire[]): Wire => ({ message: { role, parts } })

export const functionCall = (id: string, name: string, args: Wire = {}): Wire => ({ functionCall: { id, name, args } })

export const functionResponse = (id: string, name: string, output: string): Wire => ({
  functionResponse: { id, name, response: { output } },
})

export const compressed: readonly Wire[] = [
  { role: "user", parts: [{ text: "Summary: two files were listed." }] },
  { role: "model", parts: [{ text: "Understood." }] },
]

/** Parallel calls, bookkeeping inside the chain, a compression and more work after it. */
export const records: readonly Wire[] = [
  record(1, "user", content("user", { text: "list the files" })),
  record(2, "system", { subtype: "ui_telemetry", systemPayload: { uiEvent: { "event.name": "qwen-code.api_response" } } }),
  record(3, "assistant", {
    ...content(
      "model",
      { text: "both at once", thought: true },
      functionCall("call_a", "ls"),
      functionCall("call_b", "cat", { path: "a" }),
    ),
    model: "qwen-coder",
  }),
  record(4, "tool_result", {
    ...content("user", functionResponse("call_a", "ls", "a b")),
    toolCallResult: { callId: "call_a", status: "success" },
  }),
  record(5, "tool_result", content("user", functionResponse("call_b", "cat", "hello"))),
  record(6, "assistant", content("model", { text: "two files" })),
  record(7, "system", { subtype: "chat_compression", systemPayload: { info: { originalTokenCount: 90 }, compressedHistory: compressed } }),
  record(8, "user", content("user", { text: "and now?" })),
  record(9, "assistant", content("model", functionCall("call_c", "ls"))),
  record(10, "tool_result", content("user", functionResponse("call_c", "ls", "c"))),
  record(11, "assistant", content("model", { text: "done" })),
]
