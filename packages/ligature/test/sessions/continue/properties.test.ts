import fc from "fast-check"
import { continueSession } from "../../../src/sessions/continue/index.ts"
import { describeCorpus, describeHostility, describeWriting } from "../gemini-cli/session-suite.ts"

describeWriting(continueSession)

const id = fc.constantFrom("a", "b", "c", "")
const call = fc.oneof(
  fc.jsonValue(),
  fc.record({
    id,
    function: fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constantFrom("ls", ""), arguments: fc.constantFrom("{}", '{"a":', "[1]", "") }),
    ),
  }),
)
const state = fc.oneof(
  fc.jsonValue(),
  fc.record({
    toolCallId: id,
    status: fc.constantFrom("generating", "generated", "calling", "errored", "done", "canceled", "?"),
    output: fc.oneof(fc.jsonValue(), fc.constant([{ content: "out" }])),
    toolCall: call,
  }),
)
const part = fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant("text"), text: fc.string() }))
const item = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      message: fc.record(
        {
          role: fc.constantFrom("user", "assistant", "thinking", "system", "tool", "?"),
          content: fc.oneof(fc.string(), fc.jsonValue(), fc.array(part, { maxLength: 3 })),
          toolCalls: fc.oneof(fc.jsonValue(), fc.array(call, { maxLength: 3 })),
          toolCallId: fc.oneof(id, fc.jsonValue()),
        },
        { requiredKeys: ["role"] },
      ),
      contextItems: fc.oneof(fc.jsonValue(), fc.constant([{ content: "context" }])),
      toolCallStates: fc.oneof(fc.jsonValue(), fc.array(state, { maxLength: 3 })),
      toolCallState: state,
      conversationSummary: fc.constantFrom("", 7, null, {}),
      reasoning: fc.oneof(fc.jsonValue(), fc.constant({ text: "hm" })),
    },
    { requiredKeys: ["message"] },
  ),
)

describeHostility(continueSession, fc.oneof(fc.jsonValue(), fc.record({ sessionId: id, history: fc.array(item, { maxLength: 6 }) })))

describeCorpus({
  codecs: [continueSession],
  folder: "continue",
  messagesIn: (value) => (value as { readonly history: readonly unknown[] }).history.length,
})
