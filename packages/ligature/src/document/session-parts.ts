/**
 * Session files among documents: which agent wrote this, and the value of each session in it. Tried before message lists
 * are looked for, because a session file is full of things that look like messages and are not.
 */

import { type Recognised, recordsLookedAt, type SessionCodec, type SessionSample } from "../formats/engine/session.ts"
import { allSessions } from "../registry/registry.ts"
import type { SessionFormat } from "../registry/sessions.ts"
import type { DocumentPart } from "./document.ts"
import type { LocatedPart } from "./document-parts.ts"
import { withoutHalfWritten } from "./half-written.ts"
import { isList, isObject, pointer } from "../json/json-value.ts"
import { requestListKey } from "./formats.ts"
import { requestKeys } from "./shapes.ts"
import type { Split, Unit } from "../json/split-values.ts"

export interface RecognisedSession extends Recognised {
  readonly codec: SessionCodec
  /** Whether the lines of the file are the records of one session, or each value is a session by itself. */
  readonly syntax: SessionSample["syntax"]
}

/**
 * One value may be all that is left of JSON lines, and each of many lines may be a session of its own, so both readings
 * are tried: the likelier first.
 */
function samplesOf(split: Split): readonly SessionSample[] {
  const records = split.units.slice(0, recordsLookedAt).map(({ value }) => value)
  if (records.length === 0) return []
  const lines: SessionSample = { syntax: "lines", records }
  const value: SessionSample = { syntax: "value", records: records.slice(0, 1) }
  return records.length === 1 ? [value, lines] : [lines, value]
}

function readsSyntax({ session: { layout, orLines } }: SessionCodec, { syntax }: SessionSample): boolean {
  return syntax === "lines" ? layout === "lines" || orLines === true : layout !== "lines"
}

/** Most sessions have a message among their first records, and reading all of the sample takes longer. */
const firstRecords = 12

function holdsMessage(codec: SessionCodec, sample: SessionSample): boolean {
  const { syntax, records } = sample
  if (syntax === "lines" && records.length > firstRecords && holdsMessage(codec, { syntax, records: records.slice(0, firstRecords) }))
    return true
  const values =
    syntax === "lines" ? [records] : records.flatMap((root) => codec.session.sessionsIn?.(root).map(({ value }) => value) ?? [root])
  return values.some((value) => codec.decode(value).messages.some(({ blocks }) => blocks.length > 0))
}

const requestLists: readonly string[] = Object.values(requestListKey)

/** A body of nothing but fields of requests is no session: every agent adds some of its own. Saves loading the readers of sessions. */
function isPlainRequest({ units }: Split): boolean {
  const [unit] = units
  if (unit === undefined || units.length > 1 || !isObject(unit.value)) return false
  const body = unit.value
  return Object.keys(body).every((key) => requestKeys.has(key)) && requestLists.some((key) => isList(body[key]))
}

export function recogniseSession(split: Split): RecognisedSession | undefined {
  if (isPlainRequest(split)) return undefined
  let best: RecognisedSession | undefined
  for (const sample of samplesOf(split)) {
    for (const codec of allSessions()) {
      if (!readsSyntax(codec, sample)) continue
      const recognised = codec.session.recognise(sample)
      if (recognised === undefined) continue
      // Nobody is certain of a file in which no message can be read: agents share their envelopes.
      const isEmpty = recognised.certainty === "certain" && !holdsMessage(codec, sample)
      const certainty = isEmpty ? "likely" : recognised.certainty
      const found = { codec, syntax: sample.syntax, ...recognised, certainty }
      if (certainty === "certain") return found
      if (best === undefined || (best.certainty === "guess" && certainty === "likely")) best = found
    }
  }
  return best
}

export function sessionParts(split: Split, session: RecognisedSession): readonly LocatedPart[] {
  const { codec, certainty, why, syntax } = session
  const common = { format: codec.format as SessionFormat, certainty, why, container: "session", copies: [] } as const
  if (syntax === "lines") {
    const { units } = split
    const value = units.map(wholeValue)
    const part: DocumentPart = {
      ...common,
      value,
      path: "",
      lines: units.map(({ line }) => line),
      ...(units[0] === undefined ? {} : { line: units[0].line }),
    }
    return [{ part, location: { kind: "lines", units } }]
  }
  return split.units.flatMap((unit) => {
    const root = wholeValue(unit)
    const found = codec.session.sessionsIn?.(root) ?? [{ path: [], value: root }]
    return found.map(({ path, value }): LocatedPart => ({
      part: { ...common, value, path: pointer(path), ...(split.syntax === "json" ? {} : { line: unit.line }) },
      location: { kind: "value", unit, path, copies: [] },
    }))
  })
}

function wholeValue(unit: Unit): unknown {
  return unit.open === undefined ? unit.value : withoutHalfWritten(unit.value, unit.open)
}
