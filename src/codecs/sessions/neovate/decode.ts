/**
 * Neovate sessions → Transcript of one path. Nothing is cleaned up here: calls without results stay, and `settle`
 * decides by its policies what becomes of them.
 *
 * Default view: effective, the path by parents. A compaction starts a new root; `whole` goes on to what stood before
 * it.
 */
import type { Block, Diagnostic, Message, Role, Transcript, Wire } from "../../../model/index.ts"
import type { DecodeOptions } from "../../codec.ts"
import { malformedMessage } from "../../malformed.ts"
import { anomaly } from "../anomaly.ts"
import { Links, readWay } from "./path.ts"
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

/** What the agent's versions do not write. Messages without a known role are among it. */
const strangeRecords = (records: readonly unknown[], lines: readonly number[] | undefined): readonly Diagnostic[] =>
  records.flatMap((record, index) => {
    if (isMessage(record) || isBookkeeping(record)) return []
    const line = lines?.[index]
    const place = { path: `[${index}]`, ...(line !== undefined && { line }) }
    return [anomaly("unknown-record", place, `Record ${index} is neither a message nor settings`)]
  })

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { lines, source, branch, view = "effective" } = options
  const chosen = { view, ...(branch !== undefined && { branch }) }
  const way = readWay(new Links(records), { ...chosen, ...(lines && { lines }) })
  const messages = way.path.map((place) => readMessage(records[place] as Wire, lines?.[place]))
  const diagnostics = [...way.diagnostics, ...strangeRecords(records, lines), ...messages.flatMap(malformedBlocks)]
  return {
    format,
    messages,
    native: { [format]: { records, ...chosen } },
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
