/** L7: a call with an empty name. */
import { assistant, call, result, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idsOf } from "./wording.ts"

/** The name of a call that came without one. */
export const unknownTool = "unknown_tool"

export const missingToolName = defineRule<CallSlot>({
  id: "missing-tool-name",
  law: "L7",
  severity: "error",
  title: "A call without a tool name",
  doc: `A stream was cut before the name came, or a gateway dropped it. Settle takes the name from the result where that says one,
else \`${unknownTool}\`.`,
  why: "Every provider rejects a call with an empty name.",
  help: "Repair writes a name.",
  examples: [
    {
      title: "nobody knows the name",
      before: [user("go"), assistant(call("a", "")), tool(result("a", "no such tool", { error: true }))],
      finds: 1,
      after: [user("go"), assistant(call("a", unknownTool)), tool(result("a", "no such tool", { error: true }))],
    },
  ],
  find: (survey) => survey.nameless,
  describe: (slot) => ({
    spot: slot,
    what: `A call (${slot.call.id || "no id"}) names no tool`,
    ids: idsOf(slot.call.id),
    repair: { kind: "synthetic", what: `named it ${slot.result?.result.name || unknownTool}` },
  }),
  repair: (slot, draft, description) => {
    const name = slot.result?.result.name?.toWellFormed()
    draft.amendCall(slot, (nameless) => ({ ...nameless, name: name || unknownTool }))
    draft.record("missing-tool-name", description)
  },
})
