/**
 * Media within what a target accepts. What it would refuse becomes a note that says what was there, and a wrong media
 * type is put right. The history it is made from keeps the media: this is a view of it, like everything `fit` makes.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  type Block,
  type Conversation,
  type Item,
  type MediaBlock,
  mediaNote,
  type Outcome,
  phrase,
  text,
  type TextBlock,
  type UserBlock,
  callsOf,
  elidedBytes,
} from "../../model/index.ts"
import { judgeMedia, type MediaFault } from "../media/judge-media.ts"
import { type CountedMedia, isWithin, MediaBudget } from "../media/media-budget.ts"
import type { Profile } from "../profiles/profile.ts"
import type { Note } from "./note.ts"

// About how many bytes an item has in a request, media aside. Exact for its text, a flat rate for the JSON around it.

const aroundBlock = 120

/** Bytes of a text as JSON: UTF-8, with escapes. */
const bytesOf = (value: string): number => {
  let bytes = 0
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code < 0x20) bytes += 6
    else if (code === 0x22 || code === 0x5c) bytes += 2
    else if (code < 0x80) bytes += 1
    // Halves of a pair have two each of the four bytes it takes.
    else bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
  }
  return bytes + elidedBytes(value)
}

const lengthOf = (signature = ""): number => signature.length + elidedBytes(signature)

const bytesOfBlock = (block: Block): number => {
  switch (block.type) {
    case "text":
    case "opaque":
      return aroundBlock + bytesOf(block.text)
    case "thinking":
      return aroundBlock + bytesOf(block.text) + lengthOf(block.signature)
    case "call":
      return aroundBlock + bytesOf(block.raw ?? JSON.stringify(block.arguments))
    case "result":
      return block.content.reduce((sum, inner) => sum + bytesOfBlock(inner), aroundBlock)
    case "media":
      return aroundBlock
  }
}

const sum = (blocks: readonly Block[]): number => blocks.reduce((total, block) => total + bytesOfBlock(block), 0)

const jsonBytes = (item: Item): number => {
  if (item.role !== "exchange") return sum(item.blocks)
  const results = item.outcomes.reduce((total, { result }) => total + (result ? bytesOfBlock(result) : 0), 0)
  return sum(item.message.blocks) + results + (item.reply ? sum(item.reply.blocks) : 0) + callsOf(item).length * aroundBlock
}

/** The handle by which a reader gets at what a note stands for, such as `#12:3`. Undefined where nobody can. */
export type MediaHandle = (block: MediaBlock) => string | undefined

type Visit = (block: MediaBlock) => MediaBlock | TextBlock

/** Visits the media of some blocks, in order; the very list when nothing changed. */
const visitBlocks = <T extends Block>(blocks: readonly T[], visit: Visit): readonly T[] => {
  let changed: T[] | undefined
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as T
    const next = block.type === "media" ? (visit(block) as T) : block
    if (next !== block) changed ??= blocks.slice(0, index)
    if (changed) changed.push(next)
  }
  return changed ?? blocks
}

const visitMessage = (message: AssistantMessage, visit: Visit): AssistantMessage => {
  const blocks = visitBlocks<AssistantBlock>(message.blocks, visit)
  return blocks === message.blocks ? message : { ...message, blocks }
}

const visitOutcome = (outcome: Outcome, visit: Visit): Outcome => {
  const { result } = outcome
  if (!result) return outcome
  const content = visitBlocks(result.content, visit)
  return content === result.content ? outcome : { ...outcome, result: { ...result, content } }
}

/** Media that a target gets, in the order in which it is there. Elsewhere media is described in any case. */
export const visitItem = (item: Item, profile: Pick<Profile, "assistantMedia">, visit: Visit): Item => {
  if (item.role === "system") return item
  if (item.role === "user") {
    const blocks = visitBlocks<UserBlock>(item.blocks, visit)
    return blocks === item.blocks ? item : { ...item, blocks }
  }
  const isReplayed = profile.assistantMedia === "allow"
  const message = isReplayed ? visitMessage(item.message, visit) : item.message
  let outcomes: Outcome[] | undefined
  item.outcomes.forEach((outcome, index) => {
    const next = visitOutcome(outcome, visit)
    if (next !== outcome) (outcomes ??= [...item.outcomes])[index] = next
  })
  const reply = isReplayed && item.reply ? visitMessage(item.reply, visit) : item.reply
  if (message === item.message && outcomes === undefined && reply === item.reply) return item
  return { ...item, message, outcomes: outcomes ?? item.outcomes, ...(reply && { reply }) }
}

interface Judged {
  readonly item: number
  readonly block: MediaBlock
  /** What is there if no sum is exceeded. */
  readonly next?: MediaBlock
  readonly fault?: MediaFault
  /** How it weighs in sums; undefined where it is refused anyway. */
  readonly counted?: CountedMedia
}

const judge = (block: MediaBlock, item: number, { media }: Profile): Judged => {
  const verdict = judgeMedia(block, media)
  if (verdict.type === "refused") return { item, block, fault: verdict.fault }
  const next = verdict.type === "corrected" ? { next: verdict.block, fault: verdict.fault } : { next: block }
  const { kind } = next.next
  if (kind !== "image" && kind !== "document") return { item, block, ...next }
  const { width = 0, height = 0, pages = 1, encodedBytes = 0 } = verdict.facts ?? {}
  const counted: CountedMedia = { kind, units: Math.max(1, pages), bytes: encodedBytes, side: Math.max(width, height) }
  return { item, block, ...next, counted }
}

const nothingDropped: ReadonlyMap<CountedMedia, MediaFault> = new Map()

/** What goes because of a sum. */
const overBudget = (items: readonly Item[], judged: readonly Judged[], { media }: Profile): ReadonlyMap<CountedMedia, MediaFault> => {
  if (
    isWithin(
      judged.flatMap(({ counted }) => counted ?? []),
      media,
    )
  )
    return nothingDropped
  const budget = new MediaBudget(media)
  let next = 0
  for (let index = 0; index < items.length; index++) {
    if (media.requestBytes !== undefined) budget.addText(jsonBytes(items[index] as Item))
    for (; judged[next]?.item === index; next++) {
      const { counted } = judged[next] as Judged
      if (counted) budget.add(counted)
    }
  }
  return budget.dropped
}

/** What made room for others can be shown again; what is refused by itself would be refused again. */
const noteText = (block: MediaBlock, { reason }: MediaFault, handle: string | undefined, isRefused: boolean): string => {
  const where = handle === undefined ? "" : `, ${isRefused ? "stored as" : "recall"} ${handle}`
  return `${mediaNote(block).slice(0, -1)}, not sent: ${reason}${where}]`
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** The items with the media the target accepts; the very list when it accepts all of it. */
export const limitMedia = (
  conversation: Conversation,
  profile: Profile,
  note: Note,
  handleOf: MediaHandle = () => undefined,
): readonly Item[] => {
  const { items } = conversation
  const judged: Judged[] = []
  items.forEach((item, index) => {
    visitItem(item, profile, (block) => {
      judged.push(judge(block, index, profile))
      return block
    })
  })
  const dropped = overBudget(items, judged, profile)
  if (dropped.size === 0 && judged.every(({ fault }) => fault === undefined)) return items
  let at = 0
  return items.map((item, index) =>
    visitItem(item, profile, (block) => {
      const { next, counted, fault: own } = judged[at++] as Judged
      const fault = (counted && dropped.get(counted)) ?? own
      if (!fault) return block
      const found = `${capital(fault.found)} (${profile.title})`
      if (next && fault === own) {
        note(fault.rule, "safe", phrase`corrected the ${block.kind}: ${fault.found}`, index, { original: block, replacement: next, found })
        return next
      }
      const shown = text(noteText(block, fault, handleOf(block), fault === own))
      const what = phrase`replaced the ${block.kind} with a note: ${fault.found}`
      note(fault.rule, "demote", what, index, { original: block, replacement: shown, found })
      return shown
    }),
  )
}
