/**
 * From a classified refusal to the place in the history it was sent from: ids name the block wherever it stands; else the
 * index in the refused request is counted from the first message of the list, past a system prompt that stood outside it.
 */
import { type Diagnostic, isWire, type Place, type Transcript } from "../../model/index.ts"
import { check } from "../check.ts"
import { placeOf } from "../place.ts"
import type { Classification } from "./classify.ts"

export interface Location {
  readonly place: Place
  /** What check finds there: the damage behind the refusal, with its repair. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Messages in front of the wire list: a system prompt that the format keeps beside it. */
const outsideList = (transcript: Transcript): number => {
  const wire = transcript.messages[0]?.native?.[transcript.format]
  return transcript.messages[0]?.role === "system" && isWire(wire) && !("role" in wire) ? 1 : 0
}

const findById = (transcript: Transcript, ids: ReadonlySet<string>): Place | undefined => {
  for (const [message, { blocks }] of transcript.messages.entries()) {
    for (const [block, value] of blocks.entries()) {
      const id = value.type === "call" ? value.id : value.type === "result" ? value.callId : undefined
      if (id !== undefined && ids.has(id)) return placeOf(transcript, { message, block })
    }
  }
  return undefined
}

const findByIndex = (transcript: Transcript, index: number, block: number | undefined): Place | undefined => {
  const message = index + outsideList(transcript)
  const found = transcript.messages[message]
  if (!found) return undefined
  return placeOf(transcript, { message, block: block !== undefined && block < found.blocks.length ? block : -1 })
}

export const locate = (classification: Classification, transcript: Transcript): Location | undefined => {
  const ids = new Set(classification.ids)
  const { message, block } = classification.place ?? {}
  const place =
    (ids.size > 0 ? findById(transcript, ids) : undefined) ??
    (message === undefined ? undefined : findByIndex(transcript, message, block))
  const diagnostics = check(transcript).filter((diagnostic) =>
    diagnostic.ids.some((id) => ids.has(id)) || (place !== undefined && diagnostic.place.message === place.message),
  )
  const first = place ?? diagnostics[0]?.place
  return first && { place: first, diagnostics }
}
