/**
 * Leaves out assistant messages that hold an unanswered call, for sessions that broke off while tools ran. The message
 * goes whole, text included, and takes the results of its answered calls with it: they would be orphans. `settle` gives
 * such calls an honest outcome instead; this one is for those who want a history as if the step had not begun.
 */
import type { CallSlot } from "../../laws/survey/index.ts"
import { leaveOut } from "./leave-out.ts"
import type { Notice } from "./notice.ts"
import { surveyList } from "./read-list.ts"

export interface DropOptions {
  /** `open`: calls of the last message may be running and stay. `closed` (default): they go. */
  readonly tip?: "open" | "closed"
  /** Told about each message and each result that is left out. */
  readonly debug?: Notice
}

/**
 * The list without assistant messages of which any call has no result. Message objects stay the same, except where a
 * message loses a result and keeps other content: that one is copied.
 *
 * @example
 * const resumable = dropUnansweredCalls(messages, { debug: debug("agent:session") })
 */
export const dropUnansweredCalls = <Message>(
  messages: readonly Message[],
  { tip = "closed", debug }: DropOptions = {},
): readonly Message[] => {
  const survey = surveyList(messages, { tip, reattach: false })
  const open: readonly CallSlot[] = [...survey.unanswered, ...survey.stalePending, ...survey.replayed]
  if (open.length === 0) return messages
  const idsByMessage = new Map<number, string[]>()
  for (const { message, call } of open) {
    const ids = idsByMessage.get(message)
    if (ids) ids.push(call.id)
    else idsByMessage.set(message, [call.id])
  }
  const results = survey.results.filter(({ call, seen }) => idsByMessage.has((call ?? seen)?.message ?? -1))
  if (debug) {
    for (const [message, ids] of idsByMessage) {
      const place = { message: survey.starts[message] as number, ids }
      const found = `${ids.length} unanswered call(s): ${ids.join(", ")}`
      debug(`Leaving out assistant message ${place.message}: ${found}`, place)
    }
    for (const { result } of results) {
      const place = { message: survey.placeOf(result).message, ids: [result.callId] }
      debug(`Leaving out result ${result.callId} in message ${place.message}: its call is left out`, place)
    }
  }
  return leaveOut(messages, survey, { messages: new Set(idsByMessage.keys()), results })
}
