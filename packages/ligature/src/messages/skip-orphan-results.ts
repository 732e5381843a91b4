/**
 * Leaves out results that answer no call: the last guard before a provider, for lists that something else has cut.
 * `settle` keeps the words of such results as text; this one is for those who want them gone, with a warning.
 */
import { assertOptions } from "../model/index.ts"
import { leaveOut } from "./leave-out.ts"
import { type Notice, sessionNotice } from "./notice.ts"
import { surveyList } from "./read-list.ts"

export interface SkipOptions {
  /** Told about each result that is left out. */
  readonly warn?: Notice
}

/**
 * The list without results that answer no call before them, and without second results of a call that has one.
 * Ids are matched by occurrence: where a server reuses `call_0`, a result belongs to the latest open call of that id.
 * Message objects stay the same, except where a message loses a result and keeps other content: that one is copied.
 *
 * @example
 * const sendable = skipOrphanResults(messages, { warn: console.warn })
 */
export const skipOrphanResults = <Message>(messages: readonly Message[], options: SkipOptions = {}): readonly Message[] => {
  assertOptions(options, { warn: true })
  const { warn = sessionNotice("skipOrphanResults") } = options
  const survey = surveyList(messages, { tip: "open", reattach: false })
  const results = survey.results.filter(({ call }) => !call)
  if (warn) {
    for (const { result, seen } of results) {
      const reason = seen ? "its call has a result already" : "no call before it"
      const id = result.callId || "without id"
      const place = { message: survey.placeOf(result).message, ids: result.callId === "" ? [] : [result.callId] }
      warn(`Skipping orphan result ${id} in message ${place.message} (${reason})`, place)
    }
  }
  return leaveOut(messages, survey, { results })
}
