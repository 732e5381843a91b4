import { describe, expect, it } from "vitest"
import { goose } from "../../../src/sessions/goose/index.ts"

const message = (role: string, words: string) => ({ role, created: 1_784_278_801, content: [{ type: "text", text: words }] })

describe("a file of Goose without its first line", () => {
  it("is likely one by the seconds on its messages", () => {
    const records = [message("user", "Say hello"), message("assistant", "Hello!")]
    expect(goose.session.recognise({ syntax: "lines", records })?.certainty).toBe("likely")
    expect(goose.session.recognise({ syntax: "value", records: records.slice(0, 1) })).toBeUndefined()
  })
})
