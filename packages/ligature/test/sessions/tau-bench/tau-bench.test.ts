import { describe, expect, it } from "vitest"
import { openaiChat } from "../../../src/formats/openai-chat/index.ts"
import { tauBench } from "../../../src/sessions/tau-bench/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { syntheticTexts, type Wire } from "../../../src/model/index.ts"
import { chatMessages } from "./chat-messages.ts"
import { describeNeverThrows, describeOwnWriter } from "./own-writer.ts"

const run = (traj: readonly unknown[], more: Wire = {}): Wire => ({
  task_id: 3,
  reward: 1,
  info: { note: "kept" },
  traj,
  trial: 0,
  ...more,
})

describe("tau-bench", () => {
  const question = { role: "user", content: "Cancel my flight" }
  const made = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "cancel", arguments: "{}" } }],
  }
  const answer = { role: "tool", tool_call_id: "call_1", name: "cancel", content: "ok" }

  it("reads each run of a file as a session of its own", () => {
    const runs = [run([question]), { task_id: 4, error: "no trajectory" }, run([made], { trial: 1 })]
    expect(tauBench.session.sessionsIn?.(runs)).toEqual([
      { path: [0], value: runs[0] },
      { path: [2], value: runs[2] },
    ])
    expect(tauBench.session.recognise({ syntax: "value", records: [runs] })).toEqual({
      certainty: "certain",
      why: "its elements are runs with a task and the messages of their agent under traj",
    })
    expect(tauBench.session.outline(runs[2])).toEqual({
      id: "task 3, trial 1",
      paths: [{ id: "task 3, trial 1", kind: "active", messages: 1, first: 0 }],
      compactions: [],
    })
  })

  it("reads its messages as Chat Completions", () => {
    const value = run([question, made, answer])
    const { messages } = tauBench.decode(value)
    expect(messages).toEqual(openaiChat.decode([question, made, answer]).messages)
    expect(tauBench.encode(settle(tauBench.decode(value)).conversation)).toBe(value)
  })

  it("adds an outcome after a call that nobody answered and keeps the rest of the run", () => {
    const value = run([question, made, question])
    const written = tauBench.encode(settle(tauBench.decode(value)).conversation)
    expect(written).toEqual(run([question, made, { role: "tool", tool_call_id: "call_1", content: syntheticTexts.interrupted }, question]))
    expect((written["traj"] as readonly unknown[])[1]).toBe(made)
  })

  it("names the place of what it found in the list that the file has", () => {
    const [found] = tauBench.decode(run([question, 7])).diagnostics ?? []
    expect(found?.place).toEqual({ message: 1, path: "traj[1]" })
  })

  it("is not taken for by lists of other things", () => {
    for (const root of [[], [question], [{ task_id: 1 }], { traj: "text", task_id: 1 }, [[]], null]) {
      expect(tauBench.session.recognise({ syntax: "value", records: [root] })).toBeUndefined()
    }
  })
})

describeOwnWriter({
  codec: tauBench,
  build: (messages) => run(chatMessages(messages)),
  recordsOf: (value) => (value as Wire)["traj"] as readonly unknown[],
})
describeNeverThrows(tauBench, ["traj"])
