/**
 * What a format cannot say of a conversation that came from another one: which pieces of information the conversation
 * really holds, against the homes the target declares. Nothing here is guessed from the pair of formats.
 */
import type {
  AssistantMessage,
  Block,
  CallBlock,
  Conversation,
  Exchange,
  Loss,
  Place,
  ResultBlock,
  Wire,
} from "../model/index.ts"
import { callsOf } from "../model/index.ts"
import { type Codec, type Feature, features } from "./codec.ts"

const mediaFeatures = { image: "F2", document: "F3", file: "F3", video: "F4", audio: "F21" } as const

const opaqueFeatures: Readonly<Record<string, Feature>> = {
  compaction: "F25",
  fallback: "F25",
  tool_reference: "F26",
  additional_tools: "F26",
  cachePoint: "F18",
  citationsContent: "F19",
  audio: "F21",
}

const isReordered = (message: AssistantMessage): boolean => {
  const firstCall = message.blocks.findIndex((block) => block.type === "call")
  return firstCall >= 0 && message.blocks.slice(firstCall).some((block) => block.type !== "call")
}

/** Text that does not come back from its parsed value: other spacing, other number formats, or no JSON at all. */
const hasOwnText = (call: CallBlock): boolean =>
  call.raw !== undefined && (call.fault !== undefined || call.raw !== JSON.stringify(call.arguments))

class LossFinder {
  readonly losses: Loss[] = []
  readonly #target: Codec
  readonly #sources: ReadonlyMap<string, Codec>

  constructor(target: Codec, sources: ReadonlyMap<string, Codec>) {
    this.#target = target
    this.#sources = sources
  }

  #add(code: Feature, place: Place, what: string = features[code]): void {
    const home = this.#target.capabilities.homes[code]
    if (home === "native") return
    this.losses.push({ code, degree: home === "none" ? "lost" : "weakened", place, what })
  }

  /** A signature is worth something only where it was made, whatever fields the target has. */
  #addSignature(place: Place): void {
    this.losses.push({ code: "F8", degree: "lost", place, what: features.F8 })
  }

  exchange(exchange: Exchange, place: Place): void {
    const calls = callsOf(exchange)
    if (calls.length > 1) {
      this.#add("F11", place)
      this.#add("F12", place)
    }
    this.message(exchange.message, place)
    for (const { result } of exchange.outcomes) if (result) this.#result(result, place)
    if (exchange.reply) this.message(exchange.reply, place)
  }

  message(message: AssistantMessage, place: Place): void {
    if (isReordered(message)) this.#add("F10", place)
    if (message.name !== undefined) this.#add("F24", place)
    this.#native(message, place)
    for (const block of message.blocks) this.block(block, place)
  }

  block(block: Block, place: Place): void {
    switch (block.type) {
      case "thinking":
        if (this.#isOwn(block)) return
        if (block.text !== "") this.#add("F7", place)
        if (block.redacted === true) this.#add("F9", place)
        else if (block.signature !== undefined) this.#addSignature(place)
        return
      case "call":
        if (this.#isOwn(block)) return
        if (block.custom === true) this.#add("F14", place, `${features.F14}: ${block.name}`)
        else if (this.#target.capabilities.homes.F13 !== "native" && hasOwnText(block)) this.#add("F13", place)
        if (block.assigned !== true) this.#add("F15", place)
        this.#native(block, place)
        return
      case "opaque":
        if (!this.#isOwn(block)) this.#opaque(block.kind, place)
        return
      case "media":
        if (block.kind === "audio") this.#add("F21", place)
        return
      case "text":
        this.#native(block, place)
        return
      case "result":
        this.#result(block, place)
    }
  }

  #opaque(kind: string, place: Place): void {
    const code = opaqueFeatures[kind] ?? "F22"
    this.#add(code, place, `${features[code]}: ${kind}`)
  }

  #result(result: ResultBlock, place: Place): void {
    // What we invented ourselves can be said anywhere.
    if (this.#isOwn(result) || result.synthetic !== undefined) return
    if (result.error === true) this.#add("F1", place)
    if (result.content.length === 0) this.#add("F6", place)
    if (result.name !== undefined) this.#add("F17", place)
    if (result.structured === true) this.#add("F5", place)
    for (const block of result.content) {
      if (block.type === "media") this.#add(mediaFeatures[block.kind], place)
      else this.block(block, place)
    }
    this.#native(result, place)
  }

  system(message: { readonly blocks: readonly Block[] }, place: Place): void {
    this.#add("F23", place)
    for (const block of message.blocks) this.block(block, place)
  }

  #isOwn(block: Block): boolean {
    return block.native !== undefined && Object.hasOwn(block.native, this.#target.format)
  }

  #native(value: { readonly native?: Readonly<Record<string, unknown>> }, place: Place): void {
    for (const format in value.native) {
      const wire = value.native[format]
      const extras = this.#sources.get(format)?.extras
      if (format === this.#target.format || !extras || typeof wire !== "object" || wire === null) continue
      for (const code of extras(wire as Wire)) this.#add(code, place)
    }
  }
}

/** Empty when the conversation came from the target's own format. */
export const findLosses = (
  conversation: Conversation,
  target: Codec,
  sources: Readonly<Record<string, Codec>>,
): readonly Loss[] => {
  const finder = new LossFinder(target, new Map(Object.entries(sources)))
  let spoken = false
  conversation.items.forEach((item, index) => {
    const place: Place = { item: index }
    if (item.role === "exchange") finder.exchange(item, place)
    else if (item.role === "system" && spoken) finder.system(item, place)
    else for (const block of item.blocks) finder.block(block, place)
    if (item.role !== "system") spoken = true
    if (item.role === "user" && item.name !== undefined) {
      finder.message({ role: "assistant", blocks: [], name: item.name }, place)
    }
  })
  return finder.losses
}
