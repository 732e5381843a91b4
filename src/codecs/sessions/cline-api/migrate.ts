/**
 * One way of writing calls for a whole history: as blocks, or back as XML in text. Works on the records as they are,
 * hidden ones included, and repairs nothing else. A pair of call and result changes its style together or not at all,
 * so that whatever a summary hides or a rewind shows again, no half of a pair is ever alone.
 *
 * Changed records bear a mark (`ligature`, beside `ts`): these agents send role and content of a message and nothing
 * else. What bears the mark of the wanted style is not read for calls again: a second run changes nothing.
 */
import { survey } from "../../../laws/survey/index.ts"
import type { Message, Wire } from "../../../model/index.ts"
import { readRecords } from "./decode.ts"
import { writeGroup } from "./encode.ts"
import { planBlocks, planXml, type StylePlan } from "./migration-plan.ts"
import { format, hiddenRecords, markKey, markOf, recordsOf } from "./records.ts"

export interface MigrateOptions {
  readonly to: "blocks" | "xml"
  /** Names of the agent's tools, where they are known: text is then taken for a call with more certainty. */
  readonly tools?: readonly string[]
  /** One-based line of each record, for the report. */
  readonly lines?: readonly number[]
}

interface Spot {
  /** Index of the record. */
  readonly message: number
  readonly line?: number
}

export interface MigratedCall extends Spot {
  readonly name: string
  readonly id: string
  /** How sure it is that this was a call: 1 for blocks. */
  readonly certainty: number
  /** How it was written before. */
  readonly from: "xml" | "block"
}

export interface MigratedResult extends Spot {
  readonly callId: string
  readonly name?: string
  /** `invented`: nothing answered the call, and a block must be answered. */
  readonly from: "xml" | "block" | "invented"
}

export interface UnsureCall extends Spot {
  readonly name: string
  readonly certainty: number
  readonly became: "call" | "text"
  readonly why: string
}

export interface StyleReport {
  readonly calls: readonly MigratedCall[]
  readonly results: readonly MigratedResult[]
  /** What a person should look at: calls in text that were doubtful, and calls that kept their style. */
  readonly unsure: readonly UnsureCall[]
}

export interface Migrated {
  readonly list: readonly unknown[]
  readonly report: StyleReport
  readonly changed: boolean
}

/** Formats whose message lists hold calls as text, or may have held them. */
export const migratableFormats: readonly string[] = [format, "xml-text", "anthropic"]

/** The version of what a migration writes. */
export const styleVersion = 1

const sureEnough = 0.9

/** Messages that the same summary or marker hides, or none, are shown together. */
const hidersOf = (records: readonly unknown[]): ((record: unknown) => string) => {
  const hidden = hiddenRecords(records)
  return (record) => {
    if (!hidden.has(record)) return ""
    const { condenseParent, truncationParent } = record as Wire
    return `${String(condenseParent)} ${String(truncationParent)}`
  }
}

const recordOf = (message: Message): Wire => message.native?.[format] as Wire

/** The record with its blocks changed and marked; the same one when the plan leaves it alone. */
const applied = (message: Message, index: number, plan: StylePlan, style: MigrateOptions["to"]): Wire => {
  const record = recordOf(message)
  const parts = plan.partsOf(message, index)
  if (!parts) return record
  const role = message.role === "tool" ? "user" : message.role
  const written = writeGroup({ role, record, parts: [...parts], message, onlyResults: false }, true)
  if (!written) return record
  const { invented: _, ...before } = markOf(record) ?? {}
  const invented = plan.inventedIn(index).map((result) => result.callId)
  const mark = { ...before, version: styleVersion, style, ...(invented.length > 0 && { invented }) }
  return { ...written, [markKey]: mark }
}

/**
 * The history with all calls and results in one style, and what was done. The input is not touched; records that need
 * no change are the very same objects.
 *
 * @example
 * const history = [{ role: "assistant", content: [{ type: "text", text: "<read_file>\n<path>a.ts</path>\n</read_file>" }], ts: 1 }]
 * const { list, report, changed } = migrateStyle(history, { to: "blocks", tools: ["read_file"] })
 */
export const migrateStyle = (value: unknown, options: MigrateOptions): Migrated => {
  const { to, tools, lines } = options
  const records = recordsOf(value)
  const { messages, places, withdrawn } = readRecords(records, { view: "whole", ...(tools && { tools }) })
  const { calls } = survey({ format, messages, ids: "optional" }, { tip: "open", reattach: false })
  const hiderOf = hidersOf(records)
  const source = {
    messages,
    calls,
    groupOf: (message: number): string => hiderOf(records[places[message] ?? -1]),
    markOf: (message: number): Wire | undefined => markOf(recordOf(messages[message] as Message)),
  }
  const plan = to === "blocks" ? planBlocks(source) : planXml(source)
  const list = records.slice()
  messages.forEach((message, index) => {
    list[places[index] as number] = applied(message, index, plan, to)
  })
  const spot = (message: number): Spot => {
    const place = places[message] ?? 0
    const line = lines?.[place]
    return { message: place, ...(line !== undefined && { line }) }
  }
  const doubtful = plan.calls.filter(({ certainty }) => certainty < sureEnough)
  const unsure: readonly UnsureCall[] = [
    ...doubtful.map(({ message, name, certainty }): UnsureCall => ({
      ...spot(message), name, certainty, became: to === "blocks" ? "call" : "text", why: "the text may be no call",
    })),
    ...plan.kept.map(({ message, ...kept }): UnsureCall => ({ ...spot(message), ...kept })),
    ...withdrawn.map(({ message, call }): UnsureCall => ({
      ...spot(message), name: call.name, certainty: call.certainty ?? 0, became: "text",
      why: "nothing answers it, and calls around it are blocks",
    })),
  ]
  const changed = list.some((record, index) => !Object.is(record, records[index]))
  return {
    list: changed ? list : records,
    report: {
      calls: plan.calls.map(({ message, ...call }) => ({ ...spot(message), ...call })),
      results: plan.results.map(({ message, ...result }) => ({ ...spot(message), ...result })),
      unsure: unsure.toSorted((left, right) => left.message - right.message),
    },
    changed,
  }
}
