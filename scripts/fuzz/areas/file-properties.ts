/** What must hold for the bytes of a file: it opens, it is written back unchanged or repaired, and what was written reads as healthy. */
import type { Buffer } from "node:buffer"
import { type Document, type DocumentPart, openDocument } from "../../../packages/ligature/src/document/index.ts"
import { decode, isSessionCodec, repair, resolveCodec } from "../../../packages/ligature/src/convert/index.ts"
import { check } from "../../../packages/ligature/src/rules/index.ts"
import type { Loss, ReportEntry } from "../../../packages/ligature/src/model/index.ts"
import { missingWords } from "../accounting.ts"
import { type Failure, Trial } from "../trial.ts"

interface RepairedFile {
  readonly text: string
  readonly entries: readonly ReportEntry[]
  readonly losses: readonly Loss[]
}

const canWrite = ({ format }: DocumentPart): boolean => {
  const codec = resolveCodec(format)
  return !isSessionCodec(codec) || codec.session.writes !== "none"
}

/** Calls of a reply are answered in the next request. */
const tipOf = ({ appended, container }: DocumentPart): "open" | "closed" =>
  appended === undefined && container !== "reply" ? "closed" : "open"

/** As the command repairs a file: conversations with nothing to report keep their text. */
const repaired = (document: Document): RepairedFile => {
  const replacements = new Map<DocumentPart, unknown>()
  const entries: ReportEntry[] = []
  const losses: Loss[] = []
  for (const part of document.parts.filter(canWrite)) {
    const { value, report } = repair(part.value, {
      from: part.format,
      ...(part.lines && { lines: part.lines }),
      tip: tipOf(part),
      excerpt: part.container === "reply",
    })
    if (report.entries.length === 0) continue
    entries.push(...report.entries)
    losses.push(...report.losses)
    replacements.set(part, value)
  }
  return { text: replacements.size === 0 ? "" : document.rebuild(replacements), entries, losses }
}

/**
 * The repaired file read as what the file was: a format that was only guessed may be guessed otherwise once it is repaired,
 * and each format is right about what it reads. What was certain has to stay so.
 */
export const readAsBefore = (before: readonly DocumentPart[], after: Document): Document => {
  const parts = after.parts.map((part, index): DocumentPart => {
    const was = before[index]
    return was && was.certainty !== "certain" && was.format !== part.format ? { ...part, format: was.format } : part
  })
  return { ...after, parts }
}

const rulesIn = (found: readonly { readonly rule: string }[]): string => [...new Set(found.map(({ rule }) => rule))].sort().join(", ")

export const tryFile = (bytes: Buffer): readonly Failure[] => {
  const opening = new Trial("file")
  const document = opening.step("open", () => openDocument(bytes))
  if (!document) return opening.failures
  const trial = new Trial(`file of ${document.parts[0]?.format ?? "nothing"}`)
  if (document.parts.length === 0) return opening.failures
  const text = bytes.toString("utf8")
  const isText = !text.includes("\ufffd") && !text.includes("\0")
  const same = trial.step("rebuild without changes", () => document.rebuild(new Map()))
  if (same !== undefined && isText && same.replace(/^\ufeff/, "") !== text.replace(/^\ufeff/, ""))
    trial.fail("file-unchanged", "rebuild without changes")
  for (const part of document.parts) trial.step("check", () => check(decode(part.format, part.value)))
  const first = trial.reading("repair", () => repaired(document))
  if (!first || first.entries.length === 0) return trial.failures
  const whole = document.problems.length === 0 && isText
  const [missing] = whole
    ? missingWords(
        document.parts.map(({ value }) => value),
        first.text,
        [first.entries, first.losses],
      )
    : []
  if (missing) trial.fail("nothing-lost", `repair: ${missing.place}`, missing.word)
  const again = trial.step("open the repaired", () => readAsBefore(document.parts, openDocument(first.text)))
  if (!again) return trial.failures
  // A log keeps its replies as they were said, and what broke off is no longer whole when it was rewritten.
  if (!whole || document.parts.some(({ appended }) => appended)) return trial.failures
  const errors = again.parts
    .flatMap((part) => check(decode(part.format, part.value), { tip: tipOf(part) }))
    .filter(({ severity }) => severity === "error")
  if (errors.length > 0) trial.fail("repaired-is-valid", rulesIn(errors))
  const second = trial.step("repair again", () => repaired(again))
  if (second && second.entries.length > 0) trial.fail("repair-idempotent", `reports ${rulesIn(second.entries)}`)
  return trial.failures
}
