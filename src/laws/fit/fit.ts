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
  const { items } = conversation
  let fitted: Item[] | undefined
  let spoken = false
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    if (item.role !== "system") spoken = true
    const changed = fitter.item(item, index, spoken)
    if (changed) fitted ??= items.slice(0, index)
    if (fitted) fitted.push(...(changed ?? [item]))
  }
  const bound = profile.boundThinking ? dropUnboundThinking(conversation, fitted ?? items, note) : (fitted ?? items)
  const arranged = arrange(bound, profile, note)
  return arranged === items ? { conversation, entries } : { conversation: asLawful({ ...conversation, items: arranged }), entries }
}
