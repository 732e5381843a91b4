/** Records → transcript: the path through the session, each record read by its format, messages that span records joined. */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Origin,
  type Place,
  text,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedBlock, malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "./anomaly.ts"
import { Origins } from "./origins.ts"
import { leafNamed, type Naming, readTree, type Tree } from "./read-tree.ts"
import { type Linking, relinked, sharedIds } from "./relink.ts"
import { type Walk, walkTo } from "./walk.ts"
import { UnknownRecords } from "./unknown-records.ts"
import type { FoundPath, Links, ReadRecord, RecordMessage, RecordReading, SessionFormat, SessionReading, View } from "./session-format.ts"

const naming = ({ id, parent, isEntry, content }: Links): Naming => ({
  isEntry: (record): record is Wire => isWire(record) && (isEntry?.(record) ?? true),
  idOf: (record) => (typeof record[id] === "string" ? record[id] : undefined),
  parentOf: (record) => record[parent],
  saying: content,
})

const linking = ({ id, parent, newId }: Links): Linking => ({
  withId: (record, given) => ({ ...record, [id]: given }),
  withParent: (record, given) => ({ ...record, [parent]: given }),
  newId,
})

export interface SessionPathRead extends Partial<Pick<FoundPath, "id" | "others" | "compactions" | "versions" | "dropped" | "read">> {
  /** The value as it was prepared. */
  readonly value: unknown
  readonly homes?: readonly number[]
  readonly records: readonly unknown[]
  readonly path: readonly number[]
  readonly repeated: readonly number[]
  readonly tree?: Tree
  /** The tree before links and ids were repaired: branches are named as the file names them. */
  readonly unrepaired?: Tree
  /** The record the session goes on from. */
  readonly tip?: number
  readonly diagnostics: readonly Diagnostic[]
}

export const notABranch = (branch: string): Diagnostic =>
  anomaly("unknown-record", {}, `Unknown branch ${branch.slice(0, 80)}: the active path was read`)

/** The path to the leaf that is asked for, with what the format found while it prepared the value. */
export const readPath = (format: SessionFormat, given: unknown, options: DecodeOptions = {}): SessionPathRead => {
  const { value, diagnostics: prepared } = format.prepare?.(given) ?? { value: given, diagnostics: [] }
  const records = format.records(value)
  const homes = format.homes?.(value)
  const found = format.find ? findPath(format.find, format, value, records, homes, options) : readLinks(format, value, records, options)
  return { value, ...(homes && { homes }), ...found, diagnostics: [...prepared, ...found.diagnostics] }
}

const recordPlace = ({ layout, listKey, pathOf }: SessionFormat, index: number, lines: readonly number[] | undefined, record?: unknown): Place => {
  const line = lines?.[index]
  const path = pathOf?.(record, index) ?? `${(layout === "lines" ? undefined : listKey) ?? "records"}[${index}]`
  return { path, ...(line !== undefined && { line }) }
}

type Found = Omit<SessionPathRead, "value" | "homes">

const findPath = (
  find: NonNullable<SessionFormat["find"]>,
  format: SessionFormat,
  value: unknown,
  records: readonly unknown[],
  homes: readonly number[] | undefined,
  { branch, view = format.view, lines }: DecodeOptions,
): Found => {
  const placeOf = (index: number): Place => recordPlace(format, homes?.[index] ?? index, lines, records[index])
  const { isKnown, ...found } = find(value, records, { branch, view, placeOf })
  const diagnostics = isKnown ? found.diagnostics : [...found.diagnostics, notABranch(branch ?? "")]
  return { ...found, records, repeated: [], diagnostics }
}

/** The links that take results from beside the path into it, and what is reported about them. */
const detachedResults = (
  { records, naming }: Tree,
  before: readonly number[],
  path: readonly number[],
  placeOf: (index: number) => Place,
): Pick<Walk, "links" | "diagnostics"> => {
  const links = new Map<number, number>()
  if (path.length === before.length) return { links, diagnostics: [] }
  const previous = new Map(before.map((index, position) => [index, before[position - 1]]))
  const added = path.filter((index) => !previous.has(index))
  path.forEach((index, position) => {
    const parent = path[position - 1]
    if (parent !== undefined && previous.get(index) !== parent) links.set(index, parent)
  })
  const diagnostics = added.map((index) => {
    const name = naming.idOf(records[index] as Wire) ?? `#${index}`
    return anomaly("detached-result", placeOf(index), `The results in record ${name} are linked beside the path`, [name])
  })
  return { links, diagnostics }
}

/** The records from the root to the leaf that is asked for, with broken links repaired. */
const readLinks = (
  { links, facts, strays, view: usual }: SessionFormat,
  value: unknown,
  given: readonly unknown[],
  { branch, lines, view = usual }: DecodeOptions = {},
): Found => {
  if (!links) {
    const path = Array.from(given.keys()).filter((index) => strays === "text" || isWire(given[index]))
    // The only path goes by the id of the session, or has no name.
    const isKnown =
      branch === undefined || branch === "active" || branch === "" ||
      given.some((record) => isWire(record) && facts(record).id === branch)
    return { records: given, path, repeated: [], diagnostics: isKnown ? [] : [notABranch(branch)] }
  }
  const first = readTree(given, naming(links))
  const current = links.tip?.(value)
  const tip = (current === undefined ? undefined : first.byId.get(current)) ?? first.tip
  const leaf = branch === undefined ? tip : (leafNamed(first, branch) ?? tip)
  const walked = walkTo(first, leaf, lines, view === "whole" ? links.restarts : undefined)
  const path = links.withResults?.(walked.path, first) ?? walked.path
  const placeOf = (index: number): Place => ({ path: `records[${index}]`, ...(lines?.[index] !== undefined && { line: lines[index] }) })
  const detached = detachedResults(first, walked.path, path, placeOf)
  const isLinked = given.some((record, index) => first.isEntry(index) && isWire(record) && links.parent in record)
  const nameless = isLinked ? path.filter((index) => first.naming.idOf(given[index] as Wire) === undefined) : []
  const records = relinked(first, new Map([...walked.links, ...detached.links]), linking(links), nameless)
  const tree = records === given ? first : readTree(records, naming(links))
  const diagnostics = [...walked.diagnostics, ...sharedIds(first), ...detached.diagnostics]
  for (const index of nameless) diagnostics.push(anomaly("missing-record-id", placeOf(index), "The record has no id"))
  if (branch !== undefined && leafNamed(first, branch) === undefined) diagnostics.push(notABranch(branch))
  return { records, path, repeated: tree.repeated, tree, unrepaired: first, tip, diagnostics }
}

const isMalformed = (block: Block): boolean =>
  block.type === "result" ? block.content.some(isMalformed) : block.type === "opaque" && block.kind === "malformed"

interface OpenResponse {
  readonly name: string
  readonly blocks: Block[]
}

class Assembler {
  readonly messages: Message[] = []
  readonly diagnostics: Diagnostic[] = []
  readonly said = new Map<number, readonly RecordMessage[]>()
  readonly irregular = new Set<number>()
  /** Of the last message that has one. */
  origin: Origin | undefined
  readonly #format: SessionFormat
  readonly #lines: readonly number[] | undefined
  readonly #homes: readonly number[] | undefined
  readonly #records: readonly unknown[]
  readonly #unknown: UnknownRecords
  #open: OpenResponse | undefined

  constructor(format: SessionFormat, { homes, records }: SessionPathRead, lines: readonly number[] | undefined) {
    this.#homes = homes
    this.#records = records
    this.#format = format
    this.#unknown = new UnknownRecords(format.noun)
    this.#lines = lines
  }

  /** Of a record that becomes no message: one that names the next message would pass for it. */
  place(index: number): Place {
    return recordPlace(this.#format, this.#homes?.[index] ?? index, this.#lines, this.#records[index])
  }

  #placeOfMessage(index: number): Place {
    return { message: this.messages.length, ...this.place(index) }
  }

  note(reading: RecordReading, index: number): void {
    const { diagnostics, findings, unknownTypes } = reading
    if (!("unknownType" in reading) && unknownTypes === undefined && diagnostics === undefined && findings === undefined) return
    const place = reading.messages ? this.#placeOfMessage(index) : this.place(index)
    if ("unknownType" in reading) this.#unknown.add(reading.unknownType, place)
    for (const type of unknownTypes ?? []) this.#unknown.add(type, place)
    for (const diagnostic of diagnostics ?? []) {
      this.diagnostics.push({ ...diagnostic, place })
      if (diagnostic.repair) this.irregular.add(index)
    }
    for (const { kind, what, ids } of findings ?? []) {
      this.diagnostics.push(anomaly(kind, place, what, ids ?? []))
    }
  }

  add(index: number, record: Wire, reading: RecordReading): void {
    this.note(reading, index)
    const { messages, response } = reading
    if (messages === undefined || messages.length === 0) return
    const before = this.said.get(index)
    this.said.set(index, before ? [...before, ...messages] : messages)
    for (const message of messages) {
      message.blocks.forEach((block, position) => {
        if (!isMalformed(block)) return
        const isWhole = block.native?.[this.#format.format] === record
        const found = isWhole ? "Expected a message of this format" : "Expected a content block"
        this.diagnostics.push(malformedMessage({ ...this.#placeOfMessage(index), ...(!isWhole && { block: position }) }, found))
      })
      this.#say(message, record, index, response)
    }
  }

  end(): void {
    for (const diagnostic of this.#unknown.diagnostics) this.diagnostics.push(diagnostic)
  }

  #say(message: RecordMessage, record: Wire, index: number, response: string | undefined): void {
    const { role, blocks } = message
    const line = this.#lines?.[this.#homes?.[index] ?? index]
    if (role === "assistant" && response !== undefined && this.#open?.name === response) {
      for (const block of blocks) this.#open.blocks.push(block)
      return
    }
    if (message.origin) this.origin = message.origin
    const own = role === "assistant" && response !== undefined ? [...blocks] : blocks
    if (role === "assistant") this.#open = response === undefined ? undefined : { name: response, blocks: own as Block[] }
    else if (role !== "tool") this.#open = undefined
    this.messages.push({ ...message, blocks: own, native: { [this.#format.format]: record }, ...(line !== undefined && { line }) })
  }
}

/** Reads the records of one session, each by its index. A record that is no object can only be shown as text. */
export const readerOf = (format: SessionFormat, found: SessionPathRead, view: View): ((index: number) => RecordReading) => {
  const { records, path } = found
  const read = found.read ?? format.reader?.(records, path, view) ?? ((record) => format.read(record, view))
  return (index) => {
    const record = records[index]
    return isWire(record) ? read(record, index) : { messages: [{ role: "user", blocks: [malformedBlock(format.format, record)] }] }
  }
}

export const readRecords = (format: SessionFormat, found: SessionPathRead, view: View): readonly ReadRecord[] => {
  const readingAt = readerOf(format, found, view)
  const read = found.path.map((index): ReadRecord => ({ index, record: found.records[index] as Wire, reading: readingAt(index) }))
  const arranged = format.arrange?.(read) ?? read
  return view === "effective" ? (format.effective?.(arranged) ?? arranged) : arranged
}

export const readSession = (format: SessionFormat, value: unknown, options: DecodeOptions = {}): Transcript => {
  const found = readPath(format, value, options)
  const view = options.view ?? format.view
  const assembler = new Assembler(format, found, options.lines)
  const system = format.system?.read(found.value)
  if (system !== undefined) assembler.messages.push({ role: "system", blocks: [text(system)], native: { [format.format]: { system } } })
  for (const index of found.repeated) {
    assembler.diagnostics.push(anomaly("repeated-record", assembler.place(index), "The record is in the file again further down"))
  }
  found.records.forEach((record, index) => {
    if (!isWire(record) && format.strays !== "text") assembler.diagnostics.push(anomaly("malformed-record", assembler.place(index), "Expected an object as record"))
  })
  // What is not part of the tree is on no path.
  if (format.links?.isEntry) {
    const readingAt = readerOf(format, found, view)
    found.records.forEach((record, index) => {
      if (isWire(record) && format.links?.isEntry?.(record) === false) assembler.note(readingAt(index), index)
    })
  }
  if (format.arrange || (view === "effective" && format.effective)) for (const { index, reading } of readRecords(format, found, view)) assembler.add(index, found.records[index] as Wire, reading)
  else {
    const readingAt = readerOf(format, found, view)
    for (const index of found.path) assembler.add(index, found.records[index] as Wire, readingAt(index))
  }
  assembler.end()
  const { messages, said, irregular, origin } = assembler
  const { records, path, repeated, versions, dropped } = found
  const reading: SessionReading = {
    value: found.value,
    records,
    path,
    repeated,
    said,
    origins: new Origins(records, said),
    irregular,
    ...(versions && { versions }),
    ...(dropped && { dropped }),
    ...(system !== undefined && { system }),
  }
  const diagnostics = [...found.diagnostics, ...assembler.diagnostics]
  return {
    format: format.format,
    messages,
    native: { [format.format]: reading },
    ...(origin && { origin }),
    ...(format.ids && { ids: format.ids }),
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
