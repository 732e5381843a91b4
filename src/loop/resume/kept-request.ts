/**
 * What stood around the messages of an imported conversation: model, tools, parameters. A log holds messages; this rides
 * along in a note, so that going back to the same format gives the same request.
 */
import { listKeyOf } from "../../codecs/document/index.ts"
import { isWire, type JsonValue, type Transcript, type Wire } from "../../model/index.ts"
import type { Entry, NewEntry } from "../../store/index.ts"

const noteName = "imported"

export interface KeptRequest {
  readonly format: string
  /** The request without its messages; absent for session files, whose bookkeeping is not kept. */
  readonly fields?: Wire
  /** The source was a list without a request around it. */
  readonly bare?: true
  /** File, title and folder of the source, as far as it said them. */
  readonly source?: string
  readonly folder?: string
  readonly startedAt?: string
}

/** The fields around the messages, by the word of the codec that read them. */
export const fieldsOf = ({ native, format }: Transcript): Wire | undefined => {
  const body = native?.[format]
  if (!isWire(body)) return undefined
  const { [listKeyOf(format)]: _, ...fields } = body
  return fields
}

export const keptRequestEntry = (kept: KeptRequest): NewEntry => ({
  kind: "note",
  name: noteName,
  value: kept as unknown as JsonValue,
})

/** The last one on the path. */
export const keptRequest = (entries: readonly Entry[]): KeptRequest | undefined => {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]
    if (entry?.kind !== "note" || entry.name !== noteName) continue
    const value: unknown = entry.value
    if (isWire(value) && typeof value["format"] === "string") return value as unknown as KeptRequest
  }
  return undefined
}

/** The transcript with what stood around it, for an encoder of that very format. */
export const withKeptRequest = (transcript: Transcript, kept: KeptRequest | undefined, format: string): Transcript =>
  kept?.fields && kept.format === format ? { ...transcript, native: { [format]: kept.fields } } : transcript
