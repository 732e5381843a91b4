/**
 * Entries → messages. The Responses codec reads the items; what only this file knows is put on top: words that stand in
 * no item, summaries, items that only the agent understands, outputs written as objects, and NUL characters in names.
 */
import {
  asWord,
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type OpaqueBlock,
  type Place,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { ItemReader } from "../../formats/openai-responses/decode.ts"
import { format as responses, nativeOf } from "../../formats/openai-responses/fields.ts"
import { readPart, readParts } from "../../formats/openai-responses/read-blocks.ts"
import { anomaly } from "../engine/anomaly.ts"
import { callFamilyOf, callIdOf, classOf, families, type Family, outputFamilyOf } from "./items.ts"
import type { Entry, Finding, Reading } from "./walk.ts"

/** The output of a tool written as an object: as JSON it is what the model saw. Read alike by the decoder and the encoder. */
export const isStructured = (item: Wire): boolean => {
  const { output } = item
  return isWire(output) && typeof output["type"] !== "string" && outputFamilyOf(item) !== undefined
}

/** The result of such an item as it says it, from the result that the API would read. */
export const readStructured = (block: ResultBlock): ResultBlock => {
  const output = (nativeOf(block) as Wire)["output"] as Wire
  const { content, success } = output
  if (typeof content !== "string") return { ...block, content: [text(JSON.stringify(output))], structured: true }
  const result: ResultBlock = { ...block, content: content === "" ? [] : [text(content)] }
  return success === false ? { ...result, error: true } : result
}

const separated = (id: string, family: Family): string => `${id}__${family}`

export interface Pairing {
  /** Items whose id in the model differs from the one in the file. */
  readonly ids: ReadonlyMap<unknown, string>
  readonly findings: readonly Finding[]
}

/**
 * Which output answers which call. Codex pairs within a family: the output of a custom tool never answers a function,
 * whatever id it bears. Settle pairs by id alone, so ids that two families share are told apart in the model:
 *
 *   an output whose id only calls of another family bear   gets `<id>__<family>`, and answers nothing
 *   calls and outputs of an id that two families use       functions keep it, the others get `<id>__<family>`
 *
 * The id of the file stays beside it as `providerId`, and is what is written back.
 */
export const pairByFamily = (entries: readonly Entry[]): Pairing => {
  const asked = new Map<string, number>()
  for (const { source } of entries) {
    const family = callFamilyOf(source)
    const id = family && callIdOf(source)
    if (family && id !== undefined) asked.set(id, (asked.get(id) ?? 0) | families[family])
  }
  const ids = new Map<unknown, string>()
  const findings: Finding[] = []
  for (const { source, record } of entries) {
    const called = callFamilyOf(source)
    const family = called ?? outputFamilyOf(source)
    const id = family && callIdOf(source)
    const known = id === undefined ? undefined : asked.get(id)
    if (!family || id === undefined || known === undefined || known === families[family]) continue
    const foreign = (known & families[family]) === 0
    if (foreign || family !== "function") ids.set(source, separated(id, family))
    if (!foreign) continue
    const what = `A ${asWord(source["type"])} bears the id ${id} of a call of another kind`
    findings.push({ kind: "kind-mismatch", record, what, ids: [id] })
  }
  return { ids, findings }
}

/** The block with an id that settle cannot mistake. */
export const separate = (block: Block, id: string): Block => {
  if (block.type === "call") return { ...block, id, providerId: block.id }
  return block.type === "result" ? { ...block, callId: id, providerId: block.callId } : block
}

/** The block as its file knows it: the way back from `separate`. */
export const rejoin = <T extends Block>(block: T): T => {
  const own = block.type === "call" || block.type === "result" ? block.providerId : undefined
  if (own === undefined || (block.type !== "call" && block.type !== "result")) return block
  const id = block.type === "call" ? block.id : block.callId
  if (!id.startsWith(`${own}__`) || !Object.hasOwn(families, id.slice(own.length + 2))) return block
  return block.type === "call" ? { ...block, id: own } : { ...block, callId: own }
}

type Change = (block: Block) => Block

const withoutNul: Change = (block) =>
  block.type === "call" ? { ...block, name: block.name.replaceAll("\u0000", "") } : block

/** An item of the agent's own: its words, if it has some, are what another format sees of it. */
const readOwnItem = (item: Wire, format: string): OpaqueBlock => {
  const { content } = item
  const parts = Array.isArray(content) ? readParts(content) : []
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  return { type: "opaque", kind: asWord(item["type"]), text: words, native: { [format]: item } }
}

class Transcriber {
  readonly reader: ItemReader
  readonly findings: Finding[] = []
  readonly #format: string
  readonly #changes = new Map<unknown, Change>()
  readonly #lines: number[] = []
  readonly #source: readonly number[] | undefined

  constructor(format: string, lines: readonly number[] | undefined) {
    this.#format = format
    this.#source = lines
    this.reader = new ItemReader({ store: false }, lines ? { lines: this.#lines } : {})
  }

  entry(entry: Entry): void {
    const { source, words, summary, record } = entry
    const line = this.#source?.[record]
    if (words) this.reader.whole(this.#words(entry, words), line)
    else if (summary === true) {
      const blocks = readParts(source["content"])
      if (blocks.some((block) => block.type === "opaque" && block.kind === "malformed")) {
        const what = "A part of a summary could not be read"
        this.findings.push({ kind: "malformed-record", record, what, repair: { kind: "demote", what: "shown as text" } })
      }
      this.reader.whole({ role: "user", blocks, summary, native: { [responses]: source } }, line)
    } else if (classOf(source) === "own") {
      this.reader.whole({ role: "assistant", blocks: [readOwnItem(source, this.#format)] }, line)
    } else this.#item(source, record, line)
  }

  #words({ source, summary }: Entry, { role, text: said, images = [] }: NonNullable<Entry["words"]>): Message {
    const media = images.map((url) => readPart({ type: "input_image", image_url: url }))
    const blocks = said === "" ? media : [text(said), ...media]
    return { role, blocks, ...(summary && { summary }), native: { [this.#format]: source } }
  }

  #item(item: Wire, record: number, line: number | undefined): void {
    const before = this.reader.diagnostics.length
    this.#lines.push(line ?? 0)
    this.reader.item(item)
    if (isStructured(item)) {
      this.reader.diagnostics.length = before
      this.change(item, (block) => (block.type === "result" ? readStructured(block) : block))
    }
    this.#argumentsOf(item, record)
    const { name } = item
    if (typeof name !== "string" || !name.includes("\u0000")) return
    this.change(item, withoutNul)
    this.findings.push({
      kind: "malformed-record",
      record,
      what: `The name of a called tool holds NUL characters (${name.replaceAll("\u0000", "␀").slice(0, 80)})`,
      why: "No provider accepts such a name, so the session cannot go on.",
      help: "Repair leaves the characters out of the name.",
      repair: { kind: "safe", what: "left the characters out" },
    })
  }

  /** The agent stops at a call whose arguments are no text. */
  #argumentsOf(item: Wire, record: number): void {
    const field = item["type"] === "function_call" ? "arguments" : item["type"] === "custom_tool_call" ? "input" : undefined
    const given = field === undefined ? "" : item[field]
    if (typeof given === "string" || (field === "arguments" && !isWire(given))) return
    this.findings.push({
      kind: "malformed-record",
      record,
      what: `The ${asWord(field)} of a call are not text`,
      why: "Codex cannot read a call with such a value.",
      help: "Repair writes the value as JSON text.",
      repair: { kind: "safe", what: "wrote it as JSON text" },
    })
  }

  change(item: unknown, change: Change): void {
    const earlier = this.#changes.get(item)
    this.#changes.set(item, earlier ? (block) => change(earlier(block)) : change)
  }

  messages(): readonly Message[] {
    const messages = this.reader.finish()
    if (this.#changes.size === 0) return messages
    return messages.map((message) => {
      if (!message.blocks.some((block) => this.#changes.has(nativeOf(block)))) return message
      const blocks = message.blocks.map((block) => this.#changes.get(nativeOf(block))?.(block) ?? block)
      return { ...message, blocks }
    })
  }
}

/** How a server takes an item is no matter for a file: only what could not be read at all is reported. */
const ofTheFile = ({ severity, place, ...diagnostic }: Diagnostic): readonly Diagnostic[] => {
  if (severity !== "error") return []
  const { path: _, ...rest } = place
  return [{ ...diagnostic, severity, place: rest }]
}

const reported = (finding: Finding, lines: readonly number[] | undefined): Diagnostic => {
  const { kind, record, what, ids, why, help, repair } = finding
  const line = lines?.[record]
  const place: Place = { path: `records[${record}]`, ...(line !== undefined && { line }) }
  return {
    ...anomaly(kind, place, what, ids),
    ...(why !== undefined && { why }),
    ...(help !== undefined && { help }),
    ...(repair && { severity: "warning" as const, repair }),
  }
}

export const transcribe = (
  { entries, findings }: Reading,
  format: string,
  lines: readonly number[] | undefined,
): { readonly messages: readonly Message[]; readonly diagnostics: readonly Diagnostic[] } => {
  const transcriber = new Transcriber(format, lines)
  const pairing = pairByFamily(entries)
  for (const entry of entries) transcriber.entry(entry)
  for (const [item, id] of pairing.ids) transcriber.change(item, (block) => separate(block, id))
  const all = [...findings, ...transcriber.findings, ...pairing.findings]
  const diagnostics = [
    ...transcriber.reader.diagnostics.flatMap(ofTheFile),
    ...all.map((finding) => reported(finding, lines)),
  ]
  return { messages: transcriber.messages(), diagnostics }
}
