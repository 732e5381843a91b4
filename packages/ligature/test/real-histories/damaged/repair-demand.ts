/** A repair holds: read again it is healthy, done again it changes nothing, what it did not name is as it was. */
import { decode, repair } from "../../../src/convert/index.ts"
import { type Document, type DocumentPart, openDocument } from "../../../src/document/index.ts"
import { check } from "../../../src/rules/index.ts"
import { asText, readable, readingOf } from "./original.ts"
import { invalidBytes, isObject, parsed, type SessionText } from "./session-text.ts"

interface Repaired {
  readonly text: string
  /** How much the report says was done or found. */
  readonly entries: number
  /** Whether the report speaks of a record. */
  readonly concerns: (line: number, text: string) => boolean
}

const repairedText = (document: Document): Repaired => {
  const replacements = new Map<DocumentPart, unknown>()
  const lines = new Set<number | undefined>()
  const ids = new Set<string>()
  let entries = 0
  for (const { line } of document.problems) lines.add(line)
  for (const part of document.parts) {
    const transcript = decode(part.format, part.value, readingOf(part))
    const { value, report } = repair(part.value, { from: part.format, ...readingOf(part) })
    replacements.set(part, value)
    const irregular = (transcript.diagnostics ?? []).filter(({ severity }) => severity !== "info")
    for (const entry of [...report.entries, ...irregular]) {
      entries++
      lines.add(entry.place.line).add(transcript.messages[entry.place.message ?? -1]?.line)
      for (const id of entry.ids) if (id !== "") ids.add(id.replace(/__\w+$/, ""))
    }
  }
  return {
    text: document.rebuild(replacements).replaceAll("\0", " "),
    entries,
    concerns: (line, text) => lines.has(line) || [...ids].some((id) => text.includes(id)),
  }
}

const errorsIn = (document: Document): readonly string[] =>
  document.parts.flatMap((part) =>
    check(decode(part.format, part.value, readingOf(part)), { tip: "closed" })
      .filter(({ severity }) => severity === "error")
      .map(({ rule, what }) => `still damaged after repair: ${rule}: ${what.slice(0, 120)}`),
  )

export const repairHolds = (damaged: SessionText, document: Document): readonly string[] => {
  const { text, concerns, entries } = repairedText(document)
  const again = openDocument(text)
  const complaints: string[] = [...errorsIn(again)]
  const isGone = parsed(text) === undefined && !text.includes("{")
  if (isGone) return []
  const [before, after] = [document, again].map(({ parts }) => parts.map(({ format }) => format).join())
  if (before !== after) complaints.push(`repaired as ${before}, read as ${after}`)
  const twice = repairedText(again).text
  if (twice !== text) complaints.push(`repairing twice changes more: ${firstDifference(text, twice)}`)
  if (damaged.kind === "lines") {
    const kept = new Set(
      text
        .replaceAll('}{"', '}\n{"')
        .split("\n")
        .map((line) => line.trim()),
    )
    const keptElsewhere = new Set([...kept].map(withoutParents))
    const records = readable(damaged).map((record) => ({ ...record, whole: asText(record.text).trim() }))
    // Copies of a record that changed go with it.
    const changed = new Set(records.flatMap(({ line, whole }) => (concerns(line, whole) ? [whole] : [])))
    for (const { whole, line } of records) {
      if (kept.has(whole) || text.includes(whole) || changed.has(whole) || whole.includes(invalidBytes)) continue
      if (keptElsewhere.has(withoutParents(whole)) || /"(?:uu)?id":5,/.test(whole)) continue
      complaints.push(`a line nobody spoke of has changed, ${line}: ${whole.slice(0, 150)}`)
    }
  } else {
    const kept = new Set(again.parts.flatMap(({ value }) => [...deepTexts(value)]))
    const gone = readable(damaged).filter(({ record, text: message }) => {
      if (text.includes(asText(message)) || message.includes(invalidBytes)) return false
      return !kept.has(JSON.stringify(record)) && !concerns(0, message)
    })
    // An entry about a call may touch the message of its result as well.
    if (gone.length > 2 * entries) {
      complaints.push(`${gone.length} messages changed, ${entries} spoken of: ${gone[0]?.text.slice(0, 150)}`)
    }
  }
  return complaints
}

/** Where a record was left out, its children hang on its parent: that much of them may change. */
const withoutParents = (line: string): string => (JSON.stringify(parsed(line)) ?? line).replaceAll(links, "")

const links = /"(?:parentUuid|parentId|parentID|logicalParentUuid|sourceToolAssistantUUID|message_count)":(?:"[^"]*"|null|\d+)/g

/** The texts of all objects two to four levels down, where messages are. */
function* deepTexts(value: unknown, depth = 0): Generator<string> {
  if (depth > 4 || typeof value !== "object" || value === null) return
  if (isObject(value) && depth > 0) yield JSON.stringify(value)
  for (const child of Object.values(value)) yield* deepTexts(child, depth + 1)
}

const firstDifference = (left: string, right: string): string => {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  const from = Math.max(0, index - 60)
  return `${JSON.stringify(left.slice(from, index + 80))} ≠ ${JSON.stringify(right.slice(from, index + 80))}`
}
