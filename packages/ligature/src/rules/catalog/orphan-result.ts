/** L2: a result that answers no call. */
import { assistant, call, type OpaqueBlock, phrase, result, resultText, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { ResultSlot } from "../survey/index.ts"
import { idOrNone, resultAsText } from "./wording.ts"

/** What a tool printed, in the shape of a call. */
const callShaped: OpaqueBlock = { type: "opaque", kind: "toolUse", text: '{"toolUse":{"name":"rm"}}', native: { x: { toolUse: { name: "rm" } } } }

export const orphanResult = defineRule<ResultSlot>({
  id: "orphan-result",
  law: "L2",
  severity: "error",
  title: "Result without a tool call",
  doc: `A result whose call is nowhere on the path, usually because a sliding window, a summary or a lost line removed the call and left the
result. Every provider rejects it. Repair moves a result to its call wherever that is; a result without any call is converted to user text in
the same place, so that its content survives; a block in it that only its origin understands becomes text too.`,
  why: "A provider accepts a result only next to the tool call it answers.",
  help: "Restore the call from an older copy of the history, or let repair keep the content as user text.",
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
    const said = resultAsText("Result of a call that is no longer in the history", current)
    draft.sayAsUser(slot, ...said)
    draft.record("orphan-result", description, { replacement: said[0] })
  },
})
