/** Results that are JSON objects, as Gemini, Bedrock and Codex give them, in files of agents that have only texts. */
import { describe, expect, it } from "vitest"
import { convert } from "../../../src/index.ts"
import { allSessions } from "../../../src/registry/registry.ts"

const contents = [
  { role: "user", parts: [{ text: "Patch it" }] },
  { role: "model", parts: [{ functionCall: { name: "apply_patch", args: { input: "the patch" } } }] },
  { role: "user", parts: [{ functionResponse: { name: "apply_patch", response: { verdict: "Success. Updated one file", exit_code: 0 } } }] },
]

const writable = allSessions().filter(({ session }) => session.writes === "any").map(({ format }) => format)

describe("a structured result", () => {
  it.each(writable)("keeps its content on the way to %s", (to) => {
    const { value } = convert({ contents }, { from: "gemini", to: to as "pi" })
    expect(JSON.stringify(value)).toContain("Success. Updated one file")
  })
})
