/** The frame of strategies that only shorten results: leave alone what fits, edit, and judge what came out. */
import type { Conversation } from "../../model/index.ts"
import { ledgerOf } from "../ledger.ts"
import { concludePlan, refusedPlan, unchangedPlan } from "../plan/make-plan.ts"
import { ResultEdits } from "../plan/result-edits.ts"
import type { Size } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"

/** Edits results. What it returns says why it is not worth it. */
export type EditResults = (
  edits: ResultEdits,
  limit: Size,
  context: Context,
  conversation: Conversation,
) => string | undefined

export const editingResults = (name: string, why: string, edit: EditResults): Strategy => ({
  name,
  plan: (conversation, limit, context) => {
    const { meter } = context
    if (ledgerOf(conversation.items, meter).fits(limit)) return unchangedPlan(name, conversation, meter)
    const edits = new ResultEdits(conversation, context)
    const refusal = edit(edits, limit, context, conversation)
    if (refusal !== undefined) return refusedPlan(name, conversation, meter, refusal)
    return concludePlan(name, conversation, limit, meter, edits.propose(why))
  },
})
