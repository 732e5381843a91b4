/**
 * Rollouts as Codex wrote them until September 2025: a header `{ id, timestamp, instructions, git }`, then bare items
 * of the Responses API and `{ "record_type": "state" }` marks. Nothing is wrapped, nothing is said twice.
 *
 * Read like its successor, without the wrapping; default view: effective, which here is
 * all there is. Written back only to repair: today's Codex does not list these files.
 */
import { asWord, type Conversation, isWire, LigatureError, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { Recognised, SessionCodec, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { capabilities, classOf, isPrompt, pulseOfItem, recordsOf, textField, textOf, titleFrom, typeOf } from "../codex-rollout/items.ts"
import { Rewriter } from "../codex-rollout/rewrite.ts"
import { transcribe } from "../codex-rollout/transcribe.ts"
import type { Entry, Finding, Reading } from "../codex-rollout/walk.ts"
import { type Dialect, weave } from "../codex-rollout/weave.ts"

const format = "codex-rollout-old"

const isHeader = (record: unknown): record is Wire =>
  isWire(record) &&
  typeof record["id"] === "string" &&
  typeof record["timestamp"] === "string" &&
  ("instructions" in record || "git" in record) &&
  record["type"] === undefined &&
  record["role"] === undefined

const isState = (record: unknown): boolean => isWire(record) && typeof record["record_type"] === "string"

const noRepeats: ReadonlySet<number> = new Set()

/** Every item stands on the one path there is. */
const read = (records: readonly unknown[], branch?: string): Reading => {
  const entries: Entry[] = []
  const findings: Finding[] = []
  const strange = new Set<unknown>()
  if (branch !== undefined && branch !== "active") {
    findings.push({
      kind: "unknown-record",
      record: 0,
      what: `There is no path ${branch} in this session`,
      why: "Sessions of this age have no branches.",
      help: "The one path there is is read.",
    })
  }
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (isHeader(record) || isState(record)) continue
    if (!isWire(record)) {
      findings.push({ kind: "malformed-record", record: index, what: "A line holds no record" })
      continue
    }
    const group = classOf(record)
    if (group === "api" || group === "own") entries.push({ source: record, record: index })
    else if (group === "unknown" && !strange.has(typeOf(record))) {
      strange.add(typeOf(record))
      findings.push({ kind: "unknown-record", record: index, what: `A record of the type ${asWord(typeOf(record))}` })
    }
  }
  return { entries, findings, repeated: noRepeats }
}

const isItem = (record: unknown): boolean =>
  isWire(record) && typeof record["type"] === "string" && record["payload"] === undefined

/** By its header or its state marks: bare items alone are any Responses history. */
const recognise = ({ records }: SessionSample): Recognised | undefined => {
  let header = false
  let states = 0
  let items = 0
  let strange = 0
  for (const record of records) {
    if (isHeader(record)) header = true
    else if (isState(record)) states++
    else if (isItem(record)) items++
    else if (isWire(record)) strange++
  }
  if (strange > states + items) return undefined
  if (header) return { certainty: "certain", why: "its header has an id, a time and instructions, and no type" }
  return states > 0 && items > 0 ? { certainty: "certain", why: "it has state marks among bare items" } : undefined
}

const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const header = records.find(isHeader)
  const { entries } = read(records)
  const prompt = entries.find(({ source }) => isPrompt(source))
  const title = prompt && titleFrom(textOf(prompt.source))
  const id = textField(header, "id")
  const startedAt = textField(header, "timestamp")
  const named = title !== undefined && title !== "" && { title }
  return {
    ...(id !== undefined && { id }),
    ...named,
    ...(startedAt !== undefined && { startedAt }),
    paths: [
      {
        id: "active",
        kind: "active",
        ...named,
        messages: entries.filter(({ source }) => source["role"] !== undefined).length,
        first: entries[0]?.record ?? 0,
      },
    ],
    compactions: [],
  }
}

const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { messages, diagnostics } = transcribe(read(records, options.branch), format, options.lines)
  const envelope: Wire = isWire(value) && records === value["records"] ? value : { records }
  return {
    format,
    messages,
    native: { [format]: envelope },
    origin: { provider: "openai" },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

const dialect: Dialect = {
  replace: (_, item) => item,
  replaceWords: (record) => record,
  wrap: (item) => item,
}

const encode = (conversation: Conversation): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) {
    const what = `Expected a conversation read from ${format}: no agent opens new files of this age`
    throw new LigatureError("not-expressible", what)
  }
  const records = native["records"] as readonly unknown[]
  const { entries, repeated } = read(records)
  const written = new Rewriter(format, entries).conversation(conversation)
  return { records: weave(records, { entries, repeated }, written, dialect) }
}

export const codexRolloutOld: SessionCodec = withDepthLimit({
  format,
  title: "Codex rollout, until 2025",
  capabilities,
  wraps: "openai-responses",
  decode,
  encode,
  session: {
    agent: "Codex CLI",
    layout: "lines",
    writes: "own",
    view: "effective",
    profile: "openai-responses",
    aliases: [],
    recognise,
    outline,
    pulse: (record) => (isWire(record) ? pulseOfItem(record) : {}),
  },
})
