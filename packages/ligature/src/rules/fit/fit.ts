/**
 * Bends a valid conversation to what one target demands beyond the invariants: ids, names, thinking, media, order of roles.
 * The result is again a valid conversation; every change is in the report. An item that already fits is the very same
 * object, so that its codec gives back the very same wire value. Never write the result back to storage: it is a view.
 */
import {
  assertOptions,
  type OptionNames,
  asValid,
  type Conversation,
  isWire,
  type Item,
  type MediaBlock,
  pushAll,
  type ReportEntry,
  type TextBlock,
  type AssistantMessage,
  phrase,
} from "../../model/index.ts"
import { type Policies, type PolicyOptions, resolvePolicies } from "../policies.ts"
import type { Profile } from "../profiles/profile.ts"
import { BlockFitter, type TakesBack } from "./block-fitter.ts"
import { arrange } from "./arrange.ts"
import { limitMedia, type MediaHandle, visitItem } from "./limit-media.ts"
import { type Note, quoted } from "./note.ts"

// Preserved thinking: each signed block is bound to everything before it. After the first edit, signed thinking no
// longer verifies; it may be removed from some point to the end, never with a gap in the middle. So everything from
// the first edited item on loses its signed thinking, and everything in front keeps it.

const firstDifference = (conversation: Conversation, fitted: readonly Item[]): number => {
  const { items } = conversation
  let index = 0
  while (index < items.length && items[index] === fitted[index]) index++
  return Math.min(index, conversation.edited ?? items.length)
}

const withoutSigned = (message: AssistantMessage): AssistantMessage => {
  const blocks = message.blocks.filter((block) => block.type !== "thinking" || block.signature === undefined)
  return blocks.length === message.blocks.length ? message : { ...message, blocks }
}

const dropUnboundThinking = (conversation: Conversation, fitted: readonly Item[], title: string, note: Note): readonly Item[] => {
  const first = firstDifference(conversation, fitted)
  if (first >= fitted.length) return fitted
  return fitted.flatMap((item, index): readonly Item[] => {
    if (index < first || item.role !== "exchange") return [item]
    const message = withoutSigned(item.message)
    const reply = item.reply && withoutSigned(item.reply)
    if (message === item.message && reply === item.reply) return [item]
    const thought = [...item.message.blocks, ...(item.reply?.blocks ?? [])].find((block) => block.type === "thinking")
    const found = phrase`${title} takes signed thinking only after an unchanged history; ${thought && thought.text !== "" ? quoted(thought.text) : "this block"} comes after a change and would be left out`
    note("prefix-binding", "drop", "removed thinking that is bound to an unedited history", item, { original: item.message, found })
    const { reply: _, ...rest } = item
    const kept = reply && reply.blocks.length > 0 && { reply }
    if (message.blocks.length > 0) return [{ ...rest, message, ...kept }]
    return kept ? [{ role: "exchange", message: kept.reply, outcomes: [] }] : []
  })
}

export interface Fitted {
  readonly conversation: Conversation
  readonly entries: readonly ReportEntry[]
}

export type { OpaquePlace, TakesBack } from "./block-fitter.ts"
export type { MediaHandle } from "./limit-media.ts"

export interface FitOptions extends PolicyOptions {
  /** The model the request is for. Default: the one it names, where the conversation came in a request of the target's format. */
  readonly model?: string
  /** How a reader gets at media that is left out: see `MediaHandle`. */
  readonly mediaHandle?: MediaHandle
  /** Which opaque blocks of its own format the target takes back. Default: all. */
  readonly takesBack?: TakesBack
}

const fitNames: OptionNames<FitOptions> = { policies: true, model: true, mediaHandle: true, takesBack: true }

interface Pass {
  readonly items: readonly Item[]
  /** For each of them, the index of the item it came from. Undefined where all stayed. */
  readonly sources?: readonly number[]
  readonly sawMedia: boolean
}

/** Everything that is asked of single items. */
const fitItems = (
  conversation: Conversation,
  items: readonly Item[],
  profile: Profile,
  policies: Policies,
  note: Note,
  takesBack?: TakesBack,
): Pass => {
  const fitter = new BlockFitter(conversation, profile, policies, note, takesBack)
  let fitted: Item[] | undefined
  let sources: number[] | undefined
  let spoken = false
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    if (item.role !== "system") spoken = true
    const changed = fitter.item(item, index, spoken)
    if (changed && !fitted) {
      fitted = items.slice(0, index)
      sources = Array.from({ length: index }, (_, at) => at)
    }
    if (!fitted) continue
    pushAll(fitted, changed ?? [item])
    while (sources && sources.length < fitted.length) sources.push(index)
  }
  return { items: fitted ?? items, sawMedia: fitter.sawMedia, ...(sources && { sources }) }
}

/** Items that were changed or added later stand for the one they came from. */
type Origins = ReadonlyMap<Item, number>

const noteIn = (entries: ReportEntry[], origins: () => Origins): Note => {
  let last = 0
  return (rule, kind, what, at, more) => {
    last = typeof at === "number" ? at : (origins().get(at) ?? last)
    entries.push({ rule, kind, place: { item: last }, what, ids: [], ...more })
  }
}

const unmoved = (): Origins => new Map()

/** The profile for the model that the request is for, where that is known. */
const forModel = (profile: Profile, { native }: Conversation, named: string | undefined): Profile => {
  const { last } = profile
  if (typeof last === "string") return profile
  const body = native?.[profile.format]
  const model = named ?? (isWire(body) ? body["model"] : undefined)
  return { ...profile, last: typeof model === "string" && last.test(model) ? "user" : "any" }
}

export const fit = (conversation: Conversation, given: Profile, options: FitOptions = {}): Fitted => {
  const profile = forModel(given, conversation, options.model)
  let entries: ReportEntry[] = []
  const { items } = conversation
  const policies = resolvePolicies(options)
  assertOptions(options, fitNames)
  let pass = fitItems(conversation, items, profile, policies, noteIn(entries, unmoved), options.takesBack)
  // Most histories have no media, and most media is fine: only what has to go costs a second look at all items.
  if (pass.sawMedia) {
    const limits: ReportEntry[] = []
    const limited = limitMedia(conversation, profile, noteIn(limits, unmoved), options.mediaHandle)
    if (limited !== items) {
      entries = limits
      pass = fitItems(conversation, limited, profile, policies, noteIn(entries, unmoved), options.takesBack)
    }
  }
  const fitted = pass.items
  let origins: Origins | undefined
  const note = noteIn(entries, () => (origins ??= new Map(fitted.map((item, index) => [item, pass.sources?.[index] ?? index]))))
  const bound = profile.boundThinking ? dropUnboundThinking(conversation, fitted, profile.title, note) : fitted
  const arranged = arrange(bound, profile, note)
  return arranged === items ? { conversation, entries } : { conversation: asValid({ ...conversation, items: arranged }), entries }
}

/** Bends the media alone, for a history that stays in a format of its own and is sent to a provider from there. */
export const fitMedia = (conversation: Conversation, profile: Profile, options: FitOptions = {}): Fitted => {
  const entries: ReportEntry[] = []
  const items = limitMedia(conversation, profile, noteIn(entries, unmoved), options.mediaHandle)
  return items === conversation.items ? { conversation, entries } : { conversation: asValid({ ...conversation, items }), entries }
}

/** The conversation with other media, or with text in its place; the very conversation when nothing changed. */
export const replaceMedia = (
  conversation: Conversation,
  replace: (block: MediaBlock, item: number) => MediaBlock | TextBlock,
): Conversation => {
  let changed = false
  const items = conversation.items.map((item, index) => {
    const next = visitItem(item, { assistantMedia: "allow" }, (block) => replace(block, index))
    if (next !== item) changed = true
    return next
  })
  return changed ? asValid({ ...conversation, items }) : conversation
}
