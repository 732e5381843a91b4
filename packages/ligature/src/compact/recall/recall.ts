/**
 * `recall` over a conversation: anything a compaction took out of the view comes back by its handle, by lines, or by
 * search. Output is bounded; where something is left, `next` is the handle that goes on, so an agent can page. Of a
 * range of items each is a page of its own.
 */
import { type CallBlock, callsOf, type Conversation, isWire, type Item, type JsonObject, type MediaBlock } from "../../model/index.ts"
import { sizeOfMedia } from "../meter/meter.ts"
import { type Handle, handleOf, parseHandle, type Reference, writeHandle } from "../text/handles.ts"
import { callTitle, longestTitle, passagesOf, type PlacedPassage, textOfBlock, textOfResult, wholeText } from "../text/item-text.ts"
import { safeCut } from "../text/shorten.ts"
import { searchItems } from "./search.ts"

/** The recall tool as it is declared to every provider, and what a model asks of it, whatever shape it gives its arguments. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON schema, in the part of it that every provider understands. */
  readonly parameters: JsonObject
}

export const recallToolName = "recall"

export const recallTool: ToolDefinition = {
  name: recallToolName,
  description:
    "Reads back parts of this conversation that were taken out of sight to save room. Stubs and summaries name them " +
    "by handles: #12 is the twelfth item, #12.2 the result of its second call, #12.2:5-9 lines 5 to 9 of that " +
    "result, #3-#7 items 3 to 7, one at a time. Images and files come with a whole item or result. Give a handle, or " +
    "a text to search the whole history for.",
  parameters: {
    type: "object",
    properties: {
      handle: {
        type: "string",
        description: "What to read: #12, #12.2, #12.2:5-9 or #3-#7. With search: where to start.",
      },
      search: { type: "string", description: "Text to look for in everything that was said so far." },
    },
  },
}

/** What is asked of `recall`. */
export interface RecallRequest {
  readonly handle?: string
  /** Text to look for, upper and lower case alike. With a handle: from there on. */
  readonly search?: string
}

/** The arguments of a call, which some providers hand over as JSON text; any other text is taken for a handle. */
const objectIn = (text: string): unknown => {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wordOf = (value: unknown): string | undefined => (typeof value === "string" || typeof value === "number" ? String(value) : undefined)

/** What a model asked for, whatever shape it gave its arguments. Fields of no use are left out. */
export const readRecallRequest = (given: unknown): RecallRequest => {
  if (typeof given === "number") return { handle: String(given) }
  const asked = typeof given === "string" ? (objectIn(given) ?? { handle: given }) : given
  if (!isWire(asked)) return {}
  const [handle, search] = [wordOf(asked["handle"]), wordOf(asked["search"])]
  return { ...(handle !== undefined && { handle }), ...(search !== undefined && { search }) }
}

/** The media of what a handle names: all of an item or a result, or the one that a line of it names. */
interface PlacedMedia {
  /** The line of the text at which it is named, from one. */
  readonly line: number
  readonly block: MediaBlock
}

/** Its native value belongs to its old place, and would be wrong where it is shown again. */
const withoutNative = (block: MediaBlock): MediaBlock => {
  const { native: _, ...plain } = block
  return plain
}

/** The media in the passages of a text, in order. */
export const mediaIn = (passages: readonly Pick<PlacedPassage, "blocks" | "line">[]): readonly PlacedMedia[] =>
  passages.flatMap(({ blocks, line: first }) => {
    let line = first
    return blocks.flatMap((block) => {
      const named = line
      const words = textOfBlock(block)
      if (words !== "") line += words.split("\n").length
      return block.type === "media" ? [{ line: named, block: withoutNative(block) }] : []
    })
  })

interface MediaLimit {
  readonly count: number
  readonly bytes: number
}

/** As many from the front as the limit allows; the first in any case, or reading on would never end. */
const withinLimit = (placed: readonly PlacedMedia[], { count, bytes }: MediaLimit): readonly MediaBlock[] => {
  const media: MediaBlock[] = []
  let left = bytes
  for (const { block } of placed.slice(0, count)) {
    left -= sizeOfMedia(block).bytes
    if (left < 0 && media.length > 0) break
    media.push(block)
  }
  return media
}

/** The media to return, and a note where there are more. */
const mediaFor = (
  placed: readonly PlacedMedia[],
  reference: Reference,
  limit: MediaLimit,
): { readonly media: readonly MediaBlock[]; readonly more: string } => {
  const { item, call, from, to, skip } = reference
  const isOneLine = from !== undefined && from === to && skip === undefined
  const asked = from === undefined ? placed : placed.filter(({ line }) => isOneLine && line === from)
  const media = withinLimit(asked, limit)
  const left = asked[media.length]
  if (left === undefined || media.length === 0) return { media, more: "" }
  const handle = writeHandle({ item, ...(call !== undefined && { call }), from: left.line, to: left.line })
  const others = `the others come with the lines that name them, the next with ${handle}`
  return { media, more: `\n[media: ${media.length} of ${asked.length}; ${others}]` }
}

export interface RecallOptions {
  /** The most characters of an answer. Default 16,000 (about 4,000 tokens). */
  readonly limitCharacters?: number
  /** The most media of an answer. Default 5; 0 for models that see none. */
  readonly limitMedia?: number
  /** The most bytes of an answer's media, as they are written in a request. Default 8,000,000; the first comes in any case. */
  readonly limitMediaBytes?: number
  /** Items that may not be read back, such as what a person hid. */
  readonly isHidden?: (item: number) => boolean
}

export interface Recalled {
  /** False when the handle is unreadable or points at nothing; `text` describes what would work. */
  readonly found: boolean
  readonly text: string
  /** Where to go on, when this was not all. */
  readonly next?: Handle
  /**
   * The images and files of a whole item or a whole result, and of a single line that names one. The text only names
   * them. Absent when there are none.
   */
  readonly media?: readonly MediaBlock[]
}

const defaultLimitCharacters = 16_000
const defaultLimitMedia = 5
const defaultLimitMediaBytes = 8_000_000

const notFound = (text: string): Recalled => ({ found: false, text })

/** The lines of a text from a reference on, as many as fit; at least a piece of one. */
const pageOfLines = (
  lines: readonly string[],
  reference: Reference,
  limit: number,
): { readonly text: string; readonly from: number; readonly to: number; readonly next?: Handle } => {
  const { from = 1, to = lines.length, skip = 0 } = reference
  const last = Math.min(to, lines.length)
  const first = lines[from - 1] ?? ""
  const start = safeCut(first, skip)
  let text = first.slice(start)
  if (text.length > limit) {
    // At least one character, or paging would never end.
    const length = safeCut(text, limit) || limit + 1
    const next = writeHandle({ ...reference, from, skip: start + length })
    return { text: text.slice(0, length), from, to: from, next }
  }
  let line = from
  while (line < last && text.length + 1 + (lines[line]?.length ?? 0) <= limit) {
    text += `\n${lines[line] ?? ""}`
    line++
  }
  const { skip: _, ...whole } = reference
  return { text, from, to: line, ...(line < last && { next: writeHandle({ ...whole, from: line + 1, to: last }) }) }
}

const titleOf = (position: number, item: Item): string => {
  if (item.role !== "exchange") return `${handleOf(position)} ${passagesOf(item)[0]?.title ?? item.role}`
  const names = callsOf(item).map((call) => call.name)
  return `${handleOf(position)} assistant${names.length === 0 ? "" : `, called ${names.join(", ")}`}`
}

/** Long arguments are read back with the whole item: lines of a call's handle are those of its result. */
const shortTitle = (call: CallBlock, position: number): string => {
  const title = callTitle(call)
  if (title.length <= longestTitle) return title
  return `${title.slice(0, safeCut(title, longestTitle))}… (all of it: ${handleOf(position)})`
}

interface Target {
  readonly title: string
  readonly text: string
  readonly media: readonly PlacedMedia[]
}

const targetOf = (item: Item, reference: Reference): Target | string => {
  const { item: position, call } = reference
  if (call === undefined) {
    const { text, passages } = wholeText(item, (index) => handleOf(position, index))
    return { title: titleOf(position, item), text, media: mediaIn(passages) }
  }
  if (item.role !== "exchange") return `${handleOf(position)} is a ${item.role} message: it has no calls`
  const asked = callsOf(item)[call]
  if (asked === undefined) return `${handleOf(position)} has ${callsOf(item).length} calls, not ${call + 1}`
  const outcome = item.outcomes[call]
  const text = outcome?.result === undefined ? "(no result yet)" : textOfResult(outcome.result)
  return {
    title: `${handleOf(position, call)} ${shortTitle(asked, position)} → ${outcome?.kind ?? "pending"}`,
    text,
    media: mediaIn([{ blocks: outcome?.result?.content ?? [], line: 1 }]),
  }
}

/** Inside a long line, how much of it comes before is given. */
const placeInLine = (line: string, skip: number): string =>
  skip === 0 ? "" : `, from character ${Math.min(skip, line.length) + 1} of ${line.length}`

type IsHidden = RecallOptions["isHidden"]

const hiddenNote = (from: number, to: number): string =>
  from === to
    ? `${handleOf(from)} was hidden and cannot be read back`
    : `${handleOf(from)} to ${handleOf(to)} were hidden and cannot be read back`

/** The first item from a position on that may be read back; one past the last where none may. */
const firstShown = (from: number, last: number, isHidden: IsHidden): number => {
  let position = from
  while (position <= last && isHidden?.(position) === true) position++
  return position
}

interface Ahead {
  readonly next?: Handle
  readonly note: string
}

/** Where a range continues after an item, or why it does not. */
const behind = (item: number, last: number, isHidden: IsHidden): Ahead => {
  if (item >= last) return { note: "" }
  if (firstShown(item + 1, last, isHidden) > last) return { note: `\n[${hiddenNote(item + 1, last)}]` }
  return { next: writeHandle({ item: item + 1, ...(item + 1 < last && { until: last }) }), note: "" }
}

/** A reference of a range that ends at an item. Without lines it begins with the whole of its first item. */
const upTo = (reference: Reference, last: number): Reference => {
  const { call, until, ...rest } = reference
  if (until === undefined) return reference
  return { ...rest, ...(call !== undefined && rest.from !== undefined && { call }), until: last }
}

type Limits = Required<Pick<RecallOptions, "limitCharacters" | "limitMedia" | "limitMediaBytes">>

/** What a reference names, and of a range its first item. */
const read = (items: readonly Item[], asked: Reference, limits: Limits, isHidden: IsHidden): Recalled => {
  if (items[asked.item] === undefined)
    return notFound(`There is no ${handleOf(asked.item)}: the history has ${items.length} item${items.length === 1 ? "" : "s"}.`)
  const last = Math.min(asked.until ?? asked.item, items.length - 1)
  const position = firstShown(asked.item, last, isHidden)
  const item = items[position]
  if (item === undefined || position > last) return notFound(`${hiddenNote(asked.item, last)}.`)
  const isSkipping = position > asked.item
  const reference = isSkipping ? { item: position, until: last } : upTo(asked, last)
  const target = targetOf(item, reference)
  if (typeof target === "string") return notFound(`${target}.`)
  const lines = target.text.split("\n")
  if ((reference.from ?? 1) > lines.length) return notFound(`${target.title} has ${lines.length} lines.`)
  const page = pageOfLines(lines, reference, limits.limitCharacters)
  const { text, from, to } = page
  const { next, note } = page.next === undefined ? behind(position, last, isHidden) : { next: page.next, note: "" }
  const range = lines.length === 1 ? "" : `, lines ${from}-${to} of ${lines.length}`
  const within = placeInLine(lines[from - 1] ?? "", reference.skip ?? 0)
  const { limitMedia: count, limitMediaBytes: bytes } = limits
  const { media, more: moreMedia } = mediaFor(target.media, reference, { count, bytes })
  const skipped = isSkipping ? `[${hiddenNote(asked.item, position - 1)}]\n` : ""
  const more = next === undefined ? "" : `\n[more: ${next}]`
  return {
    found: true,
    text: `${skipped}[${target.title}${range}${within}]\n${text}${moreMedia}${note}${more}`,
    ...(next !== undefined && { next }),
    ...(media.length > 0 && { media }),
  }
}

/**
 * Reads back from a conversation; positions are those of its items. The request is a `RecallRequest`, or the arguments of
 * a call just as a model gave them. Never throws, whatever they are.
 */
export const readBack = (conversation: Conversation, request: unknown, options: RecallOptions = {}): Recalled => {
  const { limitMedia = defaultLimitMedia, limitMediaBytes = defaultLimitMediaBytes, isHidden } = options
  const most = options.limitCharacters ?? defaultLimitCharacters
  const limitCharacters = most >= 1 ? most : defaultLimitCharacters
  const { items } = conversation
  const { handle, search } = readRecallRequest(request)
  const reference = handle === undefined || handle.trim() === "" ? undefined : parseHandle(handle)
  if (handle !== undefined && handle.trim() !== "" && reference === undefined) {
    const known = "Handles look like #12, #12.2, #12.2:5-9 or #3-#7."
    return notFound(`${JSON.stringify(handle.slice(0, 60))} is no handle. ${known}`)
  }
  if (search !== undefined && search.trim() !== "") {
    return searchItems(items, search, { limitCharacters, ...(reference && { from: reference }), ...(isHidden && { isHidden }) })
  }
  if (reference === undefined) return notFound("Give a handle (#12, #12.2, #12.2:5-9, #3-#7) or a text to search for.")
  return read(items, reference, { limitCharacters, limitMedia, limitMediaBytes }, isHidden)
}
