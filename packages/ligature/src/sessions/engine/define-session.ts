/** A session format as the codec it is: reading, writing, recognising and describing its files, all from one definition. */
import { isWire, limitDepth } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import type { Recognised, SessionCodec, SessionSample } from "../../formats/engine/session.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import { namedPlace } from "./place-names.ts"
import { factsOf, outlineSession, scanRecord } from "./outline-session.ts"
import { readPath, readSession } from "./read-session.ts"
import type { SessionFormat } from "./session-format.ts"
import { writeSession } from "./write-session.ts"

const ranks = { certain: 3, likely: 2, guess: 1 } as const

/** The strongest mark on the sample. Nobody is certain of a file without having read a message in it. */
const recognise = (format: SessionFormat, { syntax, records }: SessionSample): Recognised | undefined => {
  const whole = syntax === "lines" ? records : records[0]
  const onValue = format.valueMarks?.find(({ isOn }) => isOn(whole, syntax))
  if (onValue) return { certainty: onValue.certainty, why: onValue.evidence }
  let best: Recognised | undefined
  let hasMessage = false
  let suffices = false
  const inside = format.layout === "lines" ? records : records.flatMap((value) => format.records(value).slice(0, 64))
  inside.forEach((record, index) => {
    if (!isWire(record)) return
    const mark = format.marks.find(({ isOn }) => isOn(record, index))
    if (mark && (!best || ranks[mark.certainty] > ranks[best.certainty])) best = { certainty: mark.certainty, why: mark.evidence }
    suffices ||= mark?.suffices === true
    hasMessage ||= mark !== undefined && (format.read(limitDepth(record), "whole").messages ?? []).some(({ blocks }) => blocks.length > 0)
  })
  if (!best) return undefined
  const found: Recognised = best
  return found.certainty === "certain" && !hasMessage && !suffices ? { ...found, certainty: "likely" } : found
}

/** Where one path leads through a session, its name in the outline means that path. */
const named = (format: SessionFormat, value: unknown, options: DecodeOptions | undefined): DecodeOptions | undefined => {
  if (options?.branch === undefined || format.links || format.find) return options
  const isPath = outlineSession(format, value).paths.some(({ id }) => id === options.branch)
  return isPath ? { ...options, branch: "active" } : options
}

export const defineSession = (format: SessionFormat): SessionCodec => {
  const { place } = format
  return withDepthLimit({
    format: format.format,
    title: format.title,
    capabilities: format.capabilities,
    ...(format.wraps !== undefined && { wraps: format.wraps }),
    decode: (value, options) => readSession(format, value, named(format, value, options)),
    encode: (conversation, options) => writeSession(format, conversation, options),
    session: {
      agent: format.agent,
      layout: format.layout,
      ...(format.listKey !== undefined && { listKey: format.listKey }),
      ...(format.orLines && { orLines: format.orLines }),
      writes: format.writes ?? (format.header ? "any" : format.write ? "own" : "none"),
      view: format.view,
      ...(format.profile !== undefined && { profile: format.profile }),
      ...(format.idsRepeat && { idsRepeat: format.idsRepeat }),
      ...(format.heals && { heals: format.heals }),
      aliases: format.aliases ?? [],
      sources: format.sources,
      recognise: (sample) => recognise(format, sample),
      ...(format.fromText && { fromText: format.fromText }),
      ...(format.sessionsIn && { sessionsIn: format.sessionsIn }),
      outline: (value) => outlineSession(format, value),
      pulse: (record) => scanRecord(format, record),
      ...(format.copy && { copy: format.copy }),
      ...(place && {
        place: (value: unknown) => {
          const { records, path, value: read } = readPath(format, value)
          const facts = factsOf(format, records, path, read)
          return namedPlace({ id: facts.id, otherwise: "session", ...place(facts, value) })
        },
      }),
    },
  })
}
