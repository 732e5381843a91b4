/** L5: the same call recorded twice. */
import { assistant, call, result, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

export const duplicateCall = defineRule<CallSlot>({
  id: "duplicate-call",
  law: "L5",
  severity: "error",
  title: "The same call recorded twice",
  doc: `A retried stream or a double append wrote one call twice: same id, same name, same arguments, no word of the user between, and
only one of them answered. The unanswered copy is no call of its own. Settle leaves it out; the other stays with its result.`,
  why: "A copy without result makes the history invalid, and answering it would pretend that the tool ran twice.",
  help: "Repair leaves the unanswered copy out.",
  examples: [
    {
      title: "a retried stream",
      before: [user("go"), assistant(call("a", "ls")), assistant(call("a", "ls")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
  ],
  find: (survey) => [...survey.replayed],
  describe: (slot) => ({
    spot: slot,
    what: `Call ${nameOf(slot.call)} (${slot.call.id}) is recorded twice`,
    ids: idsOf(slot.call.id),
    repair: { kind: "drop", what: "left out the unanswered copy" },
  }),
  repair: (slot, draft, description) => {
    draft.replace(slot)
    draft.record("duplicate-call", description)
  },
})
