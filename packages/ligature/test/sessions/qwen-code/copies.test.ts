import { expect, it } from "vitest"
import "../../../src/registry/sessions.ts"
import { repair } from "../../../src/index.ts"

it("copies of one record that share their id with another record all get the same id in one repair", () => {
  const uuid = "26bcbad9-26be-8db5-94fd-42f12ed196aa"
  const copy = { uuid, type: "assistant", message: { role: "model", parts: { role: "tool", tool_call_id: "call_0", content: "found" } } }
  const value = {
    records: [{ type: "assistant", message: { parts: [{ functionCall: {} }] } }, ...Array.from({ length: 16 }, () => copy), { uuid }],
  }
  const once = repair(value, { from: "qwen-code" })
  const again = repair(once.value, { from: "qwen-code" })
  expect(again.report.entries).toEqual([])
  expect(again.value).toEqual(once.value)
})
