/**
 * Items → messages. The Responses format reads them; what only this file knows is put on top: outputs written as objects,
 * NUL characters in names, items that only the agent understands, and which output may answer which call.
 */
import {
  asWord,
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type OpaqueBlock,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { ItemReader } from "../../formats/openai-responses/decode.ts"
import { answerTypes, format as responses, nativeOf } from "../../formats/openai-responses/fields.ts"
import { readParts } from "../../formats/openai-responses/read-blocks.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"
import { callFamilyOf, callIdOf, classOf, families, isPrompt, outputFamilyOf, ownItems, textOf, titleFrom, typeOf } from "./items.ts"
import type { Entry } from "./walk.ts"

/** The output of a tool written as an object: as JSON it is what the model saw. */
export const isStructured = (item: Wire): boolean => {
  const { output } = item
  return isWire(output) && typeof output["type"] !== "string" && outputFamilyOf(item) !== undefined
}

/** The result of such an item, from the result that the API would read. */
export const readStructured = (block: ResultBlock): ResultBlock => {
  const output = (nativeOf(block) as Wire)["output"] as Wire
  const { content, success } = output
  if (typeof content !== "string") return { ...block, content: [text(JSON.stringify(output))], structured: true }
  const result: ResultBlock = { ...block, content: content === "" ? [] : [text(content)] }
  return success === false ? { ...result, error: true } : result
}

const nul = "\u0000"

const malformed = (what: string, why: string, help: string, repair: string): Diagnostic => ({
  ...anomaly("malformed-record", {}, what),
  why,
  help,
  severity: "warning",
  repair: { kind: "safe", what: repair },
})

/** What the agent stops at, although it can be read. */
const faultsOf = (item: Wire): readonly Diagnostic[] => {
  const { type, name } = item
  if (type === "message" || type === "reasoning") return []
  const found: Diagnostic[] = []
  const field = type === "function_call" ? "arguments" : type === "custom_tool_call" ? "input" : undefined
  const given = field === undefined ? "" : item[field]
  if (field !== undefined && typeof given !== "string" && (field === "input" || isWire(given))) {
    found.push(
      malformed(
        `The ${field} of a call are not text`,
        "Codex cannot read a call with such a value.",
        "Repair writes the value as JSON text.",
        "wrote it as JSON text",
      ),
    )
  }
  if (typeof name === "string" && name.includes(nul)) {
    found.push(
      malformed(
        `The name of a called tool holds NUL characters (${name.replaceAll(nul, "␀").slice(0, 80)})`,
        "No provider accepts such a name, so the session cannot go on.",
        "Repair leaves the characters out of the name.",
        "left the characters out",
      ),
    )
  }
  return found
}

const readBlock = (block: Block, item: Wire): Block => {
  if (block.type === "call" && block.name.includes(nul)) return { ...block, name: block.name.replaceAll(nul, "") }
  return block.type === "result" && isStructured(item) ? readStructured(block) : block
}

/** An item of the agent's own: its text, if it has some, is what another format sees of it. */
const readOwnItem = (item: Wire, format: string): OpaqueBlock => {
  const { content } = item
  const parts = Array.isArray(content) ? readParts(content) : []
  const said = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  return { type: "opaque", kind: asWord(item["type"]), text: said, native: { [format]: item } }
}

const isUnread = (block: Block): boolean =>
  block.type === "result" ? block.content.some(isUnread) : block.type === "opaque" && block.kind === "malformed"

/** How a server takes an item is no matter for a file, and values that could not be read are reported by the engine. */
const ofTheFile = (found: readonly Diagnostic[], messages: readonly RecordMessage[]): readonly Diagnostic[] =>
  found.length === 0 || messages.some(({ blocks }) => blocks.some(isUnread)) ? [] : found.filter(({ severity }) => severity === "error")

/** Reads items one by one, each for itself. `group`: the message that an item is part of. */
export const itemReader = (format: string): ((item: Wire, group?: string) => RecordReading) => {
  const reader = new ItemReader({ store: false }, {})
  let [known, reported] = [0, 0]
  const messagesOf = (item: Wire): readonly RecordMessage[] => {
    reader.item(item)
    const all = reader.finish()
    const messages: RecordMessage[] = []
    for (; known < all.length; known++) {
      const { role, blocks, native } = all[known] as Message
      const read = blocks.map((block) => readBlock(block, item))
      messages.push(native ? { role, blocks: read, native } : { role, blocks: read })
    }
    return messages
  }
  const diagnosticsOf = (item: Wire, messages: readonly RecordMessage[]): readonly Diagnostic[] => {
    const found = reader.diagnostics.slice(reported)
    reported = reader.diagnostics.length
    const faults = faultsOf(item)
    return isStructured(item) ? faults : [...ofTheFile(found, messages), ...faults]
  }
  return (item, group) => {
    const kind = classOf(item)
    if (kind === "silent") return {}
    if (kind === "unknown") return { unknownType: typeOf(item) }
    if (kind === "own") return { messages: [{ role: "assistant", blocks: [readOwnItem(item, format)] }] }
    const messages = messagesOf(item)
    const diagnostics = diagnosticsOf(item, messages)
    const found = diagnostics.length > 0 && { diagnostics }
    if (messages[0]?.role !== "user")
      return group === undefined ? { messages, ...found } : { messages, response: group, answer: group, ...found }
    const prompt = isPrompt(item)
    return { messages, starts: prompt, title: prompt ? titleFrom(textOf(item)) : false, ...found }
  }
}

/** The summary in a history that a compaction put in place. */
export const readSummary = (item: Wire): RecordReading => {
  const blocks = readParts(item["content"])
  const fault = blocks.some(isUnread) && {
    ...anomaly("malformed-record", {}, "A part of a summary could not be read"),
    repair: { kind: "demote", what: "shown as text" } as const,
  }
  return { messages: [{ role: "user", blocks, summary: true, native: { [responses]: item } }], ...(fault && { diagnostics: [fault] }) }
}

/**
 * Which of the items are one message: for each, the number of its message, or undefined where it is one by itself. What the
 * model said between two things the client said is one, and so are outputs that follow each other. One answer of the model
 * uses an id once: where ids begin anew, so does its next answer, after the last call.
 */
export const groupItems = (items: readonly (Wire | undefined)[]): readonly (number | undefined)[] => {
  const groups: (number | undefined)[] = []
  let group = 0
  let open: "assistant" | "tool" | undefined
  let firstId: unknown
  let afterCall = 0
  items.forEach((item, position) => {
    const type = item && typeOf(item)
    const isMessage = type === "message"
    const role = answerTypes.has(type)
      ? "tool"
      : !item || (isMessage && item["role"] !== "assistant") || ownItems.has(type)
        ? undefined
        : "assistant"
    if (role !== open) {
      open = role
      group++
      firstId = undefined
    }
    if (type === "function_call" && item) {
      const id = item["call_id"]
      if (firstId && firstId === id) {
        group++
        for (let at = afterCall; at < position; at++) groups[at] = group
      } else firstId ||= id
      afterCall = position + 1
    }
    groups.push(role && group)
  })
  return groups
}

export interface Pairing {
  /** The ids of calls and outputs in the model, by their index, where they differ from those in the file. */
  readonly ids: ReadonlyMap<number, string>
  /** Outputs that have the id of a call of another kind. */
  readonly foreign: ReadonlySet<number>
}

/**
 * Which output answers which call. Codex pairs within a family: the output of a custom tool never answers a function,
 * whatever id it has. Settle pairs by id alone, so ids that two families share are told apart in the model:
 *
 *   an output whose id only calls of another family have   gets `<id>__<family>`, and answers nothing
 *   calls and outputs of an id that two families use       functions keep it, the others get `<id>__<family>`
 *
 * The id of the file stays beside it as `providerId`, and is what is written back.
 */
export const pairByFamily = (entries: readonly Entry[]): Pairing => {
  const asked = new Map<string, number>()
  for (const { item } of entries) {
    const family = item && callFamilyOf(item)
    const id = family && callIdOf(item)
    if (family && id !== undefined) asked.set(id, (asked.get(id) ?? 0) | families[family])
  }
  const ids = new Map<number, string>()
  const foreign = new Set<number>()
  for (const { item, index } of entries) {
    const family = item && (callFamilyOf(item) ?? outputFamilyOf(item))
    const id = family && callIdOf(item)
    const known = id === undefined ? undefined : asked.get(id)
    if (!family || id === undefined || known === undefined || known === families[family]) continue
    const isForeign = (known & families[family]) === 0
    if (isForeign || family !== "function") ids.set(index, `${id}__${family}`)
    if (isForeign) foreign.add(index)
  }
  return { ids, foreign }
}

/** The block with an id that settle cannot mistake. */
const separate = (block: Block, id: string): Block => {
  if (block.type === "call") return { ...block, id, providerId: block.id }
  return block.type === "result" ? { ...block, callId: id, providerId: block.callId } : block
}

export const separated = (reading: RecordReading, index: number, item: Wire, { ids, foreign }: Pairing): RecordReading => {
  const id = ids.get(index)
  if (id === undefined || !reading.messages) return reading
  const messages = reading.messages.map((message) => ({ ...message, blocks: message.blocks.map((block) => separate(block, id)) }))
  if (!foreign.has(index)) return { ...reading, messages }
  const own = callIdOf(item) ?? ""
  const finding = {
    kind: "kind-mismatch",
    what: `A ${asWord(item["type"])} has the id ${own} of a call of another kind`,
    ids: [own],
  } as const
  return { ...reading, messages, findings: [finding] }
}

/** The block as its file knows it: the way back from `separate`. */
export const rejoin = <T extends Block>(block: T): T => {
  if (block.type !== "call" && block.type !== "result") return block
  const own = block.providerId
  const id = block.type === "call" ? block.id : block.callId
  if (own === undefined || !id.startsWith(`${own}__`) || !Object.hasOwn(families, id.slice(own.length + 2))) return block
  return block.type === "call" ? { ...block, id: own } : { ...block, callId: own }
}
