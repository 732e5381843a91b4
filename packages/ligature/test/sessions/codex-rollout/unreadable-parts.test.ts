import { describe, expect, it } from "vitest"
import { convert } from "../../../src/convert/index.ts"
import { codexRolloutOld } from "../../../src/sessions/codex-rollout-old/index.ts"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { item, meta, spokenItem, userItem } from "./records.ts"

describe("parts of items that could not be read", () => {
  it("are written as the text they were shown as, whoever said them", () => {
    const odd = { ...spokenItem(""), content: [{ type: "output_text", text: 42 }] }
    const asked = { ...userItem(""), content: [{ type: "input_text", text: 42 }] }
    const records = [meta(), item(userItem("hi")), item(odd, 2), item(asked, 3)]
    const back = codexRollout.encode(settle(codexRollout.decode(records)).conversation)["records"] as readonly Wire[]
    expect(back.slice(2).map(({ payload }) => (payload as Wire)["content"])).toEqual([
      [{ type: "output_text", text: '{"type":"output_text","text":42}' }],
      [{ type: "input_text", text: '{"type":"input_text","text":42}' }],
    ])
    expect(check(codexRollout.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })

  it("are written as text too where they name the type of an item", () => {
    for (const type of ["function_call", "function_call_output"]) {
      const content = { type, call_id: "a", name: "bash", arguments: '{"command":"rm"}', output: "" }
      const records = [{ role: "user", content }, spokenItem("ok")]
      const { value } = convert(records, { from: codexRolloutOld, to: codexRollout })
      expect(check(codexRollout.decode(value)).filter(({ severity }) => severity === "error")).toEqual([])
      expect(codexRollout.decode(value).messages[0]?.blocks).toMatchObject([{ type: "text", text: JSON.stringify(content) }])
    }
  })
})

describe("a rollout of old", () => {
  it("is recognised in spite of a record that nobody knows", () => {
    const header = { id: "a", timestamp: "2025-08-30T11:49:52.079Z", instructions: null }
    const records = [header, { record_type: "state" }, { strange: true, id: 1 }, userItem("hi")]
    expect(codexRolloutOld.session.recognise({ syntax: "lines", records })?.certainty).toBe("certain")
  })
})
