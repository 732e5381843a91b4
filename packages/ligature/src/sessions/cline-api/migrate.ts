/**
 * One way of writing calls for a whole history: as blocks, or back as XML in text. Works on the records as they are,
 * hidden ones included, and repairs nothing else. A pair of call and result changes its style together or not at all,
 * so that whatever a summary hides or a rewind shows again, no half of a pair is ever alone.
 *
 * Changed records have a mark (`ligature`, beside `ts`): these agents send role and content of a message and nothing
 * else. What has the mark of the wanted style is not read for calls again: a second run changes nothing.
 */
import { survey } from "../../rules/survey/index.ts"
import { canonicalJson, isWire, type Message, resultText, type Wire } from "../../model/index.ts"
import { type Migrated, type MigrateOptions, spotOf, styleVersion, sureEnough, type UnsureCall } from "../../formats/engine/session.ts"
import { Wording } from "../../formats/xml-text/wording.ts"
import { restored, shortened } from "./former-content.ts"
import { planBlocks, planXml, type StylePlan } from "./migration-plan.ts"
import { type ReadMessages, readMessages } from "./read.ts"
import { format, hiddenRecords, markKey, markOf, pathIn, recordsOf } from "./records.ts"
import { writeRecord } from "./write.ts"

/** Messages that the same summary or marker hides, or none, are shown together. */
const hidersOf = (records: readonly unknown[]): ((record: unknown) => string) => {
  const hidden = hiddenRecords(records)
  return (record) => {
    if (!hidden.has(record)) return ""
    const { condenseParent, truncationParent } = record as Wire
    return `${String(condenseParent)} ${String(truncationParent)}`
  }
}

const readWhole = (records: readonly unknown[], tools: MigrateOptions["tools"]): ReadMessages =>
  readMessages(records, pathIn(records, "whole"), tools)

const recordOf = (message: Message): Wire => message.native?.[format] as Wire

/** The record with its blocks changed and marked; the same one when the plan leaves it alone. */
const applied = (message: Message, index: number, plan: StylePlan, style: MigrateOptions["to"], wording: Wording): Wire => {
  const record = recordOf(message)
  const parts = plan.partsOf(message, index)
  if (!parts) return record
  const role = message.role === "tool" ? "user" : message.role
  const written = writeRecord({ role, parts, like: record }, true, wording)
  if (!written) return record
  const { invented: _, former: __, ...others } = markOf(record) ?? {}
  const invented = plan.inventedIn(index).map((result) => result.callId)
  const former = style === "blocks" ? shortened(record["content"], written["content"]) : undefined
  const mark = {
    ...others,
    version: styleVersion,
    style,
    ...(invented.length > 0 && { invented }),
    ...(former !== undefined && { former }),
  }
  return { ...written, [markKey]: mark }
}

/** A record that was migrated to blocks, as it was before; undefined where it does not say how that was. */
const former = (record: unknown): Wire | undefined => {
  const mark = isWire(record) ? markOf(record) : undefined
  if (!isWire(record) || mark?.["former"] === undefined) return undefined
  const content = restored(mark["former"], record["content"])
  if (content === undefined) return undefined
  const { former: _, version: __, style: ___, invented: ____, ...others } = mark
  const { [markKey]: _____, ...rest } = record
  return { ...rest, content, ...(Object.keys(others).length > 0 && { [markKey]: others }) }
}

/** What is called and answered, whatever the style; results that only stand in for one do not count. */
const workIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === "call") return [`${block.name} ${canonicalJson(block.arguments)}`]
      return block.type === "result" && block.synthetic === undefined ? [`${block.error === true} ${resultText(block)}`] : []
    }),
  )

/**
 * The list with the very content that records had before they were migrated to blocks. Undefined where that would not
 * say the same any more: somebody has changed a call or a result since.
 */
const asItWas = (list: readonly unknown[], migrated: readonly unknown[], options: MigrateOptions): readonly unknown[] | undefined => {
  let found = false
  const restoredList = list.map((record, index) => {
    const was = migrated[index] === record ? undefined : former(record)
    if (was) found = true
    return was ?? migrated[index]
  })
  if (!found) return undefined
  const [before, after] = [list, restoredList].map((records) => workIn(readWhole(records, options.tools).messages))
  return canonicalJson(before) === canonicalJson(after) ? restoredList : undefined
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
  const { messages, places, withdrawn } = readWhole(records, tools)
  const { calls } = survey({ format, messages, ids: "optional" }, { tip: "open", reattach: false })
  const hiderOf = hidersOf(records)
  const source = {
    messages,
    calls,
    groupOf: (message: number): string => hiderOf(records[places[message] ?? -1]),
    markOf: (message: number): Wire | undefined => markOf(recordOf(messages[message] as Message)),
  }
  const plan = to === "blocks" ? planBlocks(source) : planXml(source)
  const wording = new Wording()
  const writeAll = (): readonly unknown[] => {
    const written = records.slice()
    messages.forEach((message, index) => {
      written[places[index] as number] = applied(message, index, plan, to, wording)
    })
    return written
  }
  let written = writeAll()
  while (wording.corrects(() => readWhole(written, tools).messages)) written = writeAll()
  const list = (to === "xml" ? asItWas(records, written, options) : undefined) ?? written
  const spot = (message: number) => spotOf(places[message] ?? 0, lines)
  const doubtful = plan.calls.filter(({ certainty }) => certainty < sureEnough)
  const unsure: readonly UnsureCall[] = [
    ...doubtful.map(({ message, name, certainty }): UnsureCall => ({
      ...spot(message),
      name,
      certainty,
      became: to === "blocks" ? "call" : "text",
      why: "the text may be no call",
    })),
    ...plan.kept.map(({ message, ...kept }): UnsureCall => ({ ...spot(message), ...kept })),
    ...withdrawn.map(({ message, call }): UnsureCall => ({
      ...spot(message),
      name: call.name,
      certainty: call.certainty ?? 0,
      became: "text",
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
      repairs: wording.report(messages.map(({ blocks }, index) => ({ place: spotOf(places[index] ?? 0, lines), blocks }))),
    },
    changed,
  }
}
