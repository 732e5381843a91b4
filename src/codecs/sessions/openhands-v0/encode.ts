/** Conversation → the events it came from, under `history`. Events nobody touched are the very same objects. */
import { type Conversation, flatten, isWire, type Wire } from "../../../model/index.ts"
import type { EncodeOptions } from "../../codec.ts"
import { assemble, hiddenEvents } from "../openhands-v1/assemble.ts"
import { rewriteRecords, type Unit, unitsOf } from "../written/rewrite-records.ts"
import { tell } from "./decode.ts"
import { eventsOf, format } from "./event.ts"
import { writeEvent } from "./write-event.ts"

const causesOf = (units: readonly Unit[]): ReadonlyMap<string, Wire> => {
  const causes = new Map<string, Wire>()
  for (const { blocks, origin } of units) {
    if (!isWire(origin)) continue
    for (const block of blocks) if (block.type === "call") causes.set(block.id, origin)
  }
  return causes
}

export const encode = (conversation: Conversation, _options: EncodeOptions = {}): Wire => {
  const value = conversation.native?.[format]
  const records = eventsOf(value)
  const told = tell(records, {}, [])
  const before = unitsOf(assemble(told, { format, view: "whole", lines: undefined }), format, true)
  const after = unitsOf(flatten(conversation).messages, format, true)
  const causes = causesOf(after)
  const history = rewriteRecords({
    records,
    before,
    after,
    write: (unit, record) => writeEvent(unit, isWire(record) ? record : undefined, causes),
    hidden: hiddenEvents(told),
  })
  if (!isWire(value)) return { history: Array.isArray(value) && history === records ? value : history }
  return history === records ? value : { ...value, history }
}
