/**
 * The only door from a transcript to a conversation. Surveys the transcript, lets each rule repair what it finds in a
 * draft, and assembles the result. Deterministic, idempotent, linear; the transcript is never touched, and every block
 * that was moved, renamed, invented, turned into text or left out is in the report.
 */
import {
  asValid,
  assertOptions,
  type OptionNames,
  type Conversation,
  debugFor,
  type DebugWriter,
  type Report,
  type Transcript,
} from "../../model/index.ts"
import { assemble } from "./assemble.ts"
import { assignIds } from "./assign-ids.ts"
import { Draft } from "../draft.ts"
import { type PolicyOptions, resolvePolicies } from "../policies.ts"
import { rules } from "../catalog/index.ts"
import { survey } from "../survey/index.ts"
import { dropUnfollowed } from "./unfollowed.ts"

export interface SettleOptions extends PolicyOptions {
  /** `open`: the last exchange may be pending. `closed` (default): every call gets an outcome. */
  readonly tip?: "open" | "closed"
}

export const settleNames: OptionNames<SettleOptions> = { policies: true, tip: ["open", "closed"] }

export interface Settled {
  readonly conversation: Conversation
  readonly report: Report
}

const tell = (debug: DebugWriter, { format, messages }: Transcript, entries: Report["entries"]): void => {
  debug(`[settle] ${format}: ${messages.length} messages, ${entries.length} repairs`)
  for (const { rule, kind, place, ids } of entries) {
    debug(`[settle] ${rule} (${kind}) in message ${place.message ?? "?"}: ${ids.join(", ")}`)
  }
}

/**
 * Makes a transcript valid.
 *
 * @example
 * const { conversation, report } = settle(decode("anthropic", request))
 */
export const settle = (transcript: Transcript, options: SettleOptions = {}): Settled => {
  const { tip = "closed" } = options
  const policies = resolvePolicies(options)
  assertOptions(options, settleNames)
  const found = survey(transcript, { tip, reattach: policies.orphanResult === "reattach" }, "take")
  const draft = new Draft(found, policies)
  for (const rule of rules) {
    for (const finding of rule.find(found)) rule.repair(finding, draft, rule.describe(finding, found, policies))
  }
  if (found.tied.length > 0) dropUnfollowed(draft)
  assignIds(draft)
  const { native, origin, ids, unusual } = transcript
  const { items, edited } = assemble(draft)
  const conversation = asValid({
    items,
    ...(edited !== undefined && { edited }),
    ...(native && { native }),
    ...(origin && { origin }),
    ...(ids && { ids }),
    ...(unusual && { unusual }),
  })
  const debug = debugFor("settle")
  if (debug) tell(debug, transcript, draft.entries)
  return { conversation, report: { entries: draft.entries, losses: [] } }
}
