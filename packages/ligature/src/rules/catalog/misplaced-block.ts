/** L2: a block in a message of the wrong role. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { Spot } from "../survey/index.ts"

export const misplacedBlock = defineRule<Spot>({
  id: "misplaced-block",
  invariant: "L2",
  severity: "error",
  title: "Block in a message of the wrong role",
  why: "Providers accept tool calls and thinking only from the assistant, and results only from the user side.",
  help: "Repair moves the block; nothing is lost.",
  find: (survey) => survey.strays,
  describe: (spot, survey) => {
    const message = survey.transcript.messages[spot.message]
    const type = message?.blocks[spot.block]?.type ?? "block"
    return {
      spot,
      what: phrase`Unexpected ${type} in a ${message?.role ?? ""} message`,
      ids: [],
      repair: { kind: "safe", what: phrase`moved the ${type} into a message of the right role` },
    }
  },
  // Assembling sorts blocks into messages of the right role: there is nothing left to do but say so.
  repair: (_, draft, description) => draft.record("misplaced-block", description),
})
