/**
 * Messages → records. What a repair changed is written over the old item, so that its other fields survive. Codex's loader
 * is stricter than the API: a message has its type and a list of parts, parts are text or images, and what it does not know
 * it throws away with the whole record. So everything else is written as text.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isMalformed,
  isWire,
  mediaNote,
  type ResultBlock,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { idText } from "../../formats/engine/wire.ts"
import { writeUrl } from "../../formats/engine/media.ts"
import { isBorrowedMessage } from "../../formats/openai-responses/decode.ts"
import { isMessageItem, nativeOf } from "../../formats/openai-responses/fields.ts"
import { readReasoning, readResult } from "../../formats/openai-responses/read-blocks.ts"
import { writeCall, writeParts, writeResult } from "../../formats/openai-responses/write-blocks.ts"
import { patch, patchList } from "../engine/patch.ts"
import { sameResult } from "../engine/same-blocks.ts"
import type { RecordMessage, SessionFormat, WritePlace } from "../engine/session-format.ts"
import { callFamilyOf, classOf, outputFamilyOf, payloadOf, recordTypes, textOf } from "./items.ts"
import { isStructured, readStructured, rejoin } from "./read-item.ts"

type PartType = "input_text" | "output_text"

/** What could not be read is written as the text it was shown as, or it would stay damaged. */
const image = (block: ContentBlock): string | undefined =>
  block.type === "media" && block.kind === "image"
    ? writeUrl(block.mediaType === undefined ? { ...block, mediaType: "image/png" } : block)
    : undefined

const shown = (block: ContentBlock): string => (block.type === "media" ? mediaNote(block) : block.text)

const newPart = (block: ContentBlock, type: PartType): readonly Wire[] => {
  const url = type === "input_text" ? image(block) : undefined
  if (url !== undefined) return [{ type: "input_image", image_url: url }]
  return shown(block) === "" ? [] : [{ type, text: shown(block) }]
}

/** The part of an item that a block was read from: the first block of an item keeps the item itself. */
const ownPart = (block: ContentBlock, item: Wire): Wire | undefined => {
  const native = nativeOf(block)
  const first: unknown = native === item && Array.isArray(item["content"]) ? item["content"][0] : native
  return isWire(first) ? first : undefined
}

const partsOf = (block: ContentBlock, item: Wire, type: PartType): readonly Wire[] => {
  const part = ownPart(block, item)
  if (block.type === "text")
    return [part?.["text"] === block.text || part?.["refusal"] === block.text ? (part ?? {}) : { ...part, type, text: block.text }]
  if (isMalformed(block)) return [{ type, text: block.text }]
  return type === "input_text" ? writeParts([block]) : part ? [part] : newPart(block, type)
}

/** The item with these blocks: parts that did not change are the very same objects. */
const withBlocks = (item: Wire, blocks: readonly ContentBlock[], type: PartType): Wire => {
  const [first] = blocks
  if (blocks.length === 1 && first?.type === "text" && item["content"] === first.text) return item
  return patch(item, {
    content: patchList(
      item["content"],
      blocks.flatMap((block) => partsOf(block, item, type)),
    ),
  })
}

const phases: ReadonlySet<unknown> = new Set(["commentary", "final_answer"])

/** What the model said on the way, or in the end: some models want it back, and the loader knows these two. */
const phaseOf = (blocks: readonly Block[]): Wire => {
  const [phase, ...others] = new Set(blocks.map((block) => (nativeOf(block) as Wire | undefined)?.["phase"]))
  return others.length === 0 && phases.has(phase) ? { phase } : {}
}

const writeMessage = (role: string, blocks: readonly ContentBlock[], like: Wire | undefined): Wire | undefined => {
  const type = role === "assistant" ? "output_text" : "input_text"
  if (like && isMessageItem(like) && !isBorrowedMessage(like)) return withBlocks(like, blocks, type)
  const content = blocks.flatMap((block) => newPart(block, type))
  return content.length === 0 ? undefined : { type: "message", role: role === "system" ? "developer" : role, content, ...phaseOf(blocks) }
}

/** Calls of other built-in tools than these are functions to Codex. */
const keptCalls: ReadonlySet<unknown> = new Set(["local_shell_call"])

const newCall = (call: CallBlock): Wire => {
  if (keptCalls.has((nativeOf(call) as Wire | undefined)?.["type"])) return writeCall(call, undefined)
  const { native: _, ...plain } = call
  return writeCall(plain, undefined)
}

const plainContent = (block: ContentBlock): ContentBlock =>
  block.type === "media" && image(block) !== undefined ? { ...block, native: {} } : text(shown(block))

const newResult = (result: ResultBlock, call: Wire): Wire => {
  const { native: _, ...rest } = result
  return writeResult({ ...rest, callId: idText(call["call_id"]) || result.callId, content: result.content.map(plainContent) }, call)
}

/** What says the same stays as it is, however the API would like it written. */
const changedResult = (result: ResultBlock, item: Wire, call: Wire): Wire => {
  const { output } = item
  const read = isStructured(item) ? readStructured(readResult(item)) : readResult(item)
  const isRead = typeof output === "string" || isStructured(item) || (Array.isArray(output) && !result.content.some(isMalformed))
  // An answer of another kind than its call would not be found again.
  const answers = callFamilyOf(call) === undefined || callFamilyOf(call) === outputFamilyOf(item)
  const isSame = isRead && answers && sameResult({ ...read, callId: result.callId }, result)
  if (!isSame) return writeResult(result, call)
  return patch(item, { call_id: result.callId })
}

/** Encrypted reasoning is never edited; the text of other reasoning may have been. */
const changedReasoning = (block: ThinkingBlock, item: Wire): Wire => {
  if (item["type"] !== "reasoning" || readReasoning(item, false).text === block.text) return item
  const { content: _, ...rest } = item
  return { ...rest, summary: [{ type: "summary_text", text: block.text }] }
}

/** Reasoning and server-side items of the Responses API are at home here: same servers, same items. */
const itemOf = (block: Block): Wire | undefined => {
  const native = nativeOf(block)
  // What could not be read where it was found is no item either, whatever type it names.
  if (!isWire(native) || (block.type !== "thinking" && block.type !== "opaque") || isMalformed(block)) return undefined
  const { type } = native
  return typeof type === "string" && type !== "message" && type !== "malformed" && classOf(native) === "api" ? native : undefined
}

export const isAlone = (block: Block): boolean => block.type === "call" || block.type === "thinking" || itemOf(block) !== undefined

const writeItem = ({ role, blocks }: RecordMessage, like: Wire | undefined, call: Wire | undefined): Wire | undefined => {
  const [first] = blocks
  if (first?.type === "call") return like ? writeCall(rejoin(first), undefined) : newCall(first)
  if (first?.type === "result") {
    const result = rejoin(first)
    return like && nativeOf(first) === like ? changedResult(result, like, call ?? {}) : newResult(result, call ?? {})
  }
  if (first?.type === "thinking") return like ? changedReasoning(first, like) : itemOf(first)
  if (first?.type === "opaque" && like && !isMessageItem(like)) return like
  return (first && itemOf(first)) ?? writeMessage(role, blocks as readonly ContentBlock[], like)
}

/** How a format has items in its records. */
export interface Wrapping {
  /** The item in a record; undefined where the record has only text. */
  readonly itemIn: (record: Wire) => Wire | undefined
  readonly replace: (record: Wire, item: Wire) => Wire
  /** A new record; `like` is the record whose time it takes. */
  readonly wrap: (item: Wire, like: Wire | undefined) => Wire
}

const answered = ({ blocks }: RecordMessage, place: WritePlace): Wire | undefined =>
  blocks[0]?.type === "result" ? place.callOf(blocks[0].callId)?.record : undefined

export const itemWriter =
  ({ itemIn, replace, wrap }: Wrapping): NonNullable<SessionFormat["write"]> =>
  (messages, like, place) => {
    const [first] = messages
    if (!first) return []
    const message = { ...first, blocks: messages.flatMap(({ blocks }) => blocks) }
    const before = like && itemIn(like)
    const call = answered(message, place)
    if (like && !before) {
      const [block] = message.blocks
      return block?.type === "text" ? replace(like, { ...(like["payload"] as Wire), message: block.text }) : like
    }
    // Thinking among the parts of a message, as another API has it: the record is no reasoning, and says it no more.
    const [alone] = message.blocks
    const isPart = alone?.type === "thinking" && before !== undefined && isMessageItem(before)
    const item = writeItem(message, isPart ? undefined : before, call && itemIn(call))
    if (like && !isPart) return !item ? [] : item === before ? like : replace(like, item)
    const [block] = message.blocks
    // Thinking of other models has no place in a request: its event is shown and never sent.
    if (!item && block?.type === "thinking" && block.text !== "")
      return { ...wrap({}, place.previous), type: "event_msg", payload: { type: "agent_reasoning", text: block.text } }
    if (!item || message.summary !== true || place.seed === "") return item ? wrap(item, call ?? place.previous) : []
    return { ...wrap({}, place.previous), type: "compacted", payload: { message: textOf(item), replacement_history: [item] } }
  }

/** The items of a rollout: in a record of their own, or bare in the history that a compaction put in place. */
export const wrapped: Wrapping = {
  itemIn: (record) => payloadOf(record, "response_item") ?? (recordTypes.has(record["type"]) ? undefined : record),
  replace: (record, payload) => (recordTypes.has(record["type"]) ? { ...record, payload } : payload),
  wrap: (payload, like) => {
    const timestamp = like?.["timestamp"]
    return typeof timestamp === "string" ? { timestamp, type: "response_item", payload } : { type: "response_item", payload }
  },
}

const numbered = (record: Wire, ordinal: number): Wire => {
  if ("ordinal" in record) return { ...record, ordinal }
  const { timestamp, ...rest } = record
  return timestamp === undefined ? { ordinal, ...rest } : { timestamp, ordinal, ...rest }
}

/**
 * Keeps the numbers of records rising. A new record gets the next number; the ones after it keep theirs while there is room,
 * and move up by as little as it takes. A record without number among numbered ones gets one: the agent refuses the file
 * otherwise.
 */
export const withOrdinals = (records: readonly unknown[], isNew: (record: Wire) => boolean): readonly unknown[] => {
  let last: number | undefined
  let isShifted = false
  const next = (record: Wire): Wire => {
    last = (last ?? 0) + 1
    isShifted = true
    return numbered(record, last)
  }
  const out = records.map((record) => {
    if (!isWire(record) || !recordTypes.has(record["type"])) return record
    const { ordinal } = record
    if (last !== undefined && (typeof ordinal !== "number" || isNew(record) || (isShifted && ordinal <= last))) return next(record)
    if (typeof ordinal === "number") {
      last = ordinal
      isShifted = false
    }
    return record
  })
  return patchList(records, out)
}
