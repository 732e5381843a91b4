/**
 * Names what is wrong with a transcript, changing nothing: the invariants first, then, with a profile, what that provider
 * demands beyond them. A history in which check finds nothing goes back to its own format byte for byte.
 */
import {
  type Block,
  type Conversation,
  type Diagnostic,
  flatten,
  type OpaqueBlock,
  type OptionNames,
  phrase,
  type Transcript,
} from "../../model/index.ts"
import type { TakesBack } from "../fit/block-fitter.ts"
import { quoted } from "../fit/note.ts"
import { placeOf } from "../place.ts"
import { type PolicyOptions, resolvePolicies } from "../policies.ts"
import { checkProfile } from "./check-profile.ts"
import type { Profile } from "../profiles/profile.ts"
import { type ProfileName, resolveProfile } from "../profiles/index.ts"
import { rules } from "../catalog/index.ts"
import { settle, settleNames } from "./settle.ts"
import { survey } from "../survey/index.ts"

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

const isMalformed = (block: Block): block is OpaqueBlock => block.type === "opaque" && block.kind === "malformed"

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
