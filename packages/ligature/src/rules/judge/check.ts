/**
 * Names what is wrong with a transcript, changing nothing: the invariants first, then, with a profile, what that provider
 * demands beyond them. A history in which check finds nothing goes back to its own format byte for byte.
 */
import {
  type Block,
  type Conversation,
  type Diagnostic,
  flatten,
  isMalformed,
  type Message,
  type OpaqueBlock,
  type OptionNames,
  phrase,
  type ReportEntry,
  type Transcript,
} from "../../model/index.ts"
import type { TakesBack } from "../fit/block-fitter.ts"
import { quoted } from "../fit/note.ts"
import { placeOf } from "../place.ts"
import { type PolicyOptions, resolvePolicies } from "../policies.ts"
import type { Profile } from "../profiles/profile.ts"
import { type ProfileName, resolveProfile } from "../profiles/index.ts"
import { rules } from "../catalog/index.ts"
import { settle, settleNames } from "./settle.ts"
import { survey, type Spot } from "../survey/index.ts"
import { fit, type FitOptions } from "../fit/fit.ts"
import { demandOf } from "../profiles/demands.ts"

// What a provider would object to in a valid history: exactly what `fit` would change for it. One implementation of
// each demand serves both, so that what is fitted always passes.

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

const checkProfile = (conversation: Conversation, transcript: Transcript, profile: Profile, options: FitOptions): readonly Diagnostic[] => {
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

/** The policies decide which repairs the diagnostics name. */
export interface CheckOptions extends PolicyOptions {
  /** Also judge by what this provider demands: a profile or its name. */
  readonly profile?: Profile | ProfileName
  /** `open`: calls of the last exchange may be unanswered. Default `closed`. */
  readonly tip?: "open" | "closed"
  /** For `check` of a wire value: which opaque blocks the API of the profile takes back. Default: all of its own. */
  readonly takesBack?: TakesBack
}

export const checkNames: OptionNames<CheckOptions> = { ...settleNames, profile: true, takesBack: true }

const byPlace = (left: Diagnostic, right: Diagnostic): number =>
  (left.place.message ?? -1) - (right.place.message ?? -1) || (left.place.block ?? -1) - (right.place.block ?? -1)

const firstMalformed = (blocks: readonly Block[]): OpaqueBlock | undefined => {
  for (const block of blocks) {
    const found = block.type === "result" ? block.content.find(isMalformed) : block
    if (found && isMalformed(found)) return found
  }
  return undefined
}

/** What decoding found, with the beginning of the value it could not read. */
const findingsOfDecoding = ({ messages, diagnostics = [] }: Transcript): readonly Diagnostic[] => {
  const unread = new Map<number, OpaqueBlock | undefined>()
  return diagnostics.map((diagnostic) => {
    const { rule, place, what } = diagnostic
    if (rule !== "malformed-message" || place.message === undefined || /, got |["`]/.test(what)) return diagnostic
    const { blocks = [] } = messages[place.message] ?? {}
    const named = place.block === undefined ? undefined : blocks[place.block]
    if (!unread.has(place.message)) unread.set(place.message, firstMalformed(blocks))
    const value = named && isMalformed(named) ? named : unread.get(place.message)
    return value ? { ...diagnostic, what: phrase`${what}, got ${quoted(value.text)}` } : diagnostic
  })
}

/** Diagnostics in the order of their places; empty when the history is healthy. */
export const check = (history: Transcript | Conversation, options: CheckOptions = {}): readonly Diagnostic[] => {
  const transcript = "messages" in history ? history : flatten(history)
  const { tip = "closed" } = options
  const policies = resolvePolicies(options)
  const found = survey(transcript, { tip, reattach: policies.orphanResult === "reattach" }, "keep")
  const diagnostics: Diagnostic[] = [...findingsOfDecoding(transcript)]
  for (const rule of rules) {
    for (const finding of rule.find(found)) {
      const { spot, what, ids, repair } = rule.describe(finding, found, policies)
      const { severity, why, help } = rule
      diagnostics.push({ rule: rule.id, severity, place: placeOf(transcript, spot), what, why, help, ids, repair })
    }
  }
  if (options.profile !== undefined) {
    const { conversation } = settle(transcript, { tip, policies })
    const fitting = { policies, ...(options.takesBack && { takesBack: options.takesBack }) }
    for (const diagnostic of checkProfile(conversation, transcript, resolveProfile(options.profile), fitting)) diagnostics.push(diagnostic)
  }
  return diagnostics.sort(byPlace)
}
