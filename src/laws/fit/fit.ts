/**
 * Bends a lawful conversation to what one target demands beyond the laws: ids, names, thinking, media, order of roles.
 * The result is again a lawful conversation; every change is in the report. An item that already fits is the very same
 * object, so that its codec gives back the very same wire value. Never write the result back to storage: it is a view.
 */
import { asLawful, type Conversation, type Item, type ReportEntry } from "../../model/index.ts"
import { defaultPolicies, type Policies } from "../policies.ts"
import type { Profile } from "../profiles/profile.ts"
import { BlockFitter } from "./block-fitter.ts"
import { arrange } from "./arrange.ts"
import { dropUnboundThinking } from "./bound-thinking.ts"
import type { Note } from "./note.ts"

export interface Fitted {
  readonly conversation: Conversation
  readonly entries: readonly ReportEntry[]
}

export const fit = (conversation: Conversation, profile: Profile, policies: Partial<Policies> = {}): Fitted => {
  const entries: ReportEntry[] = []
  const note: Note = (rule, kind, what, item, more = {}) => {
    entries.push({ rule, kind, place: { item }, what, ids: [], ...more })
  }
  const fitter = new BlockFitter(conversation, profile, { ...defaultPolicies, ...policies }, note)
  const fitted: Item[] = []
  let same = true
  let spoken = false
  conversation.items.forEach((item, index) => {
    const before = fitted.length
    if (item.role !== "system") spoken = true
    fitter.item(item, index, spoken, fitted)
    if (fitted.length !== before + 1 || fitted[before] !== item) same = false
  })
  const bound = profile.boundThinking ? dropUnboundThinking(conversation, fitted, note) : fitted
  const arranged = arrange(bound, profile, note)
  if (same && arranged === fitted) return { conversation, entries }
  return { conversation: asLawful({ ...conversation, items: arranged }), entries }
}
