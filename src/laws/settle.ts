/**
 * The only door from a transcript to a conversation. Surveys the transcript, lets each rule repair what it finds in a
 * draft, and assembles the result. Deterministic, idempotent, linear; the transcript is never touched, and every block
 * that was moved, renamed, invented, turned into text or left out is in the report.
 */
import { asLawful, type Conversation, type Report, type Transcript } from "../model/index.ts"
import { assemble } from "./assemble.ts"
import { assignIds } from "./assign-ids.ts"
import { Draft } from "./draft.ts"
import { defaultPolicies, type Policies } from "./policies.ts"
import { rules } from "./rules/index.ts"
import { survey } from "./survey/index.ts"
import { dropUnfollowed } from "./unfollowed.ts"

export interface SettleOptions extends Partial<Policies> {
  /** `open`: the last exchange may be pending. `closed` (default): every call gets an outcome. */
  readonly tip?: "open" | "closed"
}

export interface Settled {
  readonly conversation: Conversation
  readonly report: Report
}

/**
 * Makes a transcript lawful.
 *
 * @example
 * const { conversation, report } = settle(decode("anthropic", request))
 */
export const settle = (transcript: Transcript, options: SettleOptions = {}): Settled => {
  const { tip = "closed", ...chosen } = options
  const policies: Policies = { ...defaultPolicies, ...chosen }
  const found = survey(transcript, { tip, reattach: policies.orphanResult === "reattach" }, "take")
  const draft = new Draft(found, policies)
  for (const rule of rules) {
    for (const finding of rule.find(found)) rule.repair(finding, draft, rule.describe(finding, found, policies))
  }
  if (found.tied.length > 0) dropUnfollowed(draft)
  assignIds(draft)
  const { native, origin, ids } = transcript
  const { items, edited } = assemble(draft)
  const conversation = asLawful({
    items,
    ...(edited !== undefined && { edited }),
    ...(native && { native }),
    ...(origin && { origin }),
    ...(ids && { ids }),
  })
  return { conversation, report: { entries: draft.entries, losses: [] } }
}
