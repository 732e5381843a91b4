/**
 * Copilot CLI events → Transcript. Subagents write into the same file; their events are set apart by the call that
 * started them and read with `branch`.
 *
 * Default view: whole. `effective` is what the agent would send next: the system prompt in force, the summary of the
 * last compaction, and what came after the compaction began.
 */
import { type Block, type Diagnostic, isWire, type Message, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { recordsOf } from "../engine/fields.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import type { Reading } from "../engine/put-back.ts"
import { EventSorter, type Heard } from "./event-sorter.ts"
import { agentOf, dataOf, format } from "./format.ts"
import { isKnownType, isMessageEvent, readEvent } from "./read-event.ts"

const isMalformed = (block: Block): boolean => block.type === "opaque" && block.kind === "malformed"

/** The system prompt is told anew with each turn: only one that says something else is heard again. */
const isRepeated = (record: Wire, inForce: unknown): boolean =>
  record["type"] === "system.message" && inForce !== undefined && dataOf(record)["content"] === inForce

const listen = (records: readonly unknown[], agent: string | undefined, path: number[]): readonly Heard[] => {
  const sorter = new EventSorter()
  let inForce: unknown
  records.forEach((record, index) => {
    if (!isWire(record)) return
    path.push(index)
    if (!isMessageEvent(record) || agentOf(record) !== agent || isRepeated(record, inForce)) return
    if (record["type"] === "system.message") inForce = dataOf(record)["content"]
    const message = readEvent(record)
    if (message) sorter.add({ message, index }, record["type"] === "system.notification")
  })
  sorter.flush()
  return sorter.heard
}

/** Index of the record at which the compaction began whose end is at `end`. */
const beginOf = (records: readonly unknown[], end: number): number => {
  for (let index = end - 1; index >= 0; index--) {
    const record = records[index]
    if (!isWire(record)) continue
    if (record["type"] === "session.compaction_start") return index
    if (record["type"] === "session.compaction_complete") return end
  }
  return end
}

const callsIn = (messages: readonly Heard[]): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const { message } of messages) for (const block of message.blocks) if (block.type === "call") ids.add(block.id)
  return ids
}

const effectivePart = (heard: readonly Heard[], records: readonly unknown[]): readonly Heard[] => {
  const last = heard.findLast(({ message }) => message.summary === true)
  const system = heard.findLast(({ message }) => message.role === "system")
  const spoken = heard.filter((each) => each.message.role !== "system" && each !== last)
  const prompt = system ? [system] : []
  if (!last) return [...prompt, ...spoken]
  const begin = beginOf(records, last.index)
  const after = spoken.filter(({ index }) => index > begin)
  const calls = callsIn(after)
  // The result of a call that the summary covers is covered with it.
  const isCovered = ({ message }: Heard): boolean =>
    message.blocks.some((block) => block.type === "result" && block.callId !== "" && !calls.has(block.callId))
  return [...prompt, last, ...after.filter((each) => !isCovered(each))]
}

const findUnknown = (records: readonly unknown[], lines: readonly number[] | undefined): readonly Diagnostic[] => {
  const unknown = new UnknownRecords("events")
  const diagnostics: Diagnostic[] = []
  records.forEach((record, index) => {
    const type = isWire(record) ? record["type"] : undefined
    if (isKnownType(type)) return
    const place = { path: `records[${index}]`, ...(lines?.[index] !== undefined && { line: lines[index] }) }
    if (typeof type === "string") unknown.add(type, place)
    else diagnostics.push(anomaly("malformed-record", place, "Expected an event with a type"))
  })
  return [...unknown.diagnostics, ...diagnostics]
}

const originOf = (messages: readonly Message[]): Transcript["origin"] =>
  messages.findLast(({ origin }) => origin !== undefined)?.origin

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const { lines, branch, source } = options
  const records = recordsOf(value)
  const diagnostics: Diagnostic[] = [...findUnknown(records, lines)]
  let path: number[] = []
  let heard = listen(records, branch, path)
  if (branch !== undefined && heard.length === 0) {
    diagnostics.push(
      anomaly("unknown-record", {}, `No subagent ${branch} is in this session: the main conversation is read`),
    )
    path = []
    heard = listen(records, undefined, path)
  }
  if (options.view === "effective") heard = effectivePart(heard, records)
  const messages: Message[] = heard.map(({ message, index }, position) => {
    const line = lines?.[index]
    const at = { message: position, path: `records[${index}]`, ...(line !== undefined && { line }) }
    message.blocks.forEach((block, blockIndex) => {
      if (!isMalformed(block)) return
      diagnostics.push(malformedMessage({ ...at, block: blockIndex }, "Expected text or a tool request"))
    })
    const id = (records[index] as Wire)["id"]
    return { ...message, ...(typeof id === "string" && { id }), ...(line !== undefined && { line }) }
  })
  const origin = originOf(messages)
  const said = heard.map(({ index }) => index)
  const reading: Reading = { records, path, said, ends: heard.map(({ end }) => end) }
  return {
    format,
    messages,
    native: { "copilot-cli": reading },
    ...(origin && { origin }),
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
