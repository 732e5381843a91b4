import { describe, expect, it } from "vitest"
import { sweAgent } from "../../../src/sessions/swe-agent/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { flatten, syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { chatMessages } from "../tau-bench/chat-messages.ts"
import { describeNeverThrows, describeOwnWriter, gist } from "../tau-bench/own-writer.ts"

const step = { action: "ls", observation: "a.py", response: "", thought: "", state: {} }
const trajectory = (history: readonly unknown[]): Wire => ({
  environment: "swe_main",
  trajectory: [step],
  history,
  info: { exit_status: "submitted" },
  replay_config: "{}",
})

const prompt = { role: "user", content: "Fix the bug", agent: "main", message_type: "observation" }
const call = (id: string, command: string): Wire => ({
  id,
  type: "function",
  function: { name: "bash", arguments: JSON.stringify({ command }) },
})
const made = (id: string, command: string): Wire => ({
  role: "assistant",
  content: "I look.",
  thought: "I look.",
  action: command,
  agent: "main",
  message_type: "action",
  tool_calls: [call(id, command)],
})
const seen = (id: string, content: string): Wire => ({
  role: "tool",
  content,
  agent: "main",
  message_type: "observation",
  tool_call_ids: [id],
})

describe("SWE-agent", () => {
  it("pairs results with their calls by tool_call_ids, without complaint", () => {
    const value = trajectory([prompt, made("a", "ls"), seen("a", "a.py")])
    const transcript = sweAgent.decode(value)
    expect(transcript.diagnostics).toBeUndefined()
    const { conversation, report } = settle(transcript)
    expect(report.entries).toEqual([])
    expect(gist(flatten(conversation).messages)).toEqual([
      { user: "Fix the bug" },
      { assistant: "I look." },
      { call: "a", name: "bash", arguments: { command: "ls" } },
      { result: "a", says: "a.py", error: false },
    ])
    expect(sweAgent.encode(conversation)).toBe(value)
  })

  it("gives ids that repeat to one call each, and writes results as the agent does", () => {
    const value = trajectory([prompt, made("a", "ls"), seen("a", "one"), made("a", "pwd"), seen("a", "two"), made("b", "x"), prompt])
    const written = sweAgent.encode(settle(sweAgent.decode(value)).conversation)
    const history = written["history"] as readonly Wire[]
    expect(history.slice(0, 3)).toEqual([prompt, made("a", "ls"), seen("a", "one")])
    const [call2] = ((history[3] ?? {})["tool_calls"] ?? []) as readonly Wire[]
    const renamed = String(call2?.["id"])
    expect(renamed).not.toBe("a")
    expect(history.slice(3)).toEqual([
      made(renamed, "pwd"),
      seen(renamed, "two"),
      made("b", "x"),
      { role: "tool", content: syntheticTexts.interrupted, tool_call_ids: ["b"] },
      prompt,
    ])
    expect(history[1]).toBe((value["history"] as readonly unknown[])[1])
    expect(history[2]).toBe((value["history"] as readonly unknown[])[2])
    expect({ ...written, history: [] }).toEqual({ ...value, history: [] })
  })

  it("leaves actions in text where the model had no native calls", () => {
    const action = {
      role: "assistant",
      content: "DISCUSSION\nlist files\n```\nls\n```",
      thought: "list files",
      action: "ls\n",
      agent: "primary",
    }
    const { messages } = sweAgent.decode(trajectory([prompt, action]))
    expect(messages.map(({ role, blocks }) => [role, blocks])).toEqual([
      ["user", [{ type: "text", text: "Fix the bug" }]],
      ["assistant", [{ type: "text", text: action.content }]],
    ])
  })

  it("reads mini-swe-agent, whose last record is no message", () => {
    const exit = { role: "exit", content: "Submitted", extra: {} }
    const asked = { role: "user", content: "Fix", extra: { timestamp: 1 } }
    const mini = {
      info: { mini_version: "2.0" },
      messages: [asked, made("a", "ls"), exit],
      trajectory_format: "mini-swe-agent-1.1",
      instance_id: "i-1",
    }
    expect(sweAgent.session.recognise({ syntax: "value", records: [mini] })).toEqual({
      certainty: "certain",
      why: "trajectory_format names mini-swe-agent",
    })
    expect(sweAgent.session.outline(mini)).toEqual({
      id: "i-1",
      agentVersion: "2.0",
      paths: [{ id: "i-1", kind: "active", messages: 2, first: 0 }],
      compactions: [],
    })
    const written = sweAgent.encode(settle(sweAgent.decode(mini)).conversation)
    expect(written).toEqual({
      ...mini,
      messages: [asked, made("a", "ls"), { role: "tool", tool_call_id: "a", content: syntheticTexts.interrupted }, exit],
    })
  })

  it("is not taken for by message lists, histories alone or trajectories of others", () => {
    for (const root of [[prompt], { history: [prompt] }, { trajectory: [{ step: 1 }], history: [] }, { messages: [prompt] }, null]) {
      expect(sweAgent.session.recognise({ syntax: "value", records: [root] })).toBeUndefined()
    }
  })
})

const asRecord = (wire: Wire): Wire => {
  const { tool_call_id: id, ...rest } = wire
  return wire["role"] === "tool" && id !== undefined ? { ...rest, tool_call_ids: [id] } : wire
}

describeOwnWriter({
  codec: sweAgent,
  build: (messages) => trajectory(chatMessages(messages).map(asRecord)),
  recordsOf: (value) => (value as Wire)["history"] as readonly unknown[],
})
describeNeverThrows(sweAgent, ["history", "messages"])
