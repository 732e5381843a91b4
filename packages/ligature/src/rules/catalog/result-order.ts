/** L4: results in another order than their calls. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idOrNone, idsOf, nameOf } from "./wording.ts"

export const resultOrder = defineRule<ResultSlot>({
  id: "result-order",
  invariant: "L4",
  severity: "warning",
  title: "Results in another order than their tool calls",
  why: "Where ids are optional, only the order tells two results apart.",
  help: "Repair puts the results in call order; nothing else changes.",
  find: (survey) => survey.misordered,
  describe: ({ message, block, call: owner }) => {
    const { call: called } = owner as CallSlot
    return {
      spot: { message, block },
      what: phrase`The result of ${nameOf(called)} (${idOrNone(called.id)}) comes after the result of a later call`,
      ids: idsOf(called.id),
      repair: { kind: "safe", what: "put the results in call order" },
    }
  },
  // Outcomes are assembled in call order: there is nothing left to do but say so.
  repair: (_, draft, description) => draft.record("result-order", description),
})
