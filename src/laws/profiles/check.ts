/**
 * What a provider would object to in a lawful history: exactly what `fit` would change for it. One implementation of
 * each demand serves both, so that what is fitted always passes.
 */
import type { Block, Conversation, Diagnostic, Message, Place, ReportEntry, Transcript } from "../../model/index.ts"
import { fit } from "../fit/fit.ts"
import { placeOf } from "../place.ts"
import type { Policies } from "../policies.ts"
import type { Spot } from "../survey/index.ts"
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

/** Where media stands: in a message, or inside a result of it. */
const mediaSpots = ({ messages }: Transcript): ReadonlyMap<Block | Message, Spot> => {
  const spots = new Map<Block | Message, Spot>()
  messages.forEach(({ blocks }, message) => {
    blocks.forEach((block, at) => {
      const held = block.type === "result" ? block.content : [block]
      for (const each of held) if (each.type === "media" && !spots.has(each)) spots.set(each, { message, block: at })
    })
  })
  return spots
}

export const checkProfile = (
  conversation: Conversation,
  transcript: Transcript,
  profile: Profile,
  policies: Policies,
): readonly Diagnostic[] => {
  const { entries } = fit(conversation, profile, { policies })
  if (entries.length === 0) return []
  const indices = messageIndices(conversation, transcript)
  let spots: ReadonlyMap<Block | Message, Spot> | undefined
  const placeOfEntry = ({ place, found, original }: ReportEntry): Place => {
    // What was found in one block is named by its place; other findings are about a message.
    if (found !== undefined && original) spots ??= mediaSpots(transcript)
    const spot = original && spots?.get(original)
    return placeOf(transcript, spot ?? { message: indices[place.item ?? 0] ?? indices.at(-1) ?? 0, block: -1 })
  }
  return entries.map((entry) => {
    const { rule, kind, what, found, ids } = entry
    return {
      rule,
      severity: kind === "drop" || rule === "foreign-thinking" ? "warning" : "error",
      place: placeOfEntry(entry),
      what: found ?? `${profile.title} does not take this as it is`,
      why: found === undefined ? `The profile ${profile.name} demands it (rule ${rule}).` : "Every request with it is rejected.",
      help:
        found === undefined
          ? "Convert with this profile: the request is written as the provider wants it."
          : "Run repair, or convert with this profile, to correct it or to replace it with a note.",
      ids,
      repair: { kind, what },
    }
  })
}
