/**
 * What stood around the messages of an imported conversation: model, tools, parameters. A log holds messages; this rides
 * along in a note, so that going back to the same format gives the same request.
 */
import { listKeyOf } from "../../document/index.ts"
import { isWire, type JsonValue, type Transcript, type Wire } from "../../model/index.ts"
import type { Entry, NewEntry } from "../../store/index.ts"
import { equalJson } from "./equal-json.ts"

const noteName = "imported"

export interface KeptRequest {
  readonly format: string
  /** The request without its messages; absent for session files, whose bookkeeping is not kept. */
  readonly fields?: Wire
  /** The source was a list without a request around it. */
  readonly bare?: true
  /** File, title and folder of the source, as far as it said them. */
  readonly source?: string
  readonly title?: string
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

/** What such a note says; undefined for any other entry. */
export const keptIn = (entry: NewEntry | undefined): KeptRequest | undefined => {
  const value: unknown = entry?.kind === "note" && entry.name === noteName ? entry.value : undefined
  return isWire(value) && typeof value["format"] === "string" ? (value as unknown as KeptRequest) : undefined
}

/** The last one on the path. */
export const keptRequest = (entries: readonly Entry[]): KeptRequest | undefined => keptIn(entries.findLast(keptIn))

const unnamed = (kept: KeptRequest): Omit<KeptRequest, "source"> => {
  const { source: _, ...rest } = kept
  return rest
}

/** Whether two say the same; under which name a file was given does not count. */
export const isSameSource = (left: KeptRequest, right: KeptRequest): boolean => equalJson(unnamed(left), unnamed(right))

/** The transcript with what stood around it, for an encoder of that very format. */
export const withKeptRequest = (transcript: Transcript, kept: KeptRequest | undefined, format: string): Transcript =>
  kept?.fields && kept.format === format ? { ...transcript, native: { [format]: kept.fields } } : transcript
