/** Records → transcript: the path through the session, each record read by its format, messages that span records joined. */
import { hasMalformed } from "../../formats/engine/message-list.ts"
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Native,
  type Origin,
  type Place,
  remember,
  remembered,
  text,
  type Transcript,
  type Wire,
  withFields,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedBlock, malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "./anomaly.ts"
import { Origins } from "./origins.ts"
import { leafNamed, type Naming, readTree, type Tree } from "./read-tree.ts"
import { relinked, sharedIds } from "./relink.ts"
import { type Walk, walkTo } from "./walk.ts"
import { UnknownRecords } from "./unknown-records.ts"
import type { FoundPath, Links, ReadRecord, RecordMessage, RecordReading, SessionFormat, SessionReading, View } from "./session-format.ts"

const naming = ({ id, parent, isEntry, content }: Links): Naming => ({
  isEntry: (record): record is Wire => isWire(record) && (isEntry?.(record) ?? true),
  idOf: (record) => (typeof record[id] === "string" ? record[id] : undefined),
  parentOf: (record) => record[parent],
  saying: content,
})

export interface SessionPathRead extends Partial<
  Pick<FoundPath, "id" | "others" | "compactions" | "versions" | "dropped" | "read" | "readBeside" | "glance">
> {
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
  anomaly("unknown-record", {}, `Unknown branch ${branch.slice(0, 80)}: the active path was read`, [branch])

/** The path to the leaf that is asked for, with what the format found while it prepared the value. */
export const readPath = (format: SessionFormat, given: unknown, options: DecodeOptions = {}): SessionPathRead => {
  const { branch, view = format.view, lines, tools } = options
  const known = remembered<readonly KnownPath[]>(given, format) ?? []
  for (const path of known) {
    // Lines are for the places of findings; who gives none looks at the path alone.
    const isSame = path.branch === branch && path.view === view && path.tools === tools
    if (isSame && (lines === undefined || lines === path.lines)) return path.found
  }
  const found = readPathAnew(format, given, options)
  remember<readonly KnownPath[]>(given, format, [{ branch, view, lines, tools, found }, ...known.slice(0, pathsKept - 1)])
  return found
}

/** The path that is decoded, and the whole one for its outline. */
const pathsKept = 2

interface KnownPath {
  readonly branch: string | undefined
  readonly view: View
  readonly lines: readonly number[] | undefined
  readonly tools: DecodeOptions["tools"]
  readonly found: SessionPathRead
}

const readPathAnew = (format: SessionFormat, given: unknown, options: DecodeOptions): SessionPathRead => {
  const { value, diagnostics: prepared } = format.prepare?.(given) ?? { value: given, diagnostics: [] }
  const records = format.records(value)
  const homes = format.homes?.(value)
  const found = format.find ? findPath(format.find, format, value, records, homes, options) : readLinks(format, value, records, options)
  return { value, ...(homes && { homes }), ...found, diagnostics: [...prepared, ...found.diagnostics] }
}

const recordPlace = (
  { layout, listKey, pathOf }: SessionFormat,
  index: number,
  lines: readonly number[] | undefined,
  record?: unknown,
): Place => {
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
  { branch, view = format.view, lines, tools }: DecodeOptions,
): Found => {
  const placeOf = (index: number): Place => recordPlace(format, homes?.[index] ?? index, lines, records[index])
  const { isKnown, ...found } = find(value, records, { branch, view, placeOf, ...(tools && { tools }) })
  const diagnostics = isKnown ? found.diagnostics : [...found.diagnostics, notABranch(branch ?? "")]
  return { records, repeated: [], ...found, diagnostics }
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
      branch === undefined ||
      branch === "active" ||
      branch === "" ||
      given.some((record) => isWire(record) && facts?.(record).id === branch)
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
  const records = relinked(first, new Map([...walked.links, ...detached.links]), links, nameless)
  const tree = records === given ? first : readTree(records, naming(links))
  const diagnostics = [...walked.diagnostics, ...sharedIds(first), ...detached.diagnostics]
  for (const index of nameless) diagnostics.push(anomaly("missing-record-id", placeOf(index), "The record has no id"))
  if (branch !== undefined && leafNamed(first, branch) === undefined) diagnostics.push(notABranch(branch))
  return { records, path, repeated: tree.repeated, tree, unrepaired: first, tip, diagnostics }
}

/** A message that goes on as long as records name it. */
interface OpenMessage {
  readonly name: string
  readonly blocks: Block[]
  readonly native: Record<string, unknown>
}

const goOn = (open: OpenMessage, { blocks, native }: RecordMessage): void => {
  for (const block of blocks) open.blocks.push(block)
  for (const name in native) {
    const [list, more] = [open.native[name], native[name]]
    if (Array.isArray(list) && Array.isArray(more)) for (const wire of more as readonly unknown[]) list.push(wire)
  }
}

/** The native values of a message, with lists that may grow. */
const growing = (native: Native | undefined): Record<string, unknown> => {
  const grown: Record<string, unknown> = { ...native }
  for (const name in grown) if (Array.isArray(grown[name])) grown[name] = [...(grown[name] as readonly unknown[])]
  return grown
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
  #open: OpenMessage | undefined
  #results: OpenMessage | undefined

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

  /** The message that another one goes on with: both are of one response, or of one answer. */
  #continued(message: RecordMessage | undefined, { response, answer }: RecordReading): OpenMessage | undefined {
    const role = message?.role
    const name = role === "assistant" ? response : role === "tool" ? answer : undefined
    if (name === undefined) return undefined
    const open = role === "assistant" ? this.#open : this.#results
    return open?.name === name ? open : undefined
  }

  /** `block`: its position in the record. */
  #placeOfMessage(index: number, open: OpenMessage | undefined, block?: number): Place {
    const place = { message: this.messages.length - (open ? 1 : 0), ...this.place(index) }
    return block === undefined ? place : { ...place, block: block + (open?.blocks.length ?? 0) }
  }

  note(reading: RecordReading, index: number): void {
    const { diagnostics, findings, unknownTypes, messages } = reading
    if (!("unknownType" in reading) && unknownTypes === undefined && diagnostics === undefined && findings === undefined) return
    const placeOf = (block?: number): Place =>
      messages ? this.#placeOfMessage(index, this.#continued(messages[0], reading), block) : this.place(index)
    const place = placeOf()
    if ("unknownType" in reading) this.#unknown.add(reading.unknownType, place)
    for (const type of unknownTypes ?? []) this.#unknown.add(type, place)
    for (const diagnostic of diagnostics ?? []) {
      const { path: inside, block } = diagnostic.place
      const where = placeOf(block)
      // Readers of a whole message name it by a list of their own.
      const path = inside?.startsWith(".") ? { path: `${where.path ?? ""}${inside}` } : {}
      this.diagnostics.push({ ...diagnostic, place: { ...where, ...path } })
      if (diagnostic.repair) this.irregular.add(index)
    }
    for (const { kind, what, ids } of findings ?? []) {
      this.diagnostics.push(anomaly(kind, place, what, ids ?? []))
    }
  }

  add(index: number, record: Wire, reading: RecordReading): void {
    this.note(reading, index)
    const { messages } = reading
    if (messages === undefined || messages.length === 0) return
    const before = this.said.get(index)
    this.said.set(index, before ? [...before, ...messages] : messages)
    for (const message of messages) {
      message.blocks.forEach((block, position) => {
        if (!hasMalformed(block)) return
        const isWhole = block.native?.[this.#format.format] === record
        const found = isWhole ? "Expected a message of this format" : "Expected a content block"
        const place = this.#placeOfMessage(index, this.#continued(message, reading), isWhole ? undefined : position)
        this.diagnostics.push(malformedMessage(place, found))
      })
      this.#say(message, record, index, reading)
    }
  }

  end(): void {
    for (const diagnostic of this.#unknown.diagnostics) this.diagnostics.push(diagnostic)
  }

  #say(message: RecordMessage, record: Wire, index: number, reading: RecordReading): void {
    const { role } = message
    const open = this.#continued(message, reading)
    if (role === "assistant") this.#results = undefined
    if (open) return goOn(open, message)
    if (message.origin) this.origin = message.origin
    const name = role === "assistant" ? reading.response : role === "tool" ? reading.answer : undefined
    const begun = name === undefined ? undefined : { name, blocks: [...message.blocks], native: growing(message.native) }
    if (role !== "tool") this.#open = role === "assistant" ? begun : undefined
    if (role !== "assistant") this.#results = begun
    const { blocks, native } = begun ?? message
    const line = this.#lines?.[this.#homes?.[index] ?? index]
    const own = withFields(native, { [this.#format.format]: record })
    this.messages.push(withFields(message, { blocks, native: own, ...(line !== undefined && { line }) }))
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

/** Findings about the path name records: where such a record has become a message, its number is part of the place. */
const withMessages = (
  diagnostics: readonly Diagnostic[],
  assembler: Assembler,
  { records, path, said }: SessionReading,
  { format }: SessionFormat,
): readonly Diagnostic[] => {
  if (diagnostics.every(({ place }) => place.message !== undefined || place.path === undefined)) return diagnostics
  const begins = new Map<unknown, number>()
  assembler.messages.forEach(({ native }, index) => {
    const record = native?.[format]
    if (!begins.has(record)) begins.set(record, index)
  })
  const messageAt = new Map<string | undefined, number>()
  let message: number | undefined
  for (const index of path) {
    if (!said.has(index)) continue
    message = begins.get(records[index]) ?? message
    if (message !== undefined) messageAt.set(assembler.place(index).path, message)
  }
  return diagnostics.map((diagnostic) => {
    const { place } = diagnostic
    const at = place.message === undefined && place.path !== undefined ? messageAt.get(place.path) : undefined
    return at === undefined ? diagnostic : { ...diagnostic, place: { message: at, ...place } }
  })
}

export const readSession = (format: SessionFormat, value: unknown, options: DecodeOptions = {}): Transcript => {
  const found = readPath(format, value, options)
  const view = options.view ?? format.view
  const assembler = new Assembler(format, found, options.lines)
  const given = format.system?.read(found.value)
  const system = given === undefined || given.trim() === "" ? undefined : given
  if (system !== undefined) assembler.messages.push({ role: "system", blocks: [text(system)], native: { [format.format]: { system } } })
  for (const index of found.repeated) {
    assembler.diagnostics.push(anomaly("repeated-record", assembler.place(index), "The record is in the file again further down"))
  }
  found.records.forEach((record, index) => {
    if (!isWire(record) && format.strays !== "text")
      assembler.diagnostics.push(anomaly("malformed-record", assembler.place(index), "Expected an object as record"))
  })
  // What is not part of the tree is on no path.
  if (format.links?.isEntry) {
    const readingAt = readerOf(format, found, view)
    found.records.forEach((record, index) => {
      if (isWire(record) && format.links?.isEntry?.(record) === false) assembler.note(readingAt(index), index)
    })
  }
  if (format.arrange || (view === "effective" && format.effective))
    for (const { index, reading } of readRecords(format, found, view)) assembler.add(index, found.records[index] as Wire, reading)
  else {
    const readingAt = readerOf(format, found, view)
    for (const index of found.path) assembler.add(index, found.records[index] as Wire, readingAt(index))
  }
  assembler.end()
  const { messages, said, irregular } = assembler
  const origin = format.origin?.(found.value) ?? assembler.origin
  const { records, path, repeated, versions, dropped } = found
  const reading: SessionReading = {
    value: found.value,
    view,
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
  const diagnostics = [...withMessages(found.diagnostics, assembler, reading, format), ...assembler.diagnostics]
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
