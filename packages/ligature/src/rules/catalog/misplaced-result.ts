/** L3: a result that does not come directly after its call. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idOrNone, idsOf, nameOf } from "./wording.ts"

export const misplacedResult = defineRule<ResultSlot>({
  id: "misplaced-result",
  invariant: "L3",
  severity: "error",
  title: "Result that is not next to its tool call",
  why: "Except for OpenAI Responses, providers accept results only directly after their tool calls.",
  help: "Repair moves the result; nothing else changes.",
  find: (survey) => survey.misplaced,
  describe: ({ message, block, result: moved, call: owner }) => {
    const { call: called, message: home } = owner as CallSlot
    return {
      spot: { message, block },
      what: phrase`The result of ${nameOf(called)} (${idOrNone(called.id)}) is not next to its call (message ${home})`,
      ids: idsOf(called.id, moved.callId === called.id ? "" : moved.callId),
      repair: { kind: "safe", what: phrase`moved the result to its call (message ${home})` },
    }
  },
  // Assembling a conversation puts every result after its call: there is nothing left to do but say so.
  repair: (_, draft, description) => draft.record("misplaced-result", description),
})
