/**
 * From a provider's refusal to the stored entry it is about. The refusal speaks of the request: of ids as they were
 * written there, or of a position in its list. Requests are written anew for each provider (ids are shortened, messages
 * joined and split), but never drop or reorder calls, so the n-th call of the request is the n-th call of the view.
 */
import { decode } from "../../codecs/index.ts"
import { type Classification, locate } from "../../laws/index.ts"
import type { Block, Message, Transcript } from "../../model/index.ts"

export interface SentRequest {
  readonly format: string
  readonly body: unknown
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

export const faultEntry = (classification: Classification, sent: SentRequest): string | undefined => {
  const { transcript, sources } = sent
  const wire = decode(sent.format, sent.body)
  const place = locate(classification, wire)?.place
  const message = place?.message === undefined ? undefined : wire.messages[place.message]
  if (!place || !message) return undefined
  const exact = place.block === undefined ? undefined : message.blocks[place.block]
  const block = idOf(exact) === undefined ? message.blocks.find((each) => idOf(each) !== undefined) : exact
  const id = exact && idOf(exact) === undefined ? undefined : idOf(block)
  if (id !== undefined && block) {
    const ordinal = ordinalsOf(wire).get(id)
    const type = block.type === "result" ? "result" : "call"
    const found = ordinal === undefined ? -1 : messageOfCall(transcript, ordinal, type)
    if (found >= 0) return sources[found] || undefined
  }
  const words = exact?.type === "text" ? exact.text : textOf(message)
  const found = transcript.messages.findLastIndex((each) => each.role === message.role && textOf(each).includes(words))
  return words === "" || found < 0 ? undefined : sources[found] || undefined
}
