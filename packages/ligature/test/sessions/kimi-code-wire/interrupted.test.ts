/** Kimi Code leaves a call that was interrupted without a result in its file, and answers it in each request. */
import { describe, expect, it } from "vitest"
import { decode } from "../../../src/convert/index.ts"
import "../../../src/registry/sessions.ts"
import { check } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"

const event = (fields: Wire): Wire => ({ type: "context.append_loop_event", event: fields })
const said = (text: string): Wire => ({
  type: "context.append_message",
  message: { role: "user", content: [{ type: "text", text }], toolCalls: [], origin: { kind: "user" } },
})

const killed = [
  { type: "metadata", protocol_version: "1.5", created_at: 1_795_067_381_068 },
  said("Wait"),
  event({ type: "step.begin", uuid: "s1", step: 1 }),
  event({ type: "tool.call", uuid: "c1", stepUuid: "s1", toolCallId: "Bash_0", name: "Bash", args: { command: "quick" } }),
  event({ type: "tool.call", uuid: "c2", stepUuid: "s1", toolCallId: "Bash_1", name: "Bash", args: { command: "slow" } }),
  event({ type: "tool.result", parentUuid: "c1", toolCallId: "Bash_0", result: { output: "quick" } }),
]

const resumed = [
  ...killed,
  said("Go on"),
  event({ type: "step.begin", uuid: "s2", step: 1 }),
  event({ type: "content.part", stepUuid: "s2", part: { type: "text", text: "I went on." } }),
  event({ type: "step.end", uuid: "s2", step: 1 }),
]

describe("a Kimi Code session that was killed while a tool ran", () => {
  it("has an open call", () => {
    expect(check(decode("kimi-code-wire", killed), { tip: "open" })).toEqual([])
    expect(check(decode("kimi-code-wire", killed), { tip: "closed" }).map(({ rule }) => rule)).toEqual(["unanswered-call"])
  })

  it("is healthy once the agent went on, as the agent sends it", () => {
    const transcript = decode("kimi-code-wire", resumed)
    expect(check(transcript)).toEqual([])
    const results = transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "result" ? [[block.callId, block.synthetic]] : [])),
    )
    expect(results).toEqual([
      ["Bash_0", undefined],
      ["Bash_1", "interrupted"],
    ])
  })
})
