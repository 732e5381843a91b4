/** Our strategies, called as a user calls them: settle the history, compact it to the budget, read the view back. */
import { fromMessages, toTranscript } from "../canonical.mjs"
import { exactMeter } from "../tokens.mjs"

export const fromStrategy = (strategy, { settle, flatten, compact, estimateMeter }, { meter = "exact" } = {}) => {
  const chosen = meter === "exact" ? exactMeter : estimateMeter
  return {
    compactMessages: (messages, budget) => {
      const { conversation } = settle(toTranscript(messages))
      const { conversation: view, plan } = compact(conversation, { budget, strategy, meter: chosen })
      const answer = fromMessages(flatten(view).messages)
      return { messages: answer.messages, outcome: plan.outcome, reason: plan.reason }
    },
  }
}
