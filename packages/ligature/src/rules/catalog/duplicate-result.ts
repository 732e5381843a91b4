/** L1: a second result for a call that already has one. */
import { phrase, type ResultBlock } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import { type CallSlot, type ResultSlot, sameResult } from "../survey/index.ts"
import { idsOf, resultAsText } from "./wording.ts"

/** Real beats generated, success beats failure; between equals the later one. */
const isBetter = (later: ResultBlock, earlier: ResultBlock): boolean => {
  if ((later.synthetic === undefined) !== (earlier.synthetic === undefined)) return later.synthetic === undefined
  if ((later.error === true) !== (earlier.error === true)) return later.error !== true
  return true
}

export const duplicateResult = defineRule<ResultSlot>({
  id: "duplicate-result",
  invariant: "L1",
  severity: "error",
  title: "Second result for one tool call",
  why: "Anthropic, Bedrock, Gemini and Mistral reject a second result for one tool call.",
  help: "Repair keeps the better one; --policy duplicateResult=keep-first or keep-last decides by position.",
  find: (survey) => survey.duplicates,
  describe: ({ message, block, result: copy }, _, policies) => ({
    spot: { message, block },
    what: phrase`Tool call ${copy.callId} already has a result`,
    ids: idsOf(copy.callId),
    repair: { kind: "drop", what: phrase`kept one result (${policies.duplicateResult})` },
  }),
  repair: (slot, draft, description) => {
    const owner = slot.seen as CallSlot
    const rival = draft.resultSlot(owner)
    const kept = draft.resultOf(owner)
    const copy = draft.current(slot)
    if (copy?.type !== "result" || !rival || !kept) {
      draft.replace(slot)
      draft.record("duplicate-result", description, {}, "drop")
      return
    }
    const { duplicateResult: policy } = draft.policies
    const copyWins = policy === "keep-last" || (policy === "keep-best" && isBetter(copy, kept))
    const [loserSlot, loser] = copyWins ? [rival, kept] : [slot, copy]
    if (copyWins) draft.choose(owner, slot)
    const worthKeeping = policy === "keep-best" && loser.synthetic === undefined && loser.content.length > 0 && !sameResult(copy, kept)
    if (!worthKeeping) {
      draft.replace(loserSlot)
      draft.record("duplicate-result", { ...description, spot: loserSlot }, {}, "drop")
      return
    }
    const said = resultAsText("Another result of a call above", loser)
    draft.sayAsUser(loserSlot, ...said)
    const repair = { kind: "demote", what: "converted the other result to user text" } as const
    draft.record("duplicate-result", { ...description, spot: loserSlot, repair }, { replacement: said[0] })
  },
})
