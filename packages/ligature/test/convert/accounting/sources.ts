/** Histories of every format, healthy and with foreign shapes in them, the same in every run. */
import { codecs, fileValueOf } from "../../../src/convert/index.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import type { SessionCodec } from "../../../src/formats/engine/session.ts"
import { requestListKey } from "../../../src/document/index.ts"
import type { WireFormat } from "../../../src/registry/registry.ts"
import { settle } from "../../../src/rules/index.ts"
import type { Conversation } from "../../../src/model/index.ts"
import { Choices, generateHistory } from "../../../src/testing/index.ts"
import { numbersFromSeed } from "../../../src/testing/damage.ts"
import { Markers, withForeignShapes } from "./foreign-shapes.ts"
import { openDocument } from "../../../src/document/index.ts"
import { fileOf, samples as readOnlySamples } from "../../sessions/read-only/samples.ts"
import { seeds } from "../../sessions/repair/seeds.ts"
import { samples } from "./samples.ts"

/** By hand: of formats that cannot be written from anything. Undefined: its files are no JSON, and hold no other shapes. */
const sampleOf = (format: string): unknown => {
  const sample = readOnlySamples[format]
  return samples[format] ?? seeds[format]?.[0] ?? (sample === undefined ? undefined : openDocument(fileOf(sample)).parts[0]?.value)
}

const generated = (choices: Choices): Conversation =>
  settle({ format: "ligature", messages: generateHistory(choices).messages }).conversation

export interface Source {
  readonly format: string
  readonly messageList?: string
  readonly make: (choices: Choices) => unknown
  /** Some files are only read. */
  readonly readOnly?: true
}

export const apis = Object.values(codecs).map((codec): Source => ({
  format: codec.format,
  messageList: requestListKey[codec.format as WireFormat],
  make: (choices) => codec.encode(generated(choices)),
}))

const hasSample = ({ format, session }: SessionCodec): boolean => session.writes === "any" || sampleOf(format) !== undefined

export const sessions = Object.values<SessionCodec>(sessionCodecs)
  .filter(hasSample)
  .map((codec): Source => ({
    format: codec.format,
    ...(codec.session.writes === "none" && { readOnly: true }),
    make: (choices) => (codec.session.writes === "any" ? fileValueOf(codec, codec.encode(generated(choices))) : sampleOf(codec.format)),
  }))

export const inputsOf = (
  { format, messageList, make }: Source,
  runs: number,
): readonly { readonly markers: Markers; readonly value: unknown }[] =>
  Array.from({ length: runs }, (_, seed) => {
    const choices = new Choices(numbersFromSeed(seed + 1, 400))
    const markers = new Markers(`${format} ${seed}`)
    return { markers, value: withForeignShapes(make(choices), messageList, choices, markers) }
  })
