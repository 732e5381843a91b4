/**
 * Rollouts as Codex wrote them until September 2025: a header `{ id, timestamp, instructions, git }`, then bare items
 * of the Responses API and `{ "record_type": "state" }` marks. Nothing is wrapped, nothing is there twice.
 *
 * Read like its successor, without the wrapping; default view: effective, which here is
 * all there is. Written back only to repair: today's Codex does not list these files.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { recordsOf } from "../engine/fields.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { entryGlance, pathReader } from "../codex-rollout/history.ts"
import { capabilities, classOf, textField, typeOf } from "../codex-rollout/items.ts"
import { itemReader } from "../codex-rollout/read-item.ts"
import type { Entry } from "../codex-rollout/walk.ts"
import { isAlone, itemWriter } from "../codex-rollout/write-item.ts"

const format = "codex-rollout-old"

const isHeader = (record: unknown): record is Wire =>
  isWire(record) &&
  typeof record["id"] === "string" &&
  typeof record["timestamp"] === "string" &&
  ("instructions" in record || "git" in record) &&
  record["type"] === undefined &&
  record["role"] === undefined

const isState = (record: unknown): boolean => isWire(record) && typeof record["record_type"] === "string"

const isItem = (record: unknown): boolean => isWire(record) && typeof record["type"] === "string" && record["payload"] === undefined

/** Whether a file is of this age, by its header or its state marks: bare items alone are any Responses history. */
const isOfThisAge = (records: readonly unknown[], hasMark: (record: unknown) => boolean): boolean => {
  let own = 0
  let strange = 0
  for (const record of records) {
    if (isHeader(record) || isState(record) || isItem(record)) own += isHeader(record) ? 0 : 1
    else if (isWire(record)) strange++
  }
  return strange <= own && records.some(hasMark)
}

export const codexRolloutOld = defineSession({
  format,
  title: "Codex rollout, until 2025",
  agent: "Codex CLI",
  sources: "openai/codex codex-rs/core/src/rollout as it was until September 2025; sessions in JaydenXsoe/ocodex",
  capabilities,
  wraps: "openai-responses",
  layout: "lines",
  view: "effective",
  profile: "openai-responses",
  records: recordsOf,
  wrap: (value, records, change) => ({ records: change ? records : recordsOf(value) }),
  /** Every item is on the one path there is. */
  find: (_, records, { branch, placeOf }) => {
    const unknown = new UnknownRecords()
    const entries = records.flatMap((record, index): readonly Entry[] => {
      if (!isWire(record) || isHeader(record) || isState(record)) return []
      const group = classOf(record)
      if (group === "unknown") unknown.add(typeOf(record), placeOf(index))
      return group === "api" || group === "own" ? [{ item: record, index }] : []
    })
    return {
      path: entries.map(({ index }) => index),
      id: "active",
      isKnown: branch === undefined || branch === "active",
      diagnostics: unknown.diagnostics,
      read: pathReader(format, entries),
      glance: entryGlance(entries),
    }
  },
  read: (record) => (isHeader(record) || isState(record) ? {} : itemReader(format)(record)),
  origin: () => ({ provider: "openai" }),
  write: itemWriter({ itemIn: (record) => record, replace: (_, item) => item, wrap: (item) => item }),
  alone: isAlone,
  about: (value) => {
    const header = recordsOf(value).find(isHeader)
    return { id: textField(header, "id"), startedAt: textField(header, "timestamp") }
  },
  counts: (record) => record["role"] !== undefined,
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its header has an id, a time and instructions, and no type",
      isOn: (value) => isOfThisAge(recordsOf(value), isHeader),
    },
    {
      certainty: "certain",
      evidence: "it has state marks among bare items",
      isOn: (value) => isOfThisAge(recordsOf(value), isState) && recordsOf(value).some(isItem),
    },
  ],
})
