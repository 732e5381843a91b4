/** What streams of the AI SDK hold beside words and calls. */
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { type CallBlock, isWire } from "../../src/model/index.ts"
import { isExecutable, type Recorded } from "../../src/record/index.ts"
import { record } from "./record.ts"

const call = { type: "tool-call", toolCallId: "x", toolName: "a", input: { n: 1 } }
const end = [
  { type: "finish-step", finishReason: "tool-calls", usage: {} },
  { type: "finish", finishReason: "tool-calls" },
]

const contentOf = ({ message }: Recorded): unknown => {
  const wire = message.native?.["ai-sdk-model"]
  return isWire(wire) ? wire["content"] : undefined
}

const expectReadBack = (recorded: Recorded): void => {
  expect(decode("ai-sdk-model", [recorded.message.native?.["ai-sdk-model"]]).messages[0]).toEqual(recorded.message)
}

describe("a step of the AI SDK", () => {
  it("holds results of tools the SDK ran: they come beside the message, texts as texts, objects as JSON", () => {
    const recorded = record("ai-sdk-model", [
      call,
      { ...call, toolCallId: "y" },
      { type: "tool-result", toolCallId: "x", toolName: "a", output: "plain", preliminary: true },
      { type: "tool-result", toolCallId: "x", toolName: "a", output: "plain" },
      { type: "tool-error", toolCallId: "y", toolName: "a", error: new Error("boom") },
      ...end,
    ])
    expect(recorded.results?.map(({ callId, content, error }) => [callId, content, error])).toEqual([
      ["x", [{ type: "text", text: "plain" }], undefined],
      ["y", [{ type: "text", text: "boom" }], true],
    ])
    expect(contentOf(recorded)).toEqual([call, { ...call, toolCallId: "y" }])
  })

  it("holds tools the provider ran: kept whole, never executable", () => {
    const executed = { ...call, providerExecuted: true }
    const recorded = record("ai-sdk-model", [
      executed,
      { type: "tool-result", toolCallId: "x", toolName: "a", output: { r: 1 }, providerExecuted: true },
      ...end,
    ])
    expect(recorded.message.blocks.map((block) => block.type === "opaque" && [block.span, block.half])).toEqual([
      ["x", "call"],
      ["x", "result"],
    ])
    expect(recorded.stop).toBe("end")
    expectReadBack(recorded)
  })

  it("asks for approval: the call is pending", () => {
    const recorded = record("ai-sdk-model", [call, { type: "tool-approval-request", approvalId: "ap", toolCall: call }, ...end])
    expect(recorded.message.blocks[0]).toMatchObject({ type: "call", pending: "approval" })
    expectReadBack(recorded)
  })

  it("announces a call and never finishes it, although the stream ends", () => {
    const recorded = record("ai-sdk-model", [
      { type: "tool-input-start", id: "x", toolName: "a" },
      { type: "tool-input-delta", id: "x", delta: '{"n":1}' },
      { type: "tool-input-end", id: "x" },
      ...end,
    ])
    expect(recorded.message.blocks.map((block) => isExecutable(block as CallBlock))).toEqual([false])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["unfinished-call"])
  })

  it("holds files, and sources that are for the screen alone", () => {
    const recorded = record("ai-sdk-model", [
      { type: "file", file: { base64: "AAAA", mediaType: "image/png" } },
      { type: "source", sourceType: "url", url: "u" },
      ...end,
    ])
    expect(contentOf(recorded)).toEqual([{ type: "file", data: "AAAA", mediaType: "image/png" }])
    expect(recorded.problems).toEqual([])
    expectReadBack(recorded)
  })

  it("fails, or is stopped", () => {
    expect(record("ai-sdk-model", [call, { type: "error", error: new Error("boom") }])).toMatchObject({
      stop: "failed",
      error: { message: "boom" },
    })
    expect(record("ai-sdk-model", [call, { type: "error", errorText: "boom" }])).toMatchObject({
      stop: "failed",
      error: { message: "boom" },
    })
    expect(record("ai-sdk-model", [call, { type: "abort" }])).toMatchObject({ stop: "aborted", complete: false })
  })

  it("is followed by another, which needs a recorder of its own", () => {
    const recorded = record("ai-sdk-model", [call, end[0], { type: "start-step" }, { type: "text-delta", id: "0", text: "b" }])
    expect(contentOf(recorded)).toEqual([call])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["other-answer", "other-answer"])
  })

  it("speaks as version 4 did", () => {
    const recorded = record("ai-sdk-model", [
      { type: "reasoning", textDelta: "h" },
      { type: "reasoning-signature", signature: "c2ln" },
      { type: "redacted-reasoning", data: "ZW5j" },
      { type: "text-delta", textDelta: "a" },
      { type: "tool-call-streaming-start", toolCallId: "x", toolName: "a" },
      { type: "tool-call-delta", toolCallId: "x", toolName: "a", argsTextDelta: "{}" },
      { type: "tool-call", toolCallId: "x", toolName: "a", args: {} },
      { type: "step-finish", finishReason: "tool-calls", usage: { promptTokens: 3, completionTokens: 9 } },
    ])
    expect(recorded.message.blocks.map(({ type }) => type)).toEqual(["thinking", "thinking", "text", "call"])
    expect(recorded).toMatchObject({ stop: "calls", usage: { inputTokens: 3, outputTokens: 9 }, problems: [] })
    expectReadBack(recorded)
  })
})
