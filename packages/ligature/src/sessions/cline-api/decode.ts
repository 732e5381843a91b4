/**
 * Cline, Roo and Kilo histories → Transcript. The messages are Anthropic's, with calls as blocks, as XML in text, or
 * first one and then the other; the reader of calls in text reads all three. Every call found in text says how certain
 * it is.
 *
 * Default view: effective, what the agent would send next. Summaries and truncation markers stand where the file has
 * them, with the role it gives them, since old summaries carry calls.
 */
import { type Block, type Diagnostic, isWire, type Message, pushAll, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { ofAnotherApi } from "../../formats/engine/malformed.ts"
import { xmlText } from "../../formats/xml-text/index.ts"
import { anomaly } from "../engine/anomaly.ts"
import { pathId } from "./outline.ts"
import { readOwnBlock, readReasoningFields, readReasoningItem } from "./reasoning.ts"
import { format, hiddenRecords, isMessage, isReasoningItem, isSummary, isTruncationMarker, listKey, markOf, recordsOf } from "./records.ts"
import { readRenamedAnswers } from "./renamed-answers.ts"
import { withoutLabel } from "./system-record.ts"
import { type TextCalls, withdrawDoubtfulCalls } from "../../formats/xml-text/style.ts"

/** What the reader of the messages gets, and where each of them stands in the file. */
class Selection {
  readonly messages: Wire[] = []
  readonly places: number[] = []
  /** The reasoning records in front of a message. */
  readonly reasoning = new Map<Wire, Wire[]>()
  readonly diagnostics: Diagnostic[] = []
  #waiting: Wire[] = []

  add(record: unknown, place: number, line: number | undefined): void {
    if (isReasoningItem(record) && !Array.isArray(record["content"])) this.#waiting.push(record)
    else if (isMessage(record)) {
      if (this.#waiting.length > 0 && record["role"] === "assistant") this.reasoning.set(record, this.#waiting)
      this.#waiting = []
      this.messages.push(record)
      this.places.push(place)
    } else {
      const where = { path: `[${place}]`, ...(line !== undefined && { line }) }
      this.diagnostics.push(anomaly("malformed-record", where, `Record ${place} is no message with a role`))
    }
  }
}

const startsWithReasoning = (blocks: readonly Block[]): boolean => blocks.some((block) => block.type === "thinking")

const readBlocks = (record: Wire, read: readonly Block[], reasoning: readonly Wire[] | undefined): readonly Block[] => {
  if (record["role"] !== "assistant") return read
  let blocks = read
  for (let index = 0; index < read.length; index++) {
    const block = read[index] as Block
    const own = readOwnBlock(block)
    if (own === block) continue
    if (blocks === read) blocks = read.slice()
    ;(blocks as Block[])[index] = own
  }
  if (reasoning) return [...reasoning.map(readReasoningItem), ...blocks]
  const said = startsWithReasoning(blocks) ? undefined : readReasoningFields(record)
  return said ? [said, ...blocks] : blocks
}

const readOrigin = (record: Wire): Pick<Message, "origin"> => {
  const model = record["modelInfo"]
  if (!isWire(model)) return {}
  const { providerId, modelId } = model
  const provider = typeof providerId === "string" && { provider: providerId }
  return { origin: { ...provider, ...(typeof modelId === "string" && { model: modelId }) } }
}

const readMessage = (record: Wire, message: Message, reasoning: readonly Wire[] | undefined): Message => {
  const blocks = readBlocks(record, message.blocks, reasoning)
  const summary = isSummary(record) || isTruncationMarker(record)
  const system = markOf(record)?.["role"] === "system"
  return {
    ...message,
    ...(system ? { role: "system" as const, blocks: withoutLabel(blocks) } : { blocks }),
    ...(typeof record["id"] === "string" && { id: record["id"] }),
    ...readOrigin(record),
    ...(summary && { summary: true as const }),
    native: { [format]: record },
  }
}

/** The reader of the messages counts those it got; its findings are to name records of the file. */
const relocated = (found: Diagnostic, places: readonly number[]): Diagnostic => {
  const { message, path } = found.place
  const place = message === undefined ? undefined : places[message]
  if (place === undefined || path === undefined) return found
  return { ...found, place: { ...found.place, path: path.replace(/^messages\[\d+\]/, `[${place}]`) } }
}

const isBlank = (block: unknown): boolean =>
  isWire(block) && block["type"] === "text" && typeof block["text"] === "string" && block["text"].trim() === ""

/** Blank text inside of a result that is text is no block of its own: writing leaves it out. */
const blankText = (record: Wire, { blocks }: Message, message: number, place: number): readonly Diagnostic[] => {
  const { content } = record
  if (!Array.isArray(content) || !blocks.some((block) => block.type === "result" && block.style === "xml")) return []
  const found = content.findIndex(isBlank)
  if (found < 0 || content.filter(isBlank).length <= blocks.filter(isBlank).length) return []
  return [
    {
      ...ofAnotherApi({ message, path: `[${place}].content[${found}]` }, "A text block is blank"),
      rule: "empty-text",
      why: "Providers reject a blank text block.",
      repair: { kind: "drop", what: "removed the blank text" },
    },
  ]
}

/** The API behind these agents knows two roles; a system message of ours is one of the user's. */
const toolRole = (record: Wire, message: number, place: number): readonly Diagnostic[] => {
  if (record["role"] !== "tool") return []
  const found = ofAnotherApi({ message, path: `[${place}].role` }, "Expected the role user for results, got tool")
  return [{ ...found, repair: { kind: "safe", what: "written as a user message" } }]
}

export interface ReadRecords {
  readonly messages: readonly Message[]
  /** For each message, its place among the records. */
  readonly places: readonly number[]
  readonly withdrawn: TextCalls["withdrawn"]
  readonly diagnostics: Diagnostic[]
}

export const readRecords = (records: readonly unknown[], options: DecodeOptions): ReadRecords => {
  const { lines, tools, view } = options
  const hidden = view === "whole" ? new Set() : hiddenRecords(records)
  const chosen = new Selection()
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!hidden.has(record)) chosen.add(record, index, lines?.[index])
  }
  const { messages: wires, places, reasoning, diagnostics } = chosen
  const read = xmlText.decode(wires, {
    ...(tools && { tools }),
    ...(lines && { lines: places.map((place) => lines[place] ?? 0) }),
  })
  for (const found of read.diagnostics ?? []) diagnostics.push(relocated(found, places))
  const meant = withdrawDoubtfulCalls(read.messages)
  const messages = readRenamedAnswers(meant.messages).map((message, index) => {
    const record = wires[index] as Wire
    return readMessage(record, message, reasoning.get(record))
  })
  messages.forEach((message, index) => {
    pushAll(diagnostics, blankText(wires[index] as Wire, message, index, places[index] ?? 0))
    pushAll(diagnostics, toolRole(wires[index] as Wire, index, places[index] ?? 0))
  })
  return { messages, places, withdrawn: meant.withdrawn, diagnostics }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { source, branch, view = "effective" } = options
  const { messages, diagnostics } = readRecords(records, options)
  if (branch !== undefined && branch !== pathId(records)) {
    diagnostics.push(anomaly("unknown-record", {}, `There is no path ${branch}: such a file holds one path`, [branch]))
  }
  return {
    format,
    messages,
    native: { [format]: { [listKey]: records, view } },
    ids: "optional",
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
