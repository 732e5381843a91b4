/**
 * Session files among documents: which agent wrote this, and the value of each session in it. Tried before message lists
 * are looked for, because a session file is full of things that look like messages and are not.
 */

import { recordsLookedAt, type Recognised, type SessionCodec, type SessionSample } from "../session.ts"
import { sessionCodecs } from "../sessions/index.ts"
import type { DocumentPart } from "./document.ts"
import type { LocatedPart } from "./document-parts.ts"
import { withoutHalfWritten } from "./json/half-written.ts"
import { pointer } from "./json/json-value.ts"
import type { Split, Unit } from "./json/split-values.ts"

export interface RecognisedSession extends Recognised {
  readonly codec: SessionCodec
}

/** A file of one value may be JSON lines of which only one is left, so that is tried as well. */
function samplesOf(split: Split): readonly SessionSample[] {
  const records = split.units.slice(0, recordsLookedAt).map(({ value }) => value)
  if (records.length === 0) return []
  const lines: SessionSample = { syntax: "lines", records }
  return records.length === 1 ? [{ syntax: "value", records }, lines] : [lines]
}

function readsSyntax(codec: SessionCodec, { syntax }: SessionSample): boolean {
  return (codec.session.layout === "lines") === (syntax === "lines")
}

export function recogniseSession(split: Split): RecognisedSession | undefined {
  let best: RecognisedSession | undefined
  for (const sample of samplesOf(split)) {
    for (const codec of Object.values(sessionCodecs)) {
      if (!readsSyntax(codec, sample)) continue
      const recognised = codec.session.recognise(sample)
      if (recognised?.certainty === "certain") return { codec, ...recognised }
      if (recognised !== undefined && (best === undefined || recognised.certainty === "likely")) best ??= { codec, ...recognised }
    }
  }
  return best
}

export function sessionParts(split: Split, session: RecognisedSession): readonly LocatedPart[] {
  const { codec, certainty, why } = session
  const common = { format: codec.format, certainty, why, container: "session", copies: [] } as const
  if (codec.session.layout === "lines") {
    const { units } = split
    const value = units.map(wholeValue)
    const part: DocumentPart = {
      ...common, value, path: "", lines: units.map(({ line }) => line),
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
