/**
 * Codex rollout → Transcript.
 *
 * Default view: effective, what the agent would send next. A session is the history of requests, so its items are those
 * of the Responses API and keep that codec's wire values; the transcript keeps all records and how they were read.
 */
import { isWire, type Origin, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { readPath } from "./path.ts"
import { format, payloadOf, recordsOf, textField } from "./records.ts"
import { transcribe } from "./transcribe.ts"

/** Who answered: the provider of the first header, the model of the last turn. */
const originOf = (records: readonly unknown[]): Origin => {
  const meta = records.find((record) => payloadOf(record, "session_meta"))
  let model: string | undefined
  for (let index = records.length - 1; index >= 0 && model === undefined; index--) {
    model = textField(payloadOf(records[index], "turn_context"), "model")
  }
  const provider = textField(payloadOf(meta, "session_meta"), "model_provider") ?? "openai"
  return { provider, ...(model !== undefined && { model }) }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { branch, view, lines, source } = options
  const read = { ...(branch !== undefined && { branch }), ...(view !== undefined && { view }) }
  const { messages, diagnostics } = transcribe(readPath(records, read), format, lines)
  const envelope: Wire = isWire(value) && records === value["records"] ? value : {}
  return {
    format,
    messages,
    native: { [format]: { ...envelope, records, ...read } },
    origin: originOf(records),
    ...(source !== undefined && { source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
