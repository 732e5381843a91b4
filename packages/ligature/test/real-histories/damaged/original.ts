/** The undamaged file as it is read, and the records of the damaged one that can still be read. */
import { decode } from "../../../src/convert/index.ts"
import { type DocumentPart, openDocument } from "../../../src/document/index.ts"
import type { Transcript } from "../../../src/model/index.ts"
import { type Pairs, pairsOf, Said } from "./said.ts"
import { bytesOf, linesOf, parsed, type SessionText } from "./session-text.ts"

export const readingOf = (part: DocumentPart): { readonly lines?: readonly number[] } => (part.lines ? { lines: part.lines } : {})

export const wholeView = (part: DocumentPart): Transcript => decode(part.format, part.value, { ...readingOf(part), view: "whole" })

/** The undamaged file: what it says, and what answers what. */
export interface Original {
  readonly format: string
  readonly session: SessionText
  readonly said: Said
  readonly pairs: Pairs
}

export const readOriginal = (format: string, session: SessionText): Original => {
  const transcripts = openDocument(bytesOf(session)).parts.map(wholeView)
  const said = new Said()
  for (const transcript of transcripts) said.add(transcript)
  return { format, session, said, pairs: pairsOf(transcripts) }
}

/** As readers take it: NUL bytes are spaces. */
export const asText = (text: string): string => text.replaceAll("\0", " ")

export interface ReadableRecord {
  readonly record: unknown
  readonly line: number
  readonly text: string
}

/** Records that a reader can get at: whole, and on no line that is torn before them. */
export const readable = (session: SessionText): readonly ReadableRecord[] => {
  const lines = linesOf(session)
  let isTorn = false
  return session.entries.flatMap(({ text, whole, after }, index) => {
    const record = whole && !isTorn ? parsed(asText(text).replace(/^[\uFEFF\s]+/, "")) : undefined
    if (session.kind === "lines") isTorn = after === "" && (isTorn || !whole)
    return record === undefined ? [] : [{ record, line: lines[index] ?? 0, text }]
  })
}
