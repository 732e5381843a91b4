/** L2: a result that answers no call. */
import { orphanLabel, phrase, resultText } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { ResultSlot } from "../survey/index.ts"
import { idOrNone, resultAsText } from "./wording.ts"

export const orphanResult = defineRule<ResultSlot>({
  id: "orphan-result",
  invariant: "L2",
  severity: "error",
  title: "Result without a tool call",
  why: "A provider accepts a result only next to the tool call it answers.",
  help: "Restore the call from an older copy of the history, or let repair keep the content as user text.",
  find: (survey) => survey.orphans,
  describe: ({ message, block, result: orphan }, _, policies) => ({
    spot: { message, block },
    what: phrase`Result without a tool call (${idOrNone(orphan.callId)}): no earlier call has this id`,
    ids: orphan.callId === "" ? [] : [orphan.callId],
    repair:
      policies.orphanResult === "drop"
        ? { kind: "drop", what: "removed the result" }
        : { kind: "demote", what: "converted the result to user text" },
  }),
  repair: (slot, draft, description) => {
    const current = draft.current(slot)
    if (current?.type !== "result") return
    if (description.repair.kind === "drop" || (resultText(current) === "" && current.content.length === 0)) {
      draft.replace(slot)
      draft.record("orphan-result", description, {}, "drop")
      return
    }
    const said = resultAsText(orphanLabel, current)
    draft.sayAsUser(slot, ...said)
    draft.record("orphan-result", description, { replacement: said[0] })
  },
})
