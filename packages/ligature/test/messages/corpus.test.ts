/**
 * Real histories: reading the plain list finds the same pairs as decoding it with its codec, and no group of the
 * list parts one of them. Two readers, one matcher: where they differ, one of them misread the format.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openDocument } from "../../src/document/index.ts"
import { atomicGroups, skipOrphanResults, truncateByFraction } from "../../src/messages/index.ts"
import { surveyList } from "../../src/messages/read-list.ts"
import { decode } from "../../src/index.ts"
import { survey } from "../../src/rules/survey/index.ts"

const corpus = process.env["LIGATURE_CORPUS"] ?? ""
const names = ["anthropic-messages", "openai-messages", "openai-responses", "tau-bench"]
const folders = names.map((name) => join(corpus, name))
const available = corpus !== "" && folders.every((folder) => existsSync(folder))
const listKeys = ["messages", "input", "contents"]
const reading = { tip: "open", reattach: false } as const

const listOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  const found = listKeys.map((key) => (value as Readonly<Record<string, unknown>>)[key]).find(Array.isArray)
  return found ?? []
}

const counts = ({ calls, results, orphans, duplicates, unanswered }: ReturnType<typeof survey>) => ({
  calls: calls.map(({ call }) => call.id),
  results: results.map(({ result, call }) => [result.callId, call?.call.id]),
  orphans: orphans.length,
  duplicates: duplicates.length,
  unanswered: unanswered.length,
})

describe.skipIf(!available)("the corpus (skipped without LIGATURE_CORPUS)", () => {
  const files = folders.flatMap((folder) => (available ? readdirSync(folder).map((name) => ({ name, path: join(folder, name) })) : []))

  it.each(files)("$name is read alike as a list and by its codec", ({ path }) => {
    for (const { format, value } of openDocument(readFileSync(path)).parts) {
      const list = listOf(value)
      const found = surveyList(list, reading)
      expect(counts(found)).toEqual(counts(survey(decode(format, list), reading)))
      expect(atomicGroups(list).flat()).toEqual(list.map((_, index) => index))
      const before = counts(found)
      const after = counts(surveyList(truncateByFraction(list, 0.5, { toward: "drop" }).messages, reading))
      expect(after.orphans).toBeLessThanOrEqual(before.orphans + before.duplicates)
      expect(after.unanswered).toBeLessThanOrEqual(before.unanswered)
      const skipped = counts(surveyList(skipOrphanResults(list), reading))
      expect([skipped.orphans, skipped.duplicates]).toEqual([0, 0])
    }
  })
})
