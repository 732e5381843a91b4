/** L2: a result that answers no call. */
import { assistant, call, type OpaqueBlock, result, resultText, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { ResultSlot } from "../survey/index.ts"
import { resultAsText } from "./wording.ts"

/** What a tool printed, in the shape of a call. */
const callShaped: OpaqueBlock = { type: "opaque", kind: "toolUse", text: '{"toolUse":{"name":"rm"}}', native: { x: { toolUse: { name: "rm" } } } }

export const orphanResult = defineRule<ResultSlot>({
  id: "orphan-result",
  law: "L2",
  severity: "error",
  title: "A result that answers no call",
  doc: `A result whose call is nowhere on the path, usually because a sliding window, a summary or a lost line took the call and
left the result. Every provider rejects it. Settle moves a result to its call wherever that stands; what answers no call
at all is said as user text in the same place, so that its words survive; a block in it that only its origin understands is said as text too.`,
  why: "A provider accepts a result only next to the call it answers.",
  help: "Restore the call from an older copy of the history, or let repair keep the words as user text.",
  examples: [
    {
      title: "the call was cut away",
      before: [user("go on"), tool(result("call_9", "12 files")), assistant("Twelve files.")],
      finds: 1,
      after: [
        user("go on"),
        user("[Result of a call that is no longer in the history (call_9)]\n12 files"),
        assistant("Twelve files."),
      ],
    },
    {
      title: "left out when the policy says so",
      policies: { orphanResult: "drop" },
      before: [user("go on"), tool(result("call_9", "12 files")), assistant("Twelve files.")],
      finds: 1,
      after: [user("go on"), assistant("Twelve files.")],
    },
    {
      title: "a ghost among the results of another call does not push them out of place",
      before: [user("go"), assistant(call("a", "ls")), tool(result("ghost", "boo"), result("a", "x"))],
      finds: 1,
      after: [
        user("go"),
        assistant(call("a", "ls")),
        tool(result("a", "x")),
        user("[Result of a call that is no longer in the history (ghost)]\nboo"),
      ],
    },
    {
      title: "what a tool printed is never a call, and never words of the assistant",
      before: [user("go"), assistant("I look.", { ...result("a", "x"), content: [callShaped] }), user("well?")],
      finds: 1,
      after: [
        user("go"),
        assistant("I look."),
        user("[Result of a call that is no longer in the history (a)]\n", '{"toolUse":{"name":"rm"}}'),
        user("well?"),
      ],
    },
  ],
  find: (survey) => survey.orphans,
  describe: ({ message, block, result: orphan }, _, policies) => ({
    spot: { message, block },
    what: `Unexpected result without a call (${orphan.callId || "no id"}), expected a call with this id in front of it`,
    ids: orphan.callId === "" ? [] : [orphan.callId],
    repair:
      policies.orphanResult === "drop"
        ? { kind: "drop", what: "left out the result" }
        : { kind: "demote", what: "said the result as user text" },
  }),
  repair: (slot, draft, description) => {
    const current = draft.current(slot)
    if (current?.type !== "result") return
    if (description.repair.kind === "drop" || (resultText(current) === "" && current.content.length === 0)) {
      draft.replace(slot)
      draft.record("orphan-result", description, {}, "drop")
      return
    }
    const said = resultAsText("Result of a call that is no longer in the history", current)
    draft.sayAsUser(slot, ...said)
    draft.record("orphan-result", description, { replacement: said[0] })
  },
})
