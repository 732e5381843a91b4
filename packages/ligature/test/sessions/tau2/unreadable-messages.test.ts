import { describe, expect, it } from "vitest"
import { tau2 } from "../../../src/sessions/tau2/index.ts"
import { check, settle } from "../../../src/rules/index.ts"

describe("messages of tau2 that could not be read", () => {
  it("are written as the text they were shown as", () => {
    const question = { role: "user", content: "Where is it?", tool_calls: null }
    const messages = [question, { role: null, content: "x" }, 42]
    const value = { id: "s", task_id: "7", termination_reason: "user_stop", messages }
    const back = tau2.encode(settle(tau2.decode(value)).conversation)
    expect(back["messages"]).toEqual([
      question,
      { role: "user", content: '{"role":null,"content":"x"}', tool_calls: null },
      { role: "user", content: "42", tool_calls: null },
    ])
    expect(check(tau2.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })
})
