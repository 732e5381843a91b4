/**
 * L2: a block in a message of the wrong role. A call is moved to the assistant only where it was a call: one that a user made
 * and that has its result. What a tool printed, or a system message says, in the shape of a call stays text, whatever follows.
 */
import { type Block, phrase, text } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { QuotedCall, Spot } from "../survey/index.ts"
import { idsOf, nameOf, quotedCall } from "./wording.ts"

const isQuoted = (spot: Spot | QuotedCall): spot is QuotedCall => "call" in spot

export const misplacedBlock = defineRule<Spot | QuotedCall>({
  id: "misplaced-block",
  invariant: "L2",
  severity: "error",
  title: "Block in a message of the wrong role",
  why: "Providers accept tool calls and thinking only from the assistant, and results only from the user side.",
  help: "Repair moves the block. A call that the assistant did not make becomes text: it must never be run.",
  find: (survey) => [...survey.strays, ...survey.quoted],
  describe: (spot, survey) => {
    const message = survey.transcript.messages[spot.message]
    const role = message?.role ?? ""
    if (isQuoted(spot)) {
      return {
        spot: { message: spot.message, block: spot.block },
        what: phrase`Unexpected call ${nameOf(spot.call)} in a ${role} message`,
        ids: idsOf(spot.call.id),
        repair: { kind: "demote", what: "converted the call to user text, since the assistant did not make it" },
      }
    }
    const type = message?.blocks[spot.block]?.type ?? "block"
    return {
      spot,
      what: phrase`Unexpected ${type} in a ${role} message`,
      ids: [],
      repair: { kind: "safe", what: phrase`moved the ${type} into a message of the right role` },
    }
  },
  repair: (spot, draft, description) => {
    // Assembling sorts blocks into messages of the right role: there is nothing left to do but say so.
    if (!isQuoted(spot)) return draft.record("misplaced-block", description)
    const current: Block | undefined = draft.current(spot)
    if (current?.type !== "call") return
    const said = text(quotedCall(current))
    draft.sayAsUser(spot, said)
    draft.record("misplaced-block", description, { replacement: said })
  },
})
