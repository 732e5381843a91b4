/**
 * From a provider's refusal to the stored entry it is about. The refusal speaks of the request: of ids as they were
 * written there, or of a position in its list. Requests are written anew for each provider (ids are shortened, messages
 * joined and split), but never drop or reorder calls, so the n-th call of the request is the n-th call of the view.
 */
import { decode, resolveCodec } from "../../convert/index.ts"
import { locate, type Refused } from "../../rules/classify/index.ts"
import type { Block, MediaBlock, Message, ReportEntry, Transcript } from "../../model/index.ts"

export interface SentRequest {
  readonly format: string
  readonly body: unknown
  /** What was changed for the provider. */
  readonly changes: readonly ReportEntry[]
  /** What the request was made of. */
  readonly transcript: Transcript
  /** The entry behind each message; "" for one that is not stored. */
  readonly sources: readonly string[]
}

const idOf = (block: Block | undefined): string | undefined =>
  block?.type === "call" ? block.id : block?.type === "result" ? block.callId : undefined

/** The ordinal of each call, by id; ids that are used again count where they first stand. */
const ordinalsOf = ({ messages }: Transcript): ReadonlyMap<string, number> => {
  const ordinals = new Map<string, number>()
  let ordinal = 0
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type !== "call") continue
      if (!ordinals.has(block.id)) ordinals.set(block.id, ordinal)
      ordinal++
    }
  }
  return ordinals
}

const textOf = ({ blocks }: Message): string =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/** The message with the n-th call, or with its result. */
const messageOfCall = ({ messages }: Transcript, ordinal: number, type: "call" | "result"): number => {
  let id: string | undefined
  let seen = 0
  for (const [index, { blocks }] of messages.entries()) {
    for (const block of blocks) {
      if (block.type === "call" && seen++ === ordinal) {
        if (type === "call") return index
        id = block.id
      } else if (block.type === "result" && id !== undefined && block.callId === id) return index
    }
  }
  return -1
}

/** All media of a history, with the message it is in: in its blocks, or inside its results. */
const mediaOf = ({ messages }: Transcript): readonly { readonly message: number; readonly media: MediaBlock }[] =>
  messages.flatMap(({ blocks }, message) =>
    blocks
      .flatMap((block): readonly Block[] => (block.type === "result" ? block.content : [block]))
      .flatMap((media) => (media.type === "media" ? [{ message, media }] : [])),
  )

const addressOf = ({ source }: MediaBlock): string =>
  source.type === "base64" ? source.data : source.type === "url" ? source.url : source.id

/**
 * The stored message with the media of the request. The same image may be there several times, and old ones may have
 * been left out of the request: they are counted from the end.
 */
const messageOfMedia = (wire: Transcript, transcript: Transcript, media: MediaBlock): number => {
  const address = addressOf(media)
  const same = (history: Transcript): ReturnType<typeof mediaOf> =>
    mediaOf(history).filter((each) => addressOf(each.media) === address)
  const sent = same(wire)
  const fromEnd = sent.length - sent.findIndex((each) => each.media === media)
  return same(transcript).at(-fromEnd)?.message ?? -1
}

/** The message whose text is in the request; of messages that were joined for it, the last. */
const messageOfText = ({ messages }: Transcript, role: Message["role"], words: string): number => {
  if (words === "") return -1
  const whole = messages.findLastIndex((each) => each.role === role && textOf(each).includes(words))
  if (whole >= 0) return whole
  return messages.findLastIndex((each) => each.role === role && textOf(each) !== "" && words.includes(textOf(each)))
}

/** The block a refusal is about, and the message of the request it is in. */
const refusedBlock = (refused: Refused, wire: Transcript) => {
  const located = locate(refused, wire)
  const message = located?.place.message === undefined ? undefined : wire.messages[located.place.message]
  if (!located || !message) return undefined
  const outer = located.place.block === undefined ? undefined : message.blocks[located.place.block]
  const inner = outer?.type === "result" && located.inside !== undefined ? outer.content[located.inside] : undefined
  return { message, outer, media: [inner, outer].find((block) => block?.type === "media") }
}

export const faultEntry = (refused: Refused, sent: Omit<SentRequest, "changes">): string | undefined => {
  const { transcript, sources } = sent
  const wire = decode(resolveCodec(sent.format), sent.body)
  const found = refusedBlock(refused, wire)
  if (!found) return undefined
  const { message, outer, media } = found
  const sourceOf = (index: number): string | undefined => (index < 0 ? undefined : sources[index] || undefined)
  if (media?.type === "media") {
    const entry = sourceOf(messageOfMedia(wire, transcript, media))
    if (entry !== undefined) return entry
  }
  const block = idOf(outer) === undefined ? message.blocks.find((each) => idOf(each) !== undefined) : outer
  const id = outer && idOf(outer) === undefined ? undefined : idOf(block)
  if (id !== undefined && block) {
    const ordinal = ordinalsOf(wire).get(id)
    const type = block.type === "result" ? "result" : "call"
    const entry = ordinal === undefined ? undefined : sourceOf(messageOfCall(transcript, ordinal, type))
    if (entry !== undefined) return entry
  }
  return sourceOf(messageOfText(transcript, message.role, outer?.type === "text" ? outer.text : textOf(message)))
}
