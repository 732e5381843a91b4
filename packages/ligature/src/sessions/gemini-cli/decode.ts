/**
 * Session of the Gemini CLI → Transcript. The default view is `effective`: what the agent would send next, checkpoints
 * applied; `whole` shows also what a checkpoint took away. Rewound messages are on paths of their own in either view.
 */
import { type Diagnostic, isWire, type Message, pushAll, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { newReading, type Reading as PartReading } from "../../formats/gemini/read-part.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { CallIds } from "../engine/call-id.ts"
import { recordsOf, stringOf } from "../engine/fields.ts"
import { format, isSpoken, partsOf, readingKey } from "./fields.ts"
import { type Entry, entriesOf, type History, readHistory, withOwnIds } from "./history.ts"
import { countIds, readMessage, type Said } from "./read-message.ts"

/** A bare `/command` is for the agent: no model has ever seen it. */
const commandShape = /^\s*(?:\/[a-z][a-z-]*|\?)\s*$/

const isCommand = (wire: Wire): boolean => {
  const parts = partsOf(wire["content"])
  const [first] = parts
  const text = typeof first === "string" ? first : isWire(first) ? first["text"] : undefined
  if (wire["type"] !== "user" || parts.length !== 1 || typeof text !== "string") return false
  return text.length < 40 && commandShape.test(text)
}

export interface EntryReading {
  readonly entry: Entry
  readonly said: Said
}

/**
 * A checkpoint repeats as user messages the results that the calls in front of it already bear: those are not said
 * twice.
 */
const withoutRepeated = (said: Said, answered: ReadonlySet<string>): Said => {
  if (said.role !== "user" || answered.size === 0) return said
  const blocks = said.blocks.filter((block) => block.type !== "result" || !answered.has(block.callId))
  return blocks.length === said.blocks.length ? said : { ...said, blocks }
}

/** Everything said by these entries; notices and commands say nothing. */
export const readEntries = function* (
  entries: readonly Entry[],
  diagnostics: Diagnostic[],
  lines?: readonly number[],
): Generator<EntryReading> {
  const reading: PartReading = { ...newReading(), diagnostics }
  const ids: CallIds = { uses: countIds(entries.map((entry) => entry.wire)), calls: 0 }
  let answered: ReadonlySet<string> = new Set()
  for (const entry of entries) {
    if (!isSpoken(entry.wire) || isCommand(entry.wire)) continue
    const line = lines?.[entry.homes.at(-1)?.record ?? -1]
    const place = line === undefined ? { path: `messages.${entry.id}` } : { line }
    const said = withoutRepeated(readMessage(entry.wire, reading, ids, place), answered)
    if (said.role === "assistant") answered = new Set(said.results.map((result) => result.callId))
    if (said.blocks.length > 0 || said.results.length > 0) yield { entry, said }
  }
}

/** Ids that several calls bear: told once for each id. */
const collapsed = (entries: readonly Entry[]): readonly Diagnostic[] => {
  const findings: Diagnostic[] = []
  for (const [id, uses] of countIds(entries.map((entry) => entry.wire))) {
    if (uses > 1) findings.push(anomaly("collapsed-id", {}, `${uses} calls bear the id ${id}`, [id]))
  }
  return findings
}

const systemOf = (history: History, key: string): readonly Message[] => {
  const text = history.metadata["systemInstruction"]
  if (typeof text !== "string" || text === "") return []
  return [{ role: "system", blocks: [{ type: "text", text }], native: { [key]: { systemInstruction: text } } }]
}

/** The value that was read, around other records. */
const withRecords = (value: unknown, records: readonly unknown[]): unknown => {
  if (Array.isArray(value)) return records
  return isWire(value) && Array.isArray(value["records"]) ? { ...value, records } : records[0]
}

export const decode = (given: unknown, options: DecodeOptions = {}): Transcript => {
  const { lines, branch, view } = options
  const before = recordsOf(given)
  const own = withOwnIds(before)
  const value = own.records === before ? given : withRecords(given, own.records)
  const history = readHistory(own.records, lines)
  const diagnostics: Diagnostic[] = [...own.diagnostics, ...history.findings]
  const asked = entriesOf(history, { ...(branch !== undefined && { branch }), ...(view && { view }) })
  if (!asked) {
    const what = `No path ends with ${String(branch)}: the active one is read`
    diagnostics.push(anomaly("unknown-record", {}, what, [String(branch)]))
  }
  const entries = asked ?? entriesOf(history, { ...(view && { view }) }) ?? []
  pushAll(diagnostics, collapsed(entries))
  const messages: Message[] = [...systemOf(history, format)]
  let model = ""
  for (const { entry, said } of readEntries(entries, diagnostics, lines)) {
    const line = lines?.[entry.homes.at(-1)?.record ?? -1]
    const shared = {
      ...(entry.id !== "" && { id: entry.id }),
      native: { [format]: entry.wire },
      ...(line !== undefined && { line }),
    }
    const named = stringOf(entry.wire["model"])
    if (named !== "") model = named
    if (said.blocks.length > 0) {
      messages.push({
        role: said.role,
        blocks: said.blocks,
        ...(entry.summary && { summary: true as const }),
        ...(named !== "" && { origin: { provider: "gemini", model: named } }),
        ...shared,
      })
    }
    if (said.results.length > 0) messages.push({ role: "tool", blocks: said.results, ...shared })
  }
  const reading = { ...(asked && branch !== undefined && { branch }), ...(view && { view }) }
  return {
    format,
    messages,
    native: { [format]: value, ...((reading.branch !== undefined || reading.view) && { [readingKey]: reading }) },
    origin: { provider: "gemini", ...(model !== "" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
