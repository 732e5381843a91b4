/**
 * One way of writing calls for a whole history: as blocks, or back as XML in text. Works on the records as they are,
 * hidden ones included, and repairs nothing else. A pair of call and result changes its style together or not at all,
 * so that whatever a summary hides or a rewind shows again, no half of a pair is ever alone.
 *
 * Changed records have a mark (`ligature`, beside `ts`): these agents send role and content of a message and nothing
 * else. What has the mark of the wanted style is not read for calls again: a second run changes nothing.
 */
import { survey } from "../../rules/survey/index.ts"
import { canonicalJson, isWire, type Message, resultText, type Wire, type JsonValue } from "../../model/index.ts"
import { type Migrated, type MigrateOptions, spotOf, styleVersion, sureEnough, type UnsureCall } from "../../formats/engine/session.ts"
import { Wording } from "../../formats/xml-text/wording.ts"
import { planBlocks, planXml, type StylePlan } from "./migration-plan.ts"
import { type ReadMessages, readMessages } from "./read.ts"
import { format, hiddenRecords, markKey, markOf, pathIn, recordsOf } from "./records.ts"
import { writeRecord } from "./write.ts"

// What the content of a record was before it was migrated, in short, so that the way back gives the same bytes: whatever
// the new content still has is named by its number among the strings there, and only the rest is spelt out. Tags, line
// breaks and headers are little; the words and results they are around are in the record once.

/** Stands for a string that is put together: a number is the string of that number, a text is itself. */
const joinedKey = "$"

/** Shorter ones are not worth a number. */
const shortest = 4

/** How many strings ahead are tried for the next one that a text contains. */
const reach = 16

const stringsIn = (value: unknown, found: string[] = []): readonly string[] => {
  if (typeof value === "string") found.push(value)
  else if (typeof value === "object" && value !== null) for (const held of Object.values(value)) stringsIn(held, found)
  return found
}

class Shortener {
  readonly #strings: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  #next = 0

  constructor(after: unknown) {
    this.#strings = stringsIn(after)
    this.#places = new Map(this.#strings.map((text, place) => [text, place]))
  }

  shorten(value: unknown): JsonValue | undefined {
    if (typeof value === "string") return this.#text(value)
    if (Array.isArray(value)) {
      const list = value.map((held: unknown) => this.shorten(held))
      return list.every((held) => held !== undefined) ? list : undefined
    }
    if (!isWire(value)) return value as JsonValue
    if (Object.hasOwn(value, joinedKey)) return undefined
    const fields: [string, JsonValue][] = []
    for (const [key, held] of Object.entries(value)) {
      const short = this.shorten(held)
      if (short === undefined) return undefined
      fields.push([key, short])
    }
    return Object.fromEntries(fields)
  }

  #text(text: string): JsonValue {
    if (text.length < shortest) return text
    const whole = this.#places.get(text)
    if (whole !== undefined) {
      this.#next = whole + 1
      return { [joinedKey]: [whole] }
    }
    const pieces: (string | number)[] = []
    let from = 0
    for (let place = this.#next, last = place + reach; place < Math.min(last, this.#strings.length); place++) {
      const piece = this.#strings[place] as string
      const at = piece.length < shortest ? -1 : text.indexOf(piece, from)
      if (at < 0) continue
      if (at > from) pieces.push(text.slice(from, at))
      pieces.push(place)
      from = at + piece.length
      this.#next = place + 1
      last = place + 1 + reach
    }
    if (from < text.length) pieces.push(text.slice(from))
    return pieces.some((piece) => typeof piece === "number") ? { [joinedKey]: pieces } : text
  }
}

/** Undefined: it cannot be said in short. */
const shortened = (before: unknown, after: unknown): JsonValue | undefined => new Shortener(after).shorten(before)

/** The content as it was, made of what is there now; undefined where that is something else by now. */
const restored = (short: unknown, after: unknown): unknown => {
  const strings = stringsIn(after)
  let broken = false
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore)
    if (!isWire(value)) return value
    const pieces = value[joinedKey]
    if (!Array.isArray(pieces)) return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, restore(held)]))
    return pieces
      .map((piece: unknown) => {
        const text = typeof piece === "number" ? strings[piece] : piece
        if (typeof text !== "string") broken = true
        return text
      })
      .join("")
  }
  const content = restore(short)
  return broken ? undefined : content
}

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
