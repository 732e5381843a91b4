/**
 * What a provider would object to in a lawful history: exactly what `fit` would change for it. One implementation of
 * each demand serves both, so that what is fitted always passes.
 */
import type { Conversation, Diagnostic, Message, Transcript } from "../../model/index.ts"
import { fit } from "../fit/fit.ts"
import { placeOf } from "../place.ts"
import type { Profile } from "./profile.ts"

/** For each item, the message of the transcript it came from. */
const messageIndices = (conversation: Conversation, transcript: Transcript): readonly number[] => {
  const known = new Map<Message, number>(transcript.messages.map((message, index) => [message, index]))
  let last = 0
  return conversation.items.map((item) => {
    last = known.get(item.role === "exchange" ? item.message : item) ?? last
    return last
  })
}

export const checkProfile = (
  conversation: Conversation,
  transcript: Transcript,
  profile: Profile,
): readonly Diagnostic[] => {
  const { entries } = fit(conversation, profile)
  if (entries.length === 0) return []
  const indices = messageIndices(conversation, transcript)
  return entries.map(({ rule, kind, place, what, ids }) => ({
    rule,
    severity: kind === "drop" || rule === "foreign-thinking" ? "warning" : "error",
    place: placeOf(transcript, { message: indices[place.item ?? 0] ?? indices.at(-1) ?? 0, block: -1 }),
    what: `${profile.title} does not take this as it is`,
    why: `The profile ${profile.name} demands it (rule ${rule}).`,
    help: "Convert with this profile: the request is written as the provider wants it.",
    ids,
    repair: { kind, what },
  }))
}
