/**
 * Claude Code session → Transcript of one path. Units of the tree become messages of the inner wire format, with the
 * very same blocks; its codec reads them. Results follow the reply that called for them, in call order, whatever record
 * they hang on. Default view: whole (what compactions hide is read, their summaries stand where they were made).
 */
import { type Diagnostic, isWire, type Message, type Place, type Transcript, type Wire } from "../../../model/index.ts"
import { anthropic as inner } from "../../anthropic/index.ts"
import type { DecodeOptions } from "../../codec.ts"
import { anomaly } from "../anomaly.ts"
import { tipOf } from "./tree/branches.ts"
import { type Dialect, fileDialect } from "./tree/dialect.ts"
import { effectiveUnits } from "./tree/effective.ts"
import { findAnomalies } from "./tree/findings.ts"
import { orderedFragments, orderedResults } from "./tree/order.ts"
import { activeTip, walk } from "./tree/path.ts"
import { contentOf, isSummary, recordsOf, textIn } from "./tree/record.ts"
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

/** What a unit says, as wire messages: the reply and one message per record of results, or the user's words. */
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
  for (const index of orderedResults(tree, unit)) {
    spoken.push({ wire: { role: "user", content: contentOf(records[index] as Wire) }, records: [index] })
  }
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

/** Reads one path of a tree of records, in whichever dialect they say where they belong. */
export const decodeRecords = (value: unknown, options: DecodeOptions, dialect: Dialect): Transcript => {
  const records = recordsOf(value)
  const tree = readTree(records, dialect)
  const chosen = options.branch === undefined ? undefined : tipOf(tree, options.branch)
  const tip = chosen ?? activeTip(tree)
  const { units, circular } = walk(tree, tip)
  const seen = options.view === "effective" ? effectiveUnits(tree, units) : units
  const spoken: Spoken[] = []
  for (const index of seen) speak(tree, tree.units[index] as Unit, spoken)
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
  for (const each of findAnomalies(tree, { placeOf, units: seen, tip, circular })) diagnostics.push(each)
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
