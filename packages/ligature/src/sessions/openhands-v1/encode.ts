/** Conversation → the events it came from. Events nobody touched are the very same objects. */
import { type Conversation, flatten, isWire, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { rewriteRecords, unitsOf } from "../engine/rewrite-records.ts"
import { assemble, hiddenEvents } from "./assemble.ts"
import { tell } from "./decode.ts"
import { eventsOf, format } from "./event.ts"
import { EventWriter } from "./write-event.ts"

export const encode = (conversation: Conversation, _options: EncodeOptions = {}): Wire => {
  const value = conversation.native?.[format]
  const records = eventsOf(value)
  const told = tell(records, {}, [])
  const before = unitsOf(assemble(told, { format, view: "whole", lines: undefined }), format, true)
  const after = unitsOf(flatten(conversation).messages, format, true)
  const writer = new EventWriter(after)
  const written = rewriteRecords({
    records,
    before,
    after,
    write: (unit, record) => writer.write(unit, isWire(record) ? record : undefined),
    hidden: hiddenEvents(told),
  })
  return isWire(value) && written === records && value["records"] === records ? value : { records: written }
}
