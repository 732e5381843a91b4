/** A repair may give the tool of a result another name, say where half a character stood in it: the record must say it. */
import { describe, expect, it } from "vitest"
import { encodePlainly } from "../../../src/convert/encode.ts"
import { decode } from "../../../src/convert/index.ts"
import { settle } from "../../../src/rules/index.ts"
import type { Conversation } from "../../../src/model/index.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const renamed = (conversation: Conversation): Conversation =>
  ({
    ...conversation,
    items: conversation.items.map((item) =>
      item.role !== "exchange"
        ? item
        : {
            ...item,
            outcomes: item.outcomes.map((outcome) =>
              outcome.result ? { ...outcome, result: { ...outcome.result, name: "renamed" } } : outcome,
            ),
          },
    ),
  }) as Conversation

describe("a result whose tool has another name", () => {
  it.each<readonly [string, readonly unknown[]]>([
    [
      "pi",
      [
        {
          type: "message",
          id: "a",
          message: { role: "assistant", content: [{ type: "toolCall", id: "c", name: "given", arguments: {} }] },
        },
        {
          type: "message",
          id: "b",
          parentId: "a",
          message: { role: "toolResult", toolCallId: "c", toolName: "given", content: [{ type: "text", text: "x" }] },
        },
      ],
    ],
    [
      "neovate",
      [
        {
          type: "message",
          uuid: "a",
          parentUuid: null,
          role: "assistant",
          content: [{ type: "tool_use", id: "c", name: "given", input: {} }],
        },
        {
          type: "message",
          uuid: "b",
          parentUuid: "a",
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c", toolName: "given", input: {}, result: { llmContent: "x" } }],
        },
      ],
    ],
    [
      "openhands-v0",
      [
        { id: 1, source: "agent", action: "run", args: {}, tool_call_metadata: { function_name: "given", tool_call_id: "c" } },
        {
          id: 2,
          source: "agent",
          cause: 1,
          observation: "run",
          content: "x",
          tool_call_metadata: { function_name: "given", tool_call_id: "c" },
        },
      ],
    ],
    [
      "openhands-v1",
      [
        {
          kind: "ActionEvent",
          id: "a",
          source: "agent",
          tool_name: "given",
          tool_call_id: "c",
          tool_call: { id: "c", name: "given", arguments: "{}" },
        },
        {
          kind: "ObservationEvent",
          id: "b",
          source: "environment",
          tool_name: "given",
          tool_call_id: "c",
          observation: { kind: "O", content: [{ type: "text", text: "x" }] },
        },
      ],
    ],
  ])("is written by %s", (format, records) => {
    const { conversation } = settle(decode(resolveCodec(format), records))
    const { value: request } = encodePlainly(renamed(conversation), format)
    const names = decode(resolveCodec(format), request).messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "result" ? [block.name] : [])),
    )
    expect(names).toEqual(["renamed"])
    expect(Object.values(encodePlainly(conversation, format).value)).toEqual([records])
  })
})
