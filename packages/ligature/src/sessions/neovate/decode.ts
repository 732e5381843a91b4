/**
 * Neovate sessions → Transcript of one path. Nothing is cleaned up here: calls without results stay, and `settle`
 * decides by its policies what becomes of them.
 *
 * Default view: effective, the path by parents. A compaction starts a new root; `whole` goes on to what stood before
 * it.
 */
import { isWire } from "../../model/index.ts"
import type { Block, Diagnostic, Message, Role, Transcript, Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedMessage, ofAnotherApi } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { relinked, sharedIds } from "../engine/relink.ts"
import { linking, Links, readWay } from "./path.ts"
import { readParts } from "./read-part.ts"
import { format, isBookkeeping, isMessage, isSummary, recordsOf, uuidOf } from "./records.ts"

const readMessage = (record: Wire, line: number | undefined): Message => {
  const id = uuidOf(record)
  const model = record["role"] === "assistant" ? record["model"] : undefined
  return {
    role: record["role"] as Role,
    blocks: readParts(record["content"]),
    ...(id !== undefined && { id }),
    ...(typeof model === "string" && { origin: { model } }),
    ...(isSummary(record) && { summary: true as const }),
    ...(line !== undefined && { line }),
    native: { [format]: record },
  }
}

const isMalformed = (block: Block): boolean =>
  block.type === "result" ? block.content.some(isMalformed) : block.type === "opaque" && block.kind === "malformed"

const malformedBlocks = (message: Message, index: number): readonly Diagnostic[] =>
  message.blocks.flatMap((block, position) => {
    if (!isMalformed(block)) return []
    const place = { message: index, block: position, ...(message.line !== undefined && { line: message.line }) }
    return [malformedMessage(place, "Expected a part of a message")]
  })

/** Only results are a tool's: text in such a message is sent as the user's, in one of its own. */
const strayText = ({ role, blocks, line }: Message, index: number): readonly Diagnostic[] => {
  if (role !== "tool" || blocks.every(({ type }) => type === "result")) return []
  const place = { message: index, ...(line !== undefined && { line }) }
  const what = "Expected only results in a message with role tool"
  return [{ ...ofAnotherApi(place, what), repair: { kind: "safe", what: "moved the rest into a user message" } }]
}

/** What the agent's versions do not write. Messages without a known role are among it. */
const strangeRecords = (records: readonly unknown[], lines: readonly number[] | undefined): readonly Diagnostic[] => {
  const unknown = new UnknownRecords()
  const malformed: Diagnostic[] = []
  records.forEach((record, index) => {
    if (isMessage(record) || isBookkeeping(record)) return
    const line = lines?.[index]
    const place = { path: `records[${index}]`, ...(line !== undefined && { line }) }
    if (isWire(record) && record["type"] !== "message" && record["type"] !== undefined) unknown.add(record["type"], place)
    else malformed.push(anomaly("malformed-record", place, `Record ${index} is neither a message nor settings`))
  })
  return [...unknown.diagnostics, ...malformed]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const { lines, source, branch, view = "effective" } = options
  const chosen = { view, ...(branch !== undefined && { branch }) }
  const given = new Links(recordsOf(value))
  const records = relinked(given.tree, new Map(), linking)
  const links = records === given.records ? given : new Links(records)
  const way = readWay(links, { ...chosen, ...(lines && { lines }) })
  const messages = way.path.map((place) => readMessage(records[place] as Wire, lines?.[place]))
  const diagnostics = [...sharedIds(given.tree), ...way.diagnostics, ...strangeRecords(records, lines), ...messages.flatMap(malformedBlocks), ...messages.flatMap(strayText)]
  return {
    format,
    messages,
    native: { [format]: { records, ...chosen } },
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
