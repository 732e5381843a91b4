/**
 * What a format cannot say of a conversation that came from another one: which pieces of information the conversation
 * really holds, against the homes the target declares. Nothing here is guessed from the pair of formats.
 */
import type { AssistantMessage, Block, CallBlock, Conversation, Exchange, Item, Loss, Place, ResultBlock, Wire } from "../model/index.ts"
import { type Codec, type Feature, features } from "../formats/engine/codec.ts"

const mediaFeatures = {
  image: "result-image",
  document: "result-document",
  file: "result-document",
  video: "result-video",
  audio: "audio",
} as const

const opaqueFeatures: Readonly<Record<string, Feature>> = {
  compaction: "compaction-marks",
  fallback: "compaction-marks",
  tool_reference: "tool-references",
  additional_tools: "tool-references",
  cachePoint: "cache-marks",
  citationsContent: "citations",
  audio: "audio",
}

/** True when something else is after a call. */
const isReordered = ({ blocks }: AssistantMessage): boolean => {
  let called = false
  for (let index = 0; index < blocks.length; index++) {
    if (blocks[index]?.type === "call") called = true
    else if (called) return true
  }
  return false
}

const hasSeveralCalls = ({ blocks }: AssistantMessage): boolean => {
  let calls = 0
  for (let index = 0; index < blocks.length; index++) if (blocks[index]?.type === "call") calls++
  return calls > 1
}

/** Text that does not come back from its parsed value: other spacing, other number formats, or no JSON at all. */
const hasOwnText = (call: CallBlock): boolean =>
  call.raw !== undefined && (call.fault !== undefined || call.raw !== JSON.stringify(call.arguments))

/** A number that no double holds exactly, or none at all: whoever parsed it may have rounded it (1234567890123456789, 1e400). */
const isInexact = (value: number): boolean => (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value))

const holdsInexact = (value: unknown): boolean => {
  if (typeof value === "number") return isInexact(value)
  return typeof value === "object" && value !== null && Object.values(value).some(holdsInexact)
}

class LossFinder {
  readonly losses: Loss[] = []
  readonly #target: Codec
  readonly #sources: Readonly<Record<string, Codec>>
  #item = 0
  /** Where the item is, once one of its losses has asked: most items have none. */
  #place: Place | undefined

  constructor(target: Codec, sources: Readonly<Record<string, Codec>>) {
    this.#target = target
    this.#sources = sources
  }

  /** The losses that follow are of this item. */
  enter(item: number): void {
    this.#item = item
    this.#place = undefined
  }

  #lose(feature: Feature, degree: Loss["degree"], what: string): void {
    this.#place ??= { item: this.#item }
    this.losses.push({ feature, degree, place: this.#place, what })
  }

  #add(feature: Feature, what: string = features[feature]): void {
    const home = this.#target.capabilities.homes[feature]
    if (home !== "native") this.#lose(feature, home === "none" ? "lost" : "weakened", what)
  }

  exchange({ message, outcomes, reply }: Exchange): void {
    if (hasSeveralCalls(message)) {
      this.#add("parallel-calls")
      this.#add("call-grouping")
    }
    this.message(message)
    for (let index = 0; index < outcomes.length; index++) {
      const result = outcomes[index]?.result
      if (result) this.#result(result)
    }
    if (reply) this.message(reply)
  }

  message(message: AssistantMessage): void {
    if (isReordered(message)) this.#add("block-order")
    if (message.name !== undefined) this.#add("speaker-name")
    this.#native(message)
    this.blocks(message.blocks)
  }

  blocks(blocks: readonly Block[]): void {
    for (let index = 0; index < blocks.length; index++) this.#block(blocks[index] as Block)
  }

  #block(block: Block): void {
    switch (block.type) {
      case "thinking":
        if (this.#isOwn(block)) return
        if (block.text !== "") this.#add("thinking")
        if (block.redacted === true) this.#add("redacted-thinking")
        // A signature is worth something only where it was made, whatever fields the target has.
        else if (block.signature !== undefined) this.#lose("thinking-signature", "lost", features["thinking-signature"])
        return
      case "call":
        if (this.#isOwn(block)) return
        if (block.custom === true) this.#add("free-text-call", `${features["free-text-call"]}: ${block.name}`)
        else if (block.raw === undefined && holdsInexact(block.arguments)) {
          // Said of every target: the digits were gone before anybody could hand them on.
          this.#lose("raw-arguments", "lost", `digits of a number in the arguments of ${block.name}: too long to be read exactly`)
        } else if (this.#target.capabilities.homes["raw-arguments"] !== "native" && hasOwnText(block)) this.#add("raw-arguments")
        if (block.assigned !== true) this.#add("call-id")
        this.#native(block)
        return
      case "opaque":
        if (!this.#isOwn(block)) this.#opaque(block.kind)
        return
      case "media":
        if (block.kind === "audio") this.#add("audio")
        return
      case "text":
        this.#native(block)
        return
      case "result":
        this.#result(block)
    }
  }

  #opaque(kind: string): void {
    const feature = opaqueFeatures[kind] ?? "server-tools"
    this.#add(feature, `${features[feature]}: ${kind}`)
  }

  #result(result: ResultBlock): void {
    // What we generated ourselves can be written anywhere.
    if (this.#isOwn(result) || result.synthetic !== undefined) return
    if (result.error === true) this.#add("result-error")
    if (result.content.length === 0) this.#add("empty-result")
    if (result.name !== undefined) this.#add("result-tool-name")
    if (result.structured === true) this.#add("structured-result")
    for (const block of result.content) {
      if (block.type === "media") this.#add(mediaFeatures[block.kind])
      else this.#block(block)
    }
    this.#native(result)
  }

  system(message: { readonly blocks: readonly Block[] }): void {
    this.#add("system-in-the-middle")
    this.blocks(message.blocks)
  }

  #isOwn(block: Block): boolean {
    const { native } = block
    if (native === undefined) return false
    const { format, wraps } = this.#target
    return Object.hasOwn(native, format) || (wraps !== undefined && Object.hasOwn(native, wraps))
  }

  #native(value: { readonly native?: Readonly<Record<string, unknown>> }): void {
    for (const format in value.native) {
      const wire = value.native[format]
      if (format === this.#target.format || typeof wire !== "object" || wire === null) continue
      const extras = Object.hasOwn(this.#sources, format) ? this.#sources[format]?.extras : undefined
      if (!extras) continue
      for (const feature of extras(wire as Wire)) this.#add(feature)
    }
  }
}

/** Empty when the conversation came from the target's own format. */
export const findLosses = (conversation: Conversation, target: Codec, sources: Readonly<Record<string, Codec>>): readonly Loss[] => {
  const finder = new LossFinder(target, sources)
  const { items } = conversation
  let spoken = false
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    finder.enter(index)
    if (item.role === "exchange") finder.exchange(item)
    else if (item.role === "system" && spoken) finder.system(item)
    else finder.blocks(item.blocks)
    if (item.role !== "system") spoken = true
    if (item.role === "user" && item.name !== undefined) {
      finder.message({ role: "assistant", blocks: [], name: item.name })
    }
  }
  return finder.losses
}
