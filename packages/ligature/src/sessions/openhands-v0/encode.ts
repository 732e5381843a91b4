/** Conversation → the events it came from, under `history`. Events nobody touched are the very same objects. */
import { type Conversation, flatten, isWire, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { assemble, hiddenEvents } from "../openhands-v1/assemble.ts"
import { rewriteRecords, type Unit, unitsOf } from "../engine/rewrite-records.ts"
import { tell } from "./decode.ts"
import { eventsOf, format } from "./event.ts"
import { responseIdOf } from "./read-action.ts"
import { writeEvent } from "./write-event.ts"

const causesOf = (units: readonly Unit[]): ReadonlyMap<string, Wire> => {
  const causes = new Map<string, Wire>()
  for (const { blocks, origin } of units) {
    if (!isWire(origin)) continue
    for (const block of blocks) if (block.type === "call") causes.set(block.id, origin)
  }
  return causes
}

const hasWords = ({ blocks }: Unit): boolean => blocks.some(({ type }) => type === "text")

/**
 * Each event of a response has a copy of its words, and the first one tells them. Where that one is gone or no longer
 * calls anything, the next would tell them a second time: it has to be silenced.
 */
const repeatersIn = (units: readonly Unit[]): ReadonlySet<unknown> => {
  const repeaters = new Set<unknown>()
  const heard = new Set<string>()
  for (const unit of units) {
    const response = unit.blocks.some(({ type }) => type === "call") ? responseIdOf(unit.origin) : undefined
    if (response === undefined || heard.has(response)) continue
    heard.add(response)
    if (!hasWords(unit)) repeaters.add(unit.origin)
  }
  return repeaters
}

export const encode = (conversation: Conversation, _options: EncodeOptions = {}): Wire => {
  const value = conversation.native?.[format]
  const records = eventsOf(value)
  const told = tell(records, {}, [])
  const before = unitsOf(assemble(told, { format, view: "whole", lines: undefined }), format, true)
  const after = unitsOf(flatten(conversation).messages, format, true)
  const causes = causesOf(after)
  const repeaters = repeatersIn(after)
  const first = repeatersIn(before)
  const changed = (unit: Unit): boolean => repeaters.has(unit.origin) && !first.has(unit.origin)
  const history = rewriteRecords({
    records,
    before: before.map((unit) => (changed(unit) ? { ...unit, blocks: [] } : unit)),
    after,
    write: (unit, record) => writeEvent(unit, isWire(record) ? record : undefined, causes),
    hidden: hiddenEvents(told),
  })
  if (!isWire(value)) return { history: Array.isArray(value) && history === records ? value : history }
  return history === records ? value : { ...value, history }
}
