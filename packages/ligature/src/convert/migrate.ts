/**
 * One way of writing calls for a whole history, of any format: as blocks, or as XML tags in text. Histories that were
 * kept as text, or changed half-way, confuse the models that read them, and no API sees a call in them.
 *
 * Files of agents that know both styles are migrated by their own codec, record by record. A request or a list of
 * messages is read, settled and written in the format it is in: there, damage that is in the way is repaired, and
 * the report names it.
 */
import { settle } from "../rules/index.ts"
import {
  assertOptions,
  type OptionNames,
  type CallBlock,
  type Conversation,
  debugFor,
  isWire,
  LigatureError,
  type Message,
  type ReportEntry,
  type Transcript,
} from "../model/index.ts"
import { type Codec, sameElements } from "../formats/engine/codec.ts"
import { encodeAtHome } from "./encode.ts"
import { detectFormat, shapeAround } from "../document/detect-format.ts"
import { isWireFormat, listKeyOf } from "../document/formats.ts"
import type { KnownTool } from "../formats/engine/tools.ts"
import {
  type MigratedCall,
  type MigratedResult,
  type MigrateOptions,
  spotOf,
  type StyleReport,
  sureEnough,
  type UnsureCall,
} from "../formats/engine/session.ts"
import { type Format, isSessionCodec, allSessions, resolveCodec } from "../registry/registry.ts"
import { inOneStyle, type OneStyle } from "../formats/xml-text/style.ts"
import { xmlText } from "../formats/xml-text/index.ts"

export interface MigrateHistoryOptions extends MigrateOptions {
  /** The format of the history. Default: detected. */
  readonly from?: Format | Codec
}

const migrateNames: OptionNames<MigrateHistoryOptions> = { from: true, to: ["blocks", "xml"], tools: true, lines: true }

export interface MigratedHistory {
  /** A list where a list was given, else the request around the new one. The very same value when nothing changed. */
  readonly value: unknown
  /** The format that `value` is written in. */
  readonly format: string
  readonly report: StyleReport
  readonly changed: boolean
}

const detected = (value: unknown): string => {
  const sessions = allSessions().filter(({ session }) => session.migrate !== undefined)
  const session = sessions.find((codec) => codec.session.recognise({ syntax: "value", records: [value] }))
  const found = session?.format ?? detectFormat(value)?.format
  if (found !== undefined) return found
  throw new LigatureError("unknown-format", "Expected a list of messages or a request with one, got neither. Name its format with `from`")
}

/** What every style of writing shows of a message: who calls what, and which calls are answered. */
interface Work {
  readonly message: number
  readonly call: CallBlock
}

const callsIn = (messages: readonly Message[]): readonly Work[] =>
  messages.flatMap(({ blocks }, message) => blocks.flatMap((call) => (call.type === "call" ? [{ message, call }] : [])))

const idsIn = ({ items }: Conversation): readonly string[] =>
  items.flatMap((item) =>
    item.role === "exchange" ? item.message.blocks.flatMap((block) => (block.type === "call" ? [block.id] : [])) : [],
  )

const styleOf = (block: { readonly style?: "xml" }): "xml" | "block" => (block.style === "xml" ? "xml" : "block")

/** Adding a result to a call that had none in text, and bringing both halves of a pair into one style, is the migration itself. */
const ownRules: ReadonlySet<string> = new Set(["unanswered-call", "mixed-call-style"])

interface Reading {
  readonly read: OneStyle
  readonly conversation: Conversation
  readonly entries: readonly ReportEntry[]
}

const reportOf = ({ read, conversation, entries }: Reading, offset: number, options: MigrateOptions): StyleReport => {
  const { to, lines } = options
  const { messages } = read.transcript
  const spot = (message: number) => spotOf(message - offset, lines)
  const found = callsIn(messages)
  const ids = idsIn(conversation)
  const idOf = (index: number, own: string): string => (ids.length === found.length ? (ids[index] ?? own) : own)
  const renamed = new Map(found.map(({ call }, index) => [call.id, idOf(index, call.id)]))
  const calls = found.map(({ message, call }, index): MigratedCall => ({
    ...spot(message),
    name: call.name,
    id: idOf(index, call.id),
    certainty: call.certainty ?? 1,
    from: styleOf(call),
  }))
  const results = messages.flatMap(({ blocks }, message) =>
    blocks.flatMap((block): readonly MigratedResult[] => {
      if (block.type !== "result") return []
      const callId = renamed.get(block.callId) ?? block.callId
      return [{ ...spot(message), callId, ...(block.name !== undefined && { name: block.name }), from: styleOf(block) }]
    }),
  )
  const invented = entries.flatMap(({ rule, kind, place, replacement }): readonly MigratedResult[] => {
    const result = rule === "unanswered-call" && kind === "synthetic" && replacement && "type" in replacement ? replacement : undefined
    if (to !== "blocks" || result?.type !== "result") return []
    const { callId, name } = result
    return [{ ...spot(place.message ?? 0), callId, ...(name !== undefined && { name }), from: "invented" }]
  })
  const doubtful = to === "blocks" ? calls.filter(({ from, certainty }) => from === "xml" && certainty < sureEnough) : []
  const unsure: readonly UnsureCall[] = [
    ...doubtful.map(({ message, name, certainty }): UnsureCall => ({
      ...spotOf(message, lines),
      name,
      certainty,
      became: "call",
      why: "the text may be no call",
    })),
    ...read.withdrawn.map(({ message, call }): UnsureCall => ({
      ...spot(message),
      name: call.name,
      certainty: call.certainty ?? 0,
      became: "text",
      why: "nothing answers it, and calls around it are blocks",
    })),
  ]
  return {
    calls,
    results: [...results, ...invented].toSorted((left, right) => left.message - right.message),
    unsure: unsure.toSorted((left, right) => left.message - right.message),
    repairs: entries.filter(({ rule }) => !ownRules.has(rule)),
  }
}

/** Whether anything is written in another style than the wanted one. */
const needsChange = ({ messages }: Transcript, to: MigrateOptions["to"]): boolean => {
  const wanted = to === "xml" ? "xml" : "block"
  return messages.some(({ blocks }) =>
    blocks.some((block) => (block.type === "call" || block.type === "result") && styleOf(block) !== wanted),
  )
}

const migrateWire = (value: unknown, format: string, options: MigrateOptions): MigratedHistory => {
  const { to, tools, lines } = options
  const codec = resolveCodec(format)
  const declared: readonly KnownTool[] = isWire(value) && Array.isArray(value["tools"]) ? value["tools"] : []
  const transcript = codec.decode(value, { ...(lines && { lines }) })
  const called = callsIn(transcript.messages).map(({ call }) => call.name)
  const known = [...(tools ?? []), ...declared, ...called]
  const read = inOneStyle(transcript, known.length > 0 ? known : undefined)
  const { conversation, report } = settle(read.transcript, { tip: "open" })
  const list: unknown = isWire(value) ? value[listKeyOf(format)] : value
  const offset = Math.max(0, transcript.messages.length - (Array.isArray(list) ? list.length : 0))
  const told = reportOf({ read, conversation, entries: report.entries }, offset, options)
  const same: MigratedHistory = { value, format, report: { ...told, repairs: [] }, changed: false }
  if (!needsChange(read.transcript, to)) return same
  const bare = Array.isArray(value)
  const { value: request, report: fitted } =
    to === "xml"
      ? // Whoever goes back to blocks gets the placeholders again.
        encodeAtHome(conversation, format, { style: "xml", bare, tools: known, placeholders: "omit" })
      : encodeAtHome(conversation, format, { bare })
  const written: unknown = request[listKeyOf(format)]
  if (Array.isArray(list) && sameElements(list, written)) return same
  return {
    value: bare ? written : request,
    format,
    report: { ...told, repairs: [...told.repairs, ...fitted.entries] },
    changed: true,
  }
}

/**
 * A history with all its calls and results in one style, and what was done. Nothing is touched where there is nothing
 * to do, so that a second run gives back the very same value. The input is never changed.
 *
 * @example
 * const text = "<read_file>\n<path>a.ts</path>\n</read_file>"
 * const history = [{ role: "user", content: "Read it." }, { role: "assistant", content: text }]
 * const { value, report } = migrate(history, { from: "anthropic", to: "blocks", tools: ["read_file"] })
 */
export const migrate = (value: unknown, options: MigrateHistoryOptions): MigratedHistory => {
  const done = migrateOnce(value, options)
  const { calls, results } = done.report
  debugFor("convert")?.(`[migrate] ${done.format} -> ${options.to}: ${calls.length} calls, ${results.length} results`)
  return done
}

const migrateOnce = (value: unknown, options: MigrateHistoryOptions): MigratedHistory => {
  assertOptions(options, migrateNames)
  if (options.to !== "blocks" && options.to !== "xml") {
    throw new LigatureError("bad-option", `Expected to: "blocks" or "xml", got ${JSON.stringify(options.to)}`)
  }
  const { from = detected(value), ...migrating } = options
  const codec = resolveCodec(from)
  if (isSessionCodec(codec) && codec.session.migrate) {
    const { list, ...migrated } = codec.session.migrate(value, migrating)
    return { ...migrated, value: migrated.changed ? list : value, format: codec.format }
  }
  if (!isWireFormat(codec.format)) {
    const known = allSessions().flatMap(({ session }) => (session.migrate ? [session.agent] : []))
    const message = `${codec.title} has one style of calls. Requests, lists of messages and files of ${known.join(", ")} can be migrated`
    throw new LigatureError("bad-option", message)
  }
  return migrateWire(value, codec === xmlText ? shapeAround(value) : codec.format, migrating)
}
