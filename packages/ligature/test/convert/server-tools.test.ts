/** Tools that a provider ran itself: their words stay where the tool cannot. */
import { describe, expect, it } from "vitest"
import { convert, repair } from "../../src/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const long = `log ${"x".repeat(5000)} end`

const user = (content: string) => ({ role: "user", content })

describe("half of a tool that the provider ran", () => {
  it("leaves what came back as text when the call is gone", () => {
    const lost = { type: "mcp_tool_result", tool_use_id: "mcp_1", is_error: false, content: [{ type: "text", text: long }] }
    const value = { messages: [user("Look"), { role: "assistant", content: [lost, { type: "text", text: "Done." }] }, user("So?")] }
    const { value: repaired, report } = repair(value, { from: "anthropic" })
    expect(repaired).toEqual({
      messages: [
        user("Look"),
        {
          role: "assistant",
          content: [
            { type: "text", text: long },
            { type: "text", text: "Done." },
          ],
        },
        user("So?"),
      ],
    })
    expect(report.entries.map(({ rule, kind }) => [rule, kind])).toEqual([["split-span", "demote"]])
  })

  it("leaves what was asked as text when nothing came back", () => {
    const open = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "ligature" } }
    const value = { messages: [user("Look"), { role: "assistant", content: [open] }, user("So?")] }
    expect(repair(value, { from: "anthropic" }).value).toEqual({
      messages: [user("Look"), { role: "assistant", content: [{ type: "text", text: '[web_search: {"query":"ligature"}]' }] }, user("So?")],
    })
  })
})

describe("a whole tool that the provider ran, in another format", () => {
  it.each([
    [
      "anthropic",
      "code_execution",
      {
        messages: [
          user("Run"),
          {
            role: "assistant",
            content: [
              { type: "server_tool_use", id: "srv_1", name: "code_execution", input: { code: "print(1)" } },
              {
                type: "code_execution_tool_result",
                tool_use_id: "srv_1",
                content: { type: "code_execution_result", stdout: long, stderr: "", return_code: 0, content: [] },
              },
            ],
          },
          user("So?"),
        ],
      },
    ],
    [
      "openai-responses",
      "code_interpreter_call",
      {
        input: [
          user("Run"),
          {
            type: "code_interpreter_call",
            id: "ci_1",
            code: "print(1)",
            container_id: "c",
            status: "completed",
            outputs: [{ type: "logs", logs: long }],
          },
          user("So?"),
        ],
      },
    ],
    [
      "openai-responses",
      "mcp_call",
      {
        input: [
          user("Run"),
          { type: "mcp_call", id: "mcp_1", server_label: "files", name: "read", arguments: "{}", output: long },
          user("So?"),
        ],
      },
    ],
  ])("keeps all that came back: %s %s", (from, _, value) => {
    for (const to of ["openai-chat", "gemini"]) {
      expect(JSON.stringify(convert(value, { from: resolveCodec(from), to: resolveCodec(to) }).value)).toContain(long)
    }
  })
})
