import fc from "fast-check"
import { geminiCli } from "../../../src/sessions/gemini-cli/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { metadata } from "./records.ts"
import { describeCorpus, describeHostility, describeWriting } from "./session-suite.ts"

describeWriting(geminiCli)

const id = fc.constantFrom("a", "b", "c", "d")
const part = fc.oneof(
  fc.jsonValue(),
  fc.record({ text: fc.oneof(fc.string(), fc.jsonValue()) }),
  fc.record({ functionCall: fc.record({ id, name: fc.string() }) }),
  fc.record({ functionResponse: fc.record({ id, name: fc.string(), response: fc.jsonValue() }) }),
)
const toolCall = fc.oneof(
  fc.jsonValue(),
  fc.record({
    id: fc.oneof(id, fc.jsonValue()),
    name: fc.constantFrom("ls", "cat", ""),
    args: fc.jsonValue(),
    result: fc.oneof(fc.constant(null), fc.jsonValue(), fc.array(part, { maxLength: 3 })),
    status: fc.constantFrom("success", "error", "cancelled", "executing", "?"),
  }),
)
const message = fc.record({
  id: fc.oneof(id, fc.jsonValue()),
  type: fc.constantFrom("user", "gemini", "info", "?"),
  content: fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }), part),
  thoughts: fc.oneof(fc.jsonValue(), fc.array(fc.record({ subject: fc.string(), description: fc.string() }), { maxLength: 2 })),
  toolCalls: fc.oneof(fc.jsonValue(), fc.array(toolCall, { maxLength: 3 })),
})
const record = fc.oneof(
  fc.jsonValue(),
  message,
  fc.record({ $rewindTo: id }),
  fc.record({ $set: fc.record({ messages: fc.oneof(fc.jsonValue(), fc.array(message, { maxLength: 4 })) }) }),
)

describeHostility(
  geminiCli,
  fc.array(record, { maxLength: 10 }).map((records) => [metadata, ...records]),
)
describeHostility(
  geminiCli,
  fc.oneof(
    fc.jsonValue(),
    fc.array(message, { maxLength: 6 }).map((messages) => ({ ...metadata, messages })),
  ),
)

const isMessage = (value: unknown): boolean => typeof (value as Wire | null)?.["type"] === "string"

describeCorpus({
  codecs: [geminiCli],
  folder: "gemini-cli",
  // The manifest counts notices on the screen as messages, and each message once.
  messagesIn: (value) => {
    const list = Array.isArray(value) ? value : (value as { readonly messages: readonly unknown[] }).messages
    return new Set(list.filter(isMessage).map((one) => (one as Wire)["id"])).size
  },
})
