import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { opencodeExport } from "../../../src/sessions/opencode-export/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { describeCorpus, describeHostility, describeWriting } from "../gemini-cli/session-suite.ts"
import { completed, model, part, session, text, toolPart } from "./session.ts"

describeWriting(opencodeExport)

const id = fc.constantFrom("a", "b", "REDACTED", "")
const state = fc.oneof(
  fc.jsonValue(),
  fc.record({
    status: fc.constantFrom("pending", "running", "completed", "error", "?"),
    input: fc.oneof(fc.jsonValue(), fc.constant({})),
    output: fc.oneof(fc.string(), fc.jsonValue()),
    error: fc.oneof(fc.string(), fc.jsonValue()),
    raw: fc.constantFrom("", '{"a":', "{}"),
    time: fc.oneof(fc.jsonValue(), fc.constant({ compacted: 1 })),
    metadata: fc.oneof(fc.jsonValue(), fc.constant({ interrupted: true, output: "half" })),
  }),
)
const anyPart = fc.oneof(
  fc.jsonValue(),
  fc.record({
    id,
    type: fc.constantFrom("text", "reasoning", "tool", "file", "step-start", "step-finish", "compaction", "?"),
    text: fc.oneof(fc.string(), fc.jsonValue()),
    callID: fc.oneof(id, fc.jsonValue()),
    tool: fc.constantFrom("ls", "cat", ""),
    state,
    url: fc.oneof(fc.string(), fc.constant("data:image/png;base64,AA")),
  }),
)
const message = fc.oneof(
  fc.jsonValue(),
  fc.record({
    info: fc.record({
      id: fc.oneof(id, fc.jsonValue()),
      role: fc.constantFrom("user", "assistant", "?"),
      error: fc.constantFrom(undefined, { name: "MessageAbortedError" }, { name: "APIError" }),
      summary: fc.constantFrom(undefined, true),
      system: fc.constantFrom(undefined, "Be brief."),
    }),
    parts: fc.oneof(fc.jsonValue(), fc.array(anyPart, { maxLength: 5 })),
  }),
)
const info = fc.oneof(fc.jsonValue(), fc.record({ id, revert: fc.record({ messageID: id, partID: id }) }))
const value = fc.oneof(fc.jsonValue(), fc.record({ info, messages: fc.oneof(fc.jsonValue(), fc.array(message, { maxLength: 6 })) }))

describeHostility(opencodeExport, value)

describe("many messages", () => {
  it("are read and written, whatever ids they have", () => {
    const messages: Wire[] = []
    for (let index = 0; index < 10_000; index++) {
      messages.push(model("REDACTED", [part("step-start"), text("x"), toolPart("REDACTED", "ls", completed("y"))]))
    }
    const read = opencodeExport.decode(session(...messages))
    opencodeExport.encode({ ...read, items: [] } as never)
    opencodeExport.session.outline(session(...messages))
    expect(read.messages.length).toBe(20_000)
  })
})

describeCorpus({
  codecs: [opencodeExport],
  folder: "opencode-export",
  messagesIn: (root) => (root as { readonly messages: readonly unknown[] }).messages.length,
})
