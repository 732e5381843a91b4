/** L7: a call with an empty name. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idOrNone, idsOf } from "./wording.ts"

/** The name of a call that came without one. */
export const unknownTool = "unknown_tool"

export const missingToolName = defineRule<CallSlot>({
  id: "missing-tool-name",
  invariant: "L7",
  severity: "error",
  title: "Tool call without a name",
  why: "Every provider rejects a tool call with an empty name.",
  help: "Repair writes a name.",
  find: (survey) => survey.nameless,
  describe: (slot) => ({
    spot: slot,
    what: phrase`Tool call (${idOrNone(slot.call.id)}) has no tool name`,
    ids: idsOf(slot.call.id),
    repair: { kind: "synthetic", what: phrase`named it ${slot.result?.result.name || unknownTool}` },
  }),
  repair: (slot, draft, description) => {
    const name = slot.result?.result.name?.toWellFormed()
    draft.amendCall(slot, (nameless) => ({ ...nameless, name: name || unknownTool }))
    draft.record("missing-tool-name", description)
  },
})
