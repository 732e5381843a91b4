/** L3: a result that does not stand directly behind its call. */
import { assistant, call, result, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

export const misplacedResult = defineRule<ResultSlot>({
  id: "misplaced-result",
  law: "L3",
  severity: "error",
  title: "Something stands between a call and its result",
  doc: `A user message, a reminder or another assistant message stands between a call and its result, text stands in front of the
results in their message, or the result stands in front of its call because two writers raced. Settle brings the result to
its call and keeps everything that stood between, behind them. Nothing is lost or invented.`,
  why: "Except for OpenAI Responses, providers accept results only directly behind their calls.",
  help: "Repair moves the result; nothing else changes.",
  examples: [
    {
      title: "the user spoke while the tool ran",
      before: [user("go"), assistant(call("a", "ls")), user("and hurry"), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), user("and hurry")],
    },
    {
      title: "the result was written first",
      before: [user("go"), tool(result("a", "x")), assistant(call("a", "ls"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "one turn in two messages",
      before: [user("go"), assistant(call("a", "ls")), assistant(call("b", "cat")), tool(result("a", "x"), result("b", "y"))],
      finds: 1,
      after: [
        user("go"),
        assistant(call("a", "ls")),
        tool(result("a", "x")),
        assistant(call("b", "cat")),
        tool(result("b", "y")),
      ],
    },
  ],
  find: (survey) => survey.misplaced,
  describe: ({ message, block, result: moved, call: owner }) => {
    const { call: called, message: home } = owner as CallSlot
    return {
      spot: { message, block },
      what: `The result of ${nameOf(called)} (${called.id || "no id"}) stands away from its call in message ${home}`,
      ids: idsOf(called.id, moved.callId === called.id ? "" : moved.callId),
      repair: { kind: "safe", what: `moved the result to its call in message ${home}` },
    }
  },
  // Assembling a conversation puts every result behind its call: there is nothing left to do but say so.
  repair: (_, draft, description) => draft.record("misplaced-result", description),
})
