/**
 * What a provider would object to in a valid history: exactly what `fit` would change for it. One implementation of
 * each demand serves both, so that what is fitted always passes.
 */
import {
  type Block,
  type Conversation,
  type Diagnostic,
  type Message,
  phrase,
  type ReportEntry,
  type Transcript,
} from "../../model/index.ts"
import { fit, type FitOptions } from "../fit/fit.ts"
import { placeOf } from "../place.ts"
import type { Spot } from "../survey/index.ts"
import { demandOf } from "../profiles/demands.ts"
import type { Profile } from "../profiles/profile.ts"

/** For each item, the message of the transcript it came from. */
const messageIndices = (conversation: Conversation, transcript: Transcript): readonly number[] => {
  const known = new Map<Message, number>(transcript.messages.map((message, index) => [message, index]))
  let last = 0
  return conversation.items.map((item) => {
    last = known.get(item.role === "exchange" ? item.message : item) ?? last
    return last
  })
}

const callKey = (message: number, id: string): string => `${message} ${id}`

/** Where each message and block is, what a result contains included; calls also by the number of their message and id. */
const spotsIn = ({ messages }: Transcript): ReadonlyMap<Block | Message | string, Spot> => {
  const spots = new Map<Block | Message | string, Spot>()
  messages.forEach((each, message) => {
    spots.set(each, { message, block: -1 })
    each.blocks.forEach((block, at) => {
      const found = block.type === "result" ? [block, ...block.content] : [block]
      for (const one of found) if (!spots.has(one)) spots.set(one, { message, block: at })
      if (block.type === "call") spots.set(callKey(message, block.id), { message, block: at })
    })
  })
  return spots
}

/** The rule of the profile, or a finer name where one rule keeps two demands. */
const demandKey = ({ rule, original }: ReportEntry, { items }: Conversation): string => {
  if (rule === "last-role" && original !== undefined) return "trailing-whitespace"
  return rule === "first-role" && items.every(({ role }) => role === "system") ? "no-messages" : rule
}

const helpFor = ({ rule, kind }: ReportEntry): string => {
  if (rule.startsWith("media-")) return "Run repair, or convert with this profile, to correct it or to replace it with a note."
  const left = kind === "drop" ? " What is left out is in the report." : ""
  return phrase`Run convert with this profile to fix it.${left}`
}

export const checkProfile = (
  conversation: Conversation,
  transcript: Transcript,
  profile: Profile,
  options: FitOptions,
): readonly Diagnostic[] => {
  const { entries } = fit(conversation, profile, options)
  if (entries.length === 0) return []
  const indices = messageIndices(conversation, transcript)
  const spots = spotsIn(transcript)
  // Other changes may have made a new block of it: then its call tells where it is, or at least its message does.
  const spotOf = ({ rule, place, original, ids }: ReportEntry): Spot => {
    if (rule === "last-role") return { message: Math.max(0, transcript.messages.length - 1), block: -1 }
    const message = indices[place.item ?? 0] ?? indices.at(-1) ?? 0
    return (original && spots.get(original)) ?? spots.get(callKey(message, ids[0] ?? "")) ?? { message, block: -1 }
  }
  return entries.map((entry): Diagnostic => {
    const { rule, kind, what, found = what, ids } = entry
    return {
      rule,
      severity: kind === "drop" || rule === "foreign-thinking" ? "warning" : "error",
      place: placeOf(transcript, spotOf(entry)),
      what: found,
      why: demandOf(profile, demandKey(entry, conversation)),
      help: helpFor(entry),
      ids,
      repair: { kind, what },
    }
  })
}
