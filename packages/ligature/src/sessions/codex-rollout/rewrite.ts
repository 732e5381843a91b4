/**
 * Conversation → the items of a session it came from, each with the one it was before. What says the same goes back as
 * the very same object; what the repair changed is written over the old item, so that its other fields survive; what is
 * new has no source. How the API would like an item written is no reason to touch it. Items are rewritten apart from
 * records, unlike elsewhere: one record may hold many of them, and mirrors of what an item says stand in others.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  asWord,
  type CallBlock,
  type ContentBlock,
  type Conversation,
  type Exchange,
  isWire,
  mediaNote,
  type OpaqueBlock,
  type ResultBlock,
  type SystemMessage,
  type ThinkingBlock,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { isMessageItem, nativeOf } from "../../formats/openai-responses/fields.ts"
import { readReasoning, readResult } from "../../formats/openai-responses/read-blocks.ts"
import { writeCall, writeParts, writeResult } from "../../formats/openai-responses/write-blocks.ts"
import { sameResult } from "../engine/same-blocks.ts"
import type { Entry } from "./walk.ts"
import { callFamilyOf, outputFamilyOf } from "./items.ts"
import { rejoin } from "./transcribe.ts"
import { isStructured, readStructured } from "./transcribe.ts"
import { writeClient, writeNewResult, writeSpoken } from "./write-item.ts"

export interface Written {
  /** What stood there before: an item, or the record of words that stand in no item. */
  readonly source?: Wire
  readonly item?: Wire
  /** New words for a source that is no item. */
  readonly words?: string
  readonly result?: true
  /** The call's item, for an answer that is new. */
  readonly call?: Wire
  /** The item behind which an answer must stand that is new, where that is not what it follows here. */
  readonly behind?: Wire
}

/** What could not be read is written as the text it was shown as, or it would stay damaged. */
const isMalformed = (block: ContentBlock): block is OpaqueBlock => block.type === "opaque" && block.kind === "malformed"

/** The part of an item that a block was read from: the first block of an item keeps the item itself. */
const ownPart = (block: ContentBlock, item: Wire): Wire | undefined => {
  const native = nativeOf(block)
  const first: unknown = native === item && Array.isArray(item["content"]) ? item["content"][0] : native
  return isWire(first) ? first : undefined
}

const sameText = (block: ContentBlock, part: unknown, item: Wire): boolean => {
  if (block.type !== "text") return ownPart(block, item) === part && !isMalformed(block)
  return isWire(part) && (part["text"] === block.text || part["refusal"] === block.text)
}

const saysContent = (item: Wire, blocks: readonly ContentBlock[]): boolean => {
  const { content } = item
  const [first] = blocks
  if (typeof content === "string") return blocks.length === 1 && first?.type === "text" && first.text === content
  if (!Array.isArray(content) || content.length !== blocks.length) return false
  return blocks.every((block, index) => sameText(block, content[index], item))
}

/** The parts of a message whose text was changed or of which some were left out. */
const partsOf = (item: Wire, blocks: readonly ContentBlock[], type: "input_text" | "output_text"): readonly Wire[] =>
  blocks.flatMap((block): readonly Wire[] => {
    const part = ownPart(block, item)
    if (block.type === "text") return [part?.["text"] === block.text ? part : { ...part, type, text: block.text }]
    if (type === "input_text") return writeParts([block])
    if (isMalformed(block)) return [{ type, text: block.text }]
    return part ? [part] : []
  })

const withBlocks = (item: Wire, blocks: readonly ContentBlock[], type: "input_text" | "output_text"): Wire => {
  if (saysContent(item, blocks)) return item
  const parts = partsOf(item, blocks, type)
  return sameElements(parts, item["content"]) ? item : { ...item, content: parts }
}

/** A call as it is written now, and the item it was. */
interface Asked {
  readonly call: Wire
  readonly source: Wire | undefined
}

/** For each call, the item of the last one in the unbroken run of calls that it stands in. */
const lastOfRuns = ({ blocks }: AssistantMessage, calls: readonly Asked[]): readonly (Wire | undefined)[] => {
  const lasts: (Wire | undefined)[] = []
  let last: Wire | undefined
  let open = false
  for (let index = blocks.length - 1, call = calls.length - 1; index >= 0; index--) {
    const isCall = blocks[index]?.type === "call"
    if (isCall && !open) last = calls[call]?.source
    if (isCall) lasts[call--] = last
    open = isCall
  }
  return lasts
}

export class Rewriter {
  readonly written: Written[] = []
  readonly #format: string
  readonly #sources: ReadonlySet<unknown>
  /** Items of which a message has several parts: the first block keeps the item, the others only their part. */
  readonly #owners = new Map<unknown, Wire>()
  #item: Wire | undefined
  #blocks: ContentBlock[] = []

  constructor(format: string, entries: readonly Entry[]) {
    this.#format = format
    this.#sources = new Set(entries.map((entry) => entry.source))
    for (const { source } of entries) {
      const { content } = source
      if (source["role"] !== "assistant" || !Array.isArray(content) || content.length < 2) continue
      for (const part of content as readonly unknown[]) this.#owners.set(part, source)
    }
  }

  conversation({ items }: Conversation): readonly Written[] {
    for (const item of items) {
      if (item.role === "exchange") this.#exchange(item)
      else this.#client(item)
    }
    return this.written
  }

  #client(message: SystemMessage | UserMessage): void {
    const { blocks, role } = message
    const [only] = blocks
    if (this.#words(message)) return
    const native = nativeOf(message) ?? (blocks.length === 1 && only ? nativeOf(only) : undefined)
    if (isWire(native) && this.#sources.has(native)) {
      const item = isMessageItem(native) ? withBlocks(native, blocks, "input_text") : native
      this.written.push({ source: native, item })
      return
    }
    const item = writeClient(role, blocks)
    if (item) this.written.push({ item })
  }

  /** Words that stand in no item go back into their record. */
  #words({ native, blocks }: AssistantMessage | SystemMessage | UserMessage): boolean {
    const record = native?.[this.#format]
    if (!isWire(record) || !this.#sources.has(record)) return false
    const [first] = blocks
    this.written.push({ source: record, ...(first?.type === "text" && { words: first.text }) })
    return true
  }

  #exchange({ message, outcomes, reply }: Exchange): void {
    const calls: Asked[] = []
    if (!this.#words(message)) {
      for (const block of message.blocks) {
        if (block.type === "call") calls.push(this.#call(block, outcomes[calls.length]?.result))
        else this.#block(block)
      }
      this.#close()
    }
    // Where nothing answers at all, answers stand behind their calls; else beside those that are there.
    const alone = outcomes.every(({ result }) => !result || !this.#sources.has(nativeOf(result)))
    const lasts = alone ? lastOfRuns(message, calls) : []
    for (let index = 0; index < outcomes.length; index++) {
      const result = outcomes[index]?.result
      const asked = calls[index]
      if (result && asked) this.#result(result, asked, lasts[index])
    }
    if (reply && !this.#words(reply)) {
      for (const block of reply.blocks) if (block.type !== "call") this.#block(block)
      this.#close()
    }
  }

  #call(block: CallBlock, result: ResultBlock | undefined): Asked {
    this.#close()
    const native = nativeOf(block)
    const source = isWire(native) && this.#sources.has(native) ? native : undefined
    const call = writeCall(rejoin(block), result)
    this.written.push({ item: call, ...(source && { source }) })
    return { call, source }
  }

  #result(block: ResultBlock, { call, source }: Asked, behind: Wire | undefined): void {
    const native = nativeOf(block)
    const result = rejoin(block)
    if (!isWire(native) || !this.#sources.has(native)) {
      const item = writeNewResult({ ...result, callId: asWord(call["call_id"] ?? result.callId) }, call)
      this.written.push({ item, result: true, ...(source && { call: source }), ...(behind && { behind }) })
      return
    }
    this.written.push({ source: native, item: rewriteResult(result, native, call), result: true })
  }

  #block(block: Exclude<AssistantBlock, CallBlock>): void {
    const native = nativeOf(block) ?? block.native?.[this.#format]
    const whole = isWire(native) && this.#sources.has(native) ? native : undefined
    if (whole && !isMessageItem(whole)) {
      this.#close()
      this.written.push({ source: whole, item: block.type === "thinking" ? rewriteReasoning(block, whole) : whole })
      return
    }
    if (block.type === "thinking") return
    const owner = whole ?? this.#owners.get(native)
    if (owner !== this.#item || whole) this.#close()
    this.#item = owner
    if (owner || block.type !== "opaque" || block.text !== "") this.#blocks.push(block)
  }

  #close(): void {
    const item = this.#item
    const blocks = this.#blocks
    if (item) this.written.push({ source: item, item: withBlocks(item, blocks, "output_text") })
    else if (blocks.length > 0) {
      const words = blocks.map((block) => (block.type === "media" ? mediaNote(block) : block.text))
      this.written.push({ item: writeSpoken(words) })
    }
    this.#item = undefined
    this.#blocks = []
  }
}

/** Encrypted reasoning is never edited; the text of other reasoning may have been. */
const rewriteReasoning = (block: ThinkingBlock, item: Wire): Wire => {
  if (item["type"] !== "reasoning" || readReasoning(item, false).text === block.text) return item
  const { content: _, ...rest } = item
  return { ...rest, summary: [{ type: "summary_text", text: block.text }] }
}

/** What says the same stays as it is, however the API would like it written. */
const rewriteResult = (result: ResultBlock, native: Wire, call: Wire): Wire => {
  const { output } = native
  const read = isStructured(native) ? readStructured(readResult(native)) : readResult(native)
  const isRead = typeof output === "string" || isStructured(native) || (Array.isArray(output) && !result.content.some(isMalformed))
  // An answer of another kind than its call would not be found again.
  const answers = callFamilyOf(call) === undefined || callFamilyOf(call) === outputFamilyOf(native)
  const isSame = isRead && answers && sameResult({ ...read, callId: result.callId }, result)
  if (!isSame) return writeResult(result, call)
  return native["call_id"] === result.callId ? native : { ...native, call_id: result.callId }
}
