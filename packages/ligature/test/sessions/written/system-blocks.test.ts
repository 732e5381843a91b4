/** Session formats that keep the system text beside the messages have no place there for anything but text. */
import { describe, expect, it } from "vitest"
import { convert } from "../../../src/index.ts"
import { allSessions } from "../../../src/registry/registry.ts"

const media = "aGlnaC1yZXNvbHV0aW9uLXBpY3R1cmU="

const request = {
  model: "some-model",
  system: [
    { type: "text", text: "Answer briefly." },
    { type: "image", source: { type: "base64", media_type: "image/png", data: media } },
    { type: "strange", payload: "a payload nobody knows" },
  ],
  messages: [
    { role: "user", content: "Hello there" },
    { role: "assistant", content: "Hello back" },
  ],
}

const writable = allSessions()
  .filter(({ session }) => session.writes === "any")
  .map(({ format }) => format)

describe("a system message with more than text", () => {
  it.each(writable)("keeps all of it, or reports it, on the way to %s", (to) => {
    const { value, report } = convert(request, { from: "anthropic", to: to as "pi" })
    const kept = JSON.stringify([value, report])
    for (const part of ["Answer briefly.", "a payload nobody knows", media, "Hello there", "Hello back"]) expect(kept).toContain(part)
  })
})
