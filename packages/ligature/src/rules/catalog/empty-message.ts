/** L8: a message without content. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"

export const emptyMessage = defineRule<number>({
  id: "empty-message",
  invariant: "L8",
  severity: "warning",
  title: "Message without content",
  why: "Anthropic and others reject a message without content.",
  help: "Repair removes the message.",
  find: (survey) => survey.emptyMessages,
  describe: (message, survey) => ({
    spot: { message, block: -1 },
    what: phrase`The ${survey.transcript.messages[message]?.role ?? ""} message has no content`,
    ids: [],
    repair: { kind: "drop", what: "removed the empty message" },
  }),
  repair: (message, draft, description) => {
    const original = draft.survey.transcript.messages[message]
    draft.record("empty-message", description, original ? { original } : {})
  },
})
