/**
 * Claude Code session → Transcript of one path. Units of the tree become messages of the inner wire format, with the
 * very same blocks; its codec reads them. Results follow the reply that called for them, in call order, whatever record
 * they hang on, unless a person typed something in between. Default view: whole (what compactions hide is read, their summaries stand where they were made).
 */
import { type Diagnostic, isWire, type Message, type Place, type Transcript, type Wire } from "../../model/index.ts"
import { anthropic as inner } from "../../formats/anthropic/index.ts"
import { type DecodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { tipOf } from "./tree/branches.ts"
import { type Dialect, fileDialect } from "./tree/dialect.ts"
import { effectiveUnits } from "./tree/effective.ts"
import { findAnomalies } from "./tree/findings.ts"
import { orderedFragments, orderedResults } from "./tree/order.ts"
import { activeTip, type Walk, walk } from "./tree/path.ts"
import { contentOf, isSummary, recordsOf, textIn } from "./tree/record.ts"
import { relinked, type Relinking } from "./tree/relink.ts"
import type { Repetition } from "./tree/repetition.ts"
import { readTree, type SessionTree } from "./tree/session-tree.ts"
import type { Unit } from "./tree/units.ts"

/** The records a message was made of, as its native value. */
export interface NativeMessage {
  readonly records: readonly number[]
}

/** The whole file, and which of its records the transcript was read from. */
export interface NativeSession {
  readonly records: readonly unknown[]
  readonly read: readonly number[]
  /** Records that say again what one that was read says: they must not outlive its words. */
  readonly repeated?: readonly Repetition[]
}

interface Spoken {
  readonly wire: Wire
  readonly records: readonly number[]
}

const contentOfAll = (records: readonly unknown[], indices: readonly number[]): unknown => {
  if (indices.length === 1) return contentOf(records[indices[0] ?? 0] as Wire)
  const all: unknown[] = []
  for (const index of indices) {
    const content = contentOf(records[index] as Wire)
    if (typeof content === "string") all.push({ type: "text", text: content })
    else if (Array.isArray(content)) for (const block of content) all.push(block)
  }
  return all
}

/** The reply, or the user's words. */
const speak = (tree: SessionTree, unit: Unit, spoken: Spoken[]): void => {
  const { records } = tree
  if (unit.assistant) {
    const indices = orderedFragments(tree, unit)
    const last = records[indices.at(-1) ?? 0]
    const message = isWire(last) ? last["message"] : undefined
    const paused = isWire(message) && message["stop_reason"] === "pause_turn" && { stop_reason: "pause_turn" }
    spoken.push({ wire: { role: "assistant", content: contentOfAll(records, indices), ...paused }, records: indices })
  } else {
    spoken.push({ wire: { role: "user", content: contentOfAll(records, unit.records) }, records: unit.records })
  }
}

/**
 * What units say, as wire messages: each reply is followed by one message per record of results. Only results that hang
 * on words of a person stand behind those words: there the agent has them.
 */
const speakAll = (tree: SessionTree, units: readonly number[], { late, between }: Walk): readonly Spoken[] => {
  const { records } = tree
  const spoken: Spoken[] = []
  const speakResult = (result: number): void => {
    spoken.push({ wire: { role: "user", content: contentOf(records[result] as Wire) }, records: [result] })
  }
  if (late.size === 0) {
    for (const index of units) {
      const unit = tree.units[index] as Unit
      speak(tree, unit, spoken)
      for (const result of orderedResults(tree, unit)) speakResult(result)
    }
    return spoken
  }
  const isRead = new Set(units)
  const waiting = new Map<number, number[]>()
  for (const index of units) {
    const unit = tree.units[index] as Unit
    const behind = between.get(index)?.at(-1) ?? index
    const waits = isRead.has(behind) ? late.get(index) : undefined
    speak(tree, unit, spoken)
    for (const result of [...orderedResults(tree, unit), ...(waiting.get(index) ?? [])]) {
      if (waits?.has(result) === true) waiting.set(behind, [...(waiting.get(behind) ?? []), result])
      else speakResult(result)
    }
  }
  return spoken
}

interface Label {
  readonly format: string
  readonly provider: string
  readonly records: readonly unknown[]
}

const relabel = (message: Message, { records: indices }: Spoken, { records, provider, format }: Label): Message => {
  const first = records[indices[0] ?? 0] as Wire
  const id = textIn(first["message"], "id") ?? textIn(first, "uuid")
  const model = message.role === "assistant" ? textIn(first["message"], "model") : undefined
  const native: NativeMessage = { records: indices }
  const labelled: { -readonly [Field in keyof Message]: Message[Field] } = {
    role: message.role,
    blocks: message.blocks,
    native: { [inner.format]: message.native?.[inner.format], [format]: native },
  }
  if (id !== undefined) labelled.id = id
  if (model !== undefined) labelled.origin = { provider, model }
  if (message.paused === true) labelled.paused = true
  if (isSummary(first)) labelled.summary = true
  if (message.line !== undefined) labelled.line = message.line
  return labelled
}

const withoutPath = ({ place, ...diagnostic }: Diagnostic): Diagnostic => {
  const { path: _, ...rest } = place
  return { ...diagnostic, place: rest }
}

interface Followed {
  readonly tree: SessionTree
  readonly tip: number
  readonly walked: Walk
  readonly broken: readonly Relinking[]
  /** The tree has whole links now, which must be written. */
  readonly isRelinked: boolean
}

const recordsOn = (tree: SessionTree, walked: Walk): readonly number[] =>
  speakAll(tree, walked.units, walked).flatMap(({ records }) => records)

/** The path to a unit; where its links are broken, in a tree in which whole ones lead along the same path. */
const followed = (tree: SessionTree, tip: number, dialect: Dialect): Followed => {
  const walked = walk(tree, tip)
  const { records, changes } = dialect.linked ? relinked(tree, walked) : { records: tree.records, changes: [] }
  const before: Followed = { tree, tip, walked, broken: changes, isRelinked: false }
  if (changes.length === 0) return before
  const whole = readTree(records, dialect)
  const sameIn = (unit: number): number => whole.unitOf[tree.units[unit]?.records[0] ?? -1] ?? -1
  const same = sameIn(tip)
  const after = walk(whole, same)
  const goesOn = activeTip(whole) === sameIn(activeTip(tree))
  const isSame = goesOn && sameElements(recordsOn(tree, walked), recordsOn(whole, after))
  return isSame ? { tree: whole, tip: same, walked: after, broken: changes, isRelinked: true } : before
}

/** Reads one path of a tree of records, in whichever dialect they say where they belong. */
export const decodeRecords = (value: unknown, options: DecodeOptions, dialect: Dialect): Transcript => {
  const given = readTree(recordsOf(value), dialect)
  const chosen = options.branch === undefined ? undefined : tipOf(given, options.branch)
  const { tree, tip, walked, broken, isRelinked } = followed(given, chosen ?? activeTip(given), dialect)
  const { records } = tree
  const { units } = walked
  const seen = options.view === "effective" ? effectiveUnits(tree, units) : units
  const spoken = speakAll(tree, seen, walked)
  const { lines, source } = options
  let messageOf: Map<number, number> | undefined
  const placeOf = (record: number): Place => {
    messageOf ??= new Map(spoken.flatMap((each, index) => each.records.map((one) => [one, index] as const)))
    const message = messageOf.get(record)
    return {
      ...(message !== undefined && { message }),
      ...(lines?.[record] !== undefined && { line: lines[record] }),
      ...(source !== undefined && { file: source }),
    }
  }
  const read = inner.decode(
    { messages: spoken.map(({ wire }) => wire) },
    lines ? { lines: spoken.map(({ records: indices }) => lines[indices[0] ?? 0] ?? 0) } : {},
  )
  const provider = read.origin?.provider ?? inner.format
  const { format } = dialect
  const label: Label = { format, provider, records }
  const messages = read.messages.map((message, index) => relabel(message, spoken[index] as Spoken, label))
  const diagnostics: Diagnostic[] = (read.diagnostics ?? []).map(withoutPath)
  if (options.branch !== undefined && chosen === undefined) {
    const what = `No path of this session is named ${options.branch}: the active one is read`
    diagnostics.push(anomaly("unknown-record", {}, what, [options.branch]))
  }
  for (const each of findAnomalies(tree, { placeOf, units: seen, tip, broken, isRelinked })) diagnostics.push(each)
  const { repeated } = tree
  const native: NativeSession = {
    records,
    read: spoken.flatMap(({ records: indices }) => indices),
    ...(repeated.length > 0 && { repeated }),
  }
  return {
    format,
    messages,
    native: { [format]: native },
    origin: { provider },
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript =>
  decodeRecords(value, options, fileDialect)
