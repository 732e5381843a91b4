import { describe, expect, it } from "vitest"
import { opencodeExport } from "../../../src/sessions/opencode-export/index.ts"
import { info, model, text, user } from "./session.ts"

describe("an id of an export that names nothing", () => {
  it("is named, because writing gives a new one", () => {
    const value = { info, messages: [user("msg_1", text("hi")), model("REDACTED", [text("hello")])] }
    const { diagnostics } = opencodeExport.decode(value)
    expect(diagnostics?.map(({ rule, ids }) => [rule, ids])).toEqual([["duplicate-record-id", ["REDACTED"]]])
  })
})
