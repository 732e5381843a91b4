/** What every reader owes to a damaged session file. Each demand returns its complaints; none is the good answer. */
import { convert, decode, findCodec, isSessionCodec } from "../../../src/convert/index.ts"
import { type Document, openDocument } from "../../../src/document/index.ts"
import { settle } from "../../../src/rules/index.ts"
import type { Diagnostic } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"
import { moves } from "./moving-demand.ts"
import { probesOf } from "./naive-reading.ts"
import { type Original, readable, readingOf, wholeView } from "./original.ts"
import { repairHolds } from "./repair-demand.ts"
import { answered, Said } from "./said.ts"
import { bytesOf, isObject, type SessionText } from "./session-text.ts"

const wireTargets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

/** A record that is called a repetition has its words elsewhere, or is no repetition. */
const namedLines = (document: Document, diagnostics: readonly Diagnostic[]): ReadonlySet<number | undefined> => {
  const findings = diagnostics.filter(({ rule }) => rule !== "repeated-record")
  return new Set([...document.problems.map(({ line }) => line), ...findings.map(({ place }) => place.line)])
}

/** Every text that is still there in a whole record is read, on some path, or its record is named. */
const wordsKept = (original: Original, damaged: SessionText, document: Document): readonly string[] => {
  const said = new Said()
  const transcripts = document.parts.map(wholeView)
  for (const transcript of transcripts) said.add(transcript)
  const named = namedLines(
    document,
    transcripts.flatMap(({ diagnostics = [] }) => diagnostics),
  )
  const lost = readable(damaged).flatMap(({ record, line }) => {
    if (named.has(line)) return []
    const probes = probesOf(original.format, record)
    return probes.filter((probe) => original.said.has(probe) && !said.has(probe)).map((probe) => ({ probe, line }))
  })
  if (lost.length === 0) return []
  for (const part of document.parts) {
    const codec = findCodec(part.format)
    if (codec === undefined || !isSessionCodec(codec)) continue
    for (const { id, kind } of codec.session.outline(part.value).paths) {
      if (kind !== "active") said.add(decode(part.format, part.value, { branch: id, view: "whole" }))
    }
  }
  const silent = lost.filter(({ probe }) => !said.has(probe))
  return silent.map(({ probe, line }) => `words lost, line ${line}: ${probe.slice(0, 100)}`)
}

const pairsKept = ({ pairs }: Original, document: Document): readonly string[] => {
  if (!pairs.reliable) return []
  return document.parts.flatMap((part) =>
    answered(settle(wholeView(part)).conversation).flatMap(([call, result]) => {
      const calls = result.length > 20 ? pairs.callsByResult.get(result) : undefined
      if (calls === undefined || calls.has(call) || !pairs.calls.has(call)) return []
      return [`wrong pair: ${call.slice(0, 80)} ← ${result.slice(0, 60)}`]
    }),
  )
}

const requestsValid = (document: Document): readonly string[] =>
  document.parts.flatMap((part) =>
    wireTargets.flatMap((to) => {
      const { value } = convert(part.value, { from: part.format, to, extras: "strip", ...readingOf(part) })
      const { model: _, ...body } = value
      const verdict = judges[to](JSON.parse(JSON.stringify(body)))
      return verdict.ok ? [] : [`invalid ${to}: ${JSON.stringify(verdict).slice(0, 200)}`]
    }),
  )

/** Readers of every path and record answer, whatever is there. */
const neverThrows = (document: Document): readonly string[] => {
  for (const part of document.parts) {
    const codec = findCodec(part.format)
    if (codec === undefined || !isSessionCodec(codec)) continue
    const { paths } = codec.session.outline(part.value)
    for (const { id } of paths.slice(0, 4)) {
      for (const view of ["whole", "effective"] as const) codec.decode(part.value, { branch: id, view })
    }
    codec.session.place?.(part.value)
    if (Array.isArray(part.value)) for (const record of part.value) codec.session.pulse?.(record)
  }
  return []
}

/** What must be left of a file so that anybody could tell whose it is, beside the shape of its records. */
const marks: Readonly<Record<string, RegExp>> = {
  "codex-rollout-old": /"record_type":|"instructions":/,
  goose: /"working_dir":|"type":"tool(?:Request|Response)"/,
  "cline-api": /"role":"user".*(?:<task>|<environment_details>|"tool_use_id":)|"ts":/,
  continue: /"role":\s?"/,
}

const fewestRecords = 4

const isTellable = ({ format }: Original, damaged: SessionText): boolean => {
  const left = readable(damaged).filter(({ record }) => isObject(record) && Object.keys(record).length > 1)
  // Messages by id are members of one object: a tear there nests what follows in what was torn.
  if (left.length < fewestRecords || damaged.entries.some(({ lead, whole }) => lead !== "" && !whole)) return false
  const mark = marks[format]
  return mark === undefined || left.some(({ text }) => mark.test(text))
}

const recognised = (original: Original, damaged: SessionText, document: Document): readonly string[] => {
  const formats = [...new Set(document.parts.map(({ format }) => format))]
  if (document.format === original.format || !isTellable(original, damaged)) return []
  return [`read as ${formats.join() || "nothing"}: ${document.problems.map(({ kind }) => kind).join()}`]
}

/** Every demand on one damaged file. */
export const complaintsAbout = (
  original: Original,
  damaged: SessionText,
  { pairs, targets }: { readonly pairs: boolean; readonly targets: readonly string[] },
): readonly string[] => {
  const document = openDocument(bytesOf(damaged))
  const complaints = [...recognised(original, damaged, document), ...neverThrows(document), ...requestsValid(document)]
  if (document.format !== original.format) return complaints
  return [
    ...complaints,
    ...wordsKept(original, damaged, document),
    ...(pairs ? pairsKept(original, document) : []),
    ...repairHolds(damaged, document),
    ...moves(document, targets),
  ]
}
