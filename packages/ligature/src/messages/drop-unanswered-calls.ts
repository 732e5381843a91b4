/**
 * Leaves out assistant messages that hold an unanswered call, for sessions that broke off while tools ran. The message
 * goes whole, text included, and takes the results of its answered calls with it: they would be orphans. `settle` gives
 * such calls an honest outcome instead; this one is for those who want a history as if the step had not begun.
 */
import { assertOptions } from "../model/index.ts"
import { leaveOut } from "./leave-out.ts"
import { type Notice, sessionNotice } from "./notice.ts"
import { type ListSurvey, surveyList } from "./read-list.ts"

export interface DropOptions {
  /** `open`: calls of the last message may be running and stay. `closed` (default): they go. */
  readonly tip?: "open" | "closed"
  /** Told about each message and each result that is left out. */
  readonly debug?: Notice
}

/**
 * The messages that go, with the ids of their open calls. A message that goes may carry results, where a writer put
 * them into the assistant's message: their calls are open then, too.
 */
const findDropped = (survey: ListSurvey): ReadonlyMap<number, readonly string[]> => {
  const carried = new Map<number, { readonly message: number; readonly id: string }[]>()
  for (const { message, call } of survey.results) {
    if (!call || survey.transcript.messages[message]?.role !== "assistant") continue
    const own = { message: call.message, id: call.call.id }
    const known = carried.get(message)
    if (known) known.push(own)
    else carried.set(message, [own])
  }
  const dropped = new Map<number, string[]>()
  const queue = [...survey.unanswered, ...survey.stalePending, ...survey.replayed].map(({ message, call }) => ({
    message,
    id: call.id,
  }))
  for (const { message, id } of queue) {
    const ids = dropped.get(message)
    if (ids) ids.push(id)
    else {
      dropped.set(message, [id])
      for (const other of carried.get(message) ?? []) if (other.message !== message) queue.push(other)
    }
  }
  return dropped
}

/**
 * The list without assistant messages of which any call has no result. Message objects stay the same, except where a
 * message loses a result and keeps other content: that one is copied.
 *
 * @example
 * const resumable = dropUnansweredCalls(messages, { debug: debug("agent:session") })
 */
export const dropUnansweredCalls = <Message>(messages: readonly Message[], options: DropOptions = {}): readonly Message[] => {
  assertOptions(options, { tip: ["open", "closed"], debug: true })
  const { tip = "closed", debug = sessionNotice("dropUnansweredCalls") } = options
  const survey = surveyList(messages, { tip, reattach: false })
  const dropped = findDropped(survey)
  if (dropped.size === 0) return messages
  const results = survey.results.filter(({ call, seen }) => dropped.has((call ?? seen)?.message ?? -1))
  if (debug) {
    for (const [message, ids] of dropped) {
      const place = { message: survey.starts[message] as number, ids }
      const found = `${ids.length} unanswered call(s): ${ids.join(", ")}`
      debug(`Leaving out assistant message ${place.message}: ${found}`, place)
    }
    for (const { result } of results) {
      const place = { message: survey.placeOf(result).message, ids: [result.callId] }
      debug(`Leaving out result ${result.callId} in message ${place.message}: its call is left out`, place)
    }
  }
  return leaveOut(messages, survey, { messages: new Set(dropped.keys()), results })
}
