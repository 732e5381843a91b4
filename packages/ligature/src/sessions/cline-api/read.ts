/**
 * The messages of a Cline, Roo or Kilo history are Anthropic's, with calls as blocks, as XML in text, or first one and then
 * the other; the reader of calls in text reads all three, a whole path at once, because a result in text is known by the call
 * before it. Every call found in text says how certain it is.
 *
 * Summaries and truncation markers are where the file has them, with the role it gives them, since old summaries have calls.
 */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Wire,
  type CallBlock,
  type ResultBlock,
  type TextBlock,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { ofAnotherApi } from "../../formats/engine/malformed.ts"
import { xmlText } from "../../formats/xml-text/index.ts"
import { type TextCalls, withdrawDoubtfulCalls } from "../../formats/xml-text/style.ts"
import type { RecordReading } from "../engine/session-format.ts"
import { readOwnBlock, readReasoningFields, readReasoningItem } from "./reasoning.ts"
import { format, isMessage, isSummary, isTruncationMarker, markOf, reasoningBefore, withoutLabel } from "./records.ts"
import { coverBlanks, type Piece, pieceOf, readText, type Stretch } from "../../formats/xml-text/pieces.ts"
import { scanResultBlocks } from "../../formats/xml-text/scan/scan-results.ts"

// Results in text under another name than the call's: `use_subagents` is answered by `[subagents] Result:`. The reader
// of calls in text wants equal names, because a user may write such a line too. Here the call is a block that nothing
// else answers, and it is the only one: what is reported in the message after it is its result.

/** The one call block of a message that the next message does not answer. */
const onlyOpenCall = (asking: Message, answering: Message): CallBlock | undefined => {
  const answered = new Set<string>()
  for (const block of answering.blocks) {
    if (block.type !== "result") continue
    if (block.style === "xml") return undefined
    answered.add(block.callId)
  }
  const open = asking.blocks.filter((block): block is CallBlock => block.type === "call" && !answered.has(block.id))
  return open.length === 1 && open[0]?.style === undefined ? open[0] : undefined
}

const wholeStretch = (block: Block): Stretch | undefined => {
  const [stretch, ...more] = block.type === "text" ? (pieceOf(block)?.stretches ?? []) : []
  return more.length === 0 && stretch?.start === 0 && stretch.end === stretch.text.length ? stretch : undefined
}

const native = (piece: Piece): { readonly native: { readonly [name: string]: unknown } } => ({
  native: { [xmlText.format]: piece },
})

const resultOf = (call: CallBlock, body: string, stretches: readonly Stretch[]): ResultBlock => {
  const content: readonly TextBlock[] = body === "" ? [] : [{ type: "text", text: body }]
  const piece: Piece = { stretches, said: { content } }
  return { type: "result", callId: call.id, name: call.name, content, style: "xml", ...native(piece) }
}

const answered = (message: Message, call: CallBlock): Message => {
  const stretches = message.blocks.map(wholeStretch)
  const spoken = stretches.flatMap((stretch) => (stretch ? [stretch] : []))
  const { blocks: scans, results } = scanResultBlocks(spoken.map((stretch) => stretch.text))
  const [found, ...more] = results
  if (!found || more.length > 0) return message
  const { error, denied } = found.result
  const fate = { ...(error === true && { error }), ...(denied === true && { denied }) }
  let position = -1
  const read = message.blocks.flatMap((block, index): readonly Block[] => {
    const stretch = stretches[index]
    if (!stretch) return [block]
    position++
    if (position === found.bodyBlock && found.bodyBlock !== found.block) return []
    if (position !== found.block) return [block]
    const body = found.bodyBlock === found.block ? [] : spoken.slice(found.bodyBlock, found.bodyBlock + 1)
    const segments = scans[position]?.segments ?? []
    return coverBlanks(stretch.text, segments, ({ kind }) => kind === "text").map(({ segment, start, end }) => {
      const part = { ...stretch, start, end }
      return segment.kind === "result" ? { ...resultOf(call, found.text, [part, ...body]), ...fate } : readText(part)
    })
  })
  return { ...message, blocks: read }
}

const readRenamedAnswers = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message, index) => {
    const before = messages[index - 1]
    if (message.role !== "user" || before?.role !== "assistant") return message
    const call = onlyOpenCall(before, message)
    return call ? answered(message, call) : message
  })

const readBlocks = (record: Wire, read: readonly Block[], reasoning: readonly Wire[] | undefined): readonly Block[] => {
  if (record["role"] !== "assistant") return read
  let blocks = read
  for (let index = 0; index < read.length; index++) {
    const block = read[index] as Block
    const own = readOwnBlock(block)
    if (own === block) continue
    if (blocks === read) blocks = read.slice()
    ;(blocks as Block[])[index] = own
  }
  if (reasoning) return [...reasoning.map(readReasoningItem), ...blocks]
  const inFields = blocks.some((block) => block.type === "thinking") ? undefined : readReasoningFields(record)
  return inFields ? [inFields, ...blocks] : blocks
}

const readOrigin = (record: Wire): Pick<Message, "origin"> => {
  const model = record["modelInfo"]
  if (!isWire(model)) return {}
  const { providerId, modelId } = model
  const provider = typeof providerId === "string" && { provider: providerId }
  return { origin: { ...provider, ...(typeof modelId === "string" && { model: modelId }) } }
}

const readMessage = (record: Wire, message: Message, reasoning: readonly Wire[] | undefined): Message => {
  const blocks = readBlocks(record, message.blocks, reasoning)
  const summary = isSummary(record) || isTruncationMarker(record)
  const system = markOf(record)?.["role"] === "system"
  return {
    ...message,
    ...(system ? { role: "system" as const, blocks: withoutLabel(blocks) } : { blocks }),
    ...(typeof record["id"] === "string" && { id: record["id"] }),
    ...readOrigin(record),
    ...(summary && { summary: true as const }),
    native: { [format]: record },
  }
}

const isBlank = (block: unknown): boolean =>
  isWire(block) && block["type"] === "text" && typeof block["text"] === "string" && block["text"].trim() === ""

/** Blank text inside of a result that is text is no block of its own: writing leaves it out. */
const blankText = (record: Wire, { blocks }: Message): readonly Diagnostic[] => {
  const { content } = record
  if (!Array.isArray(content) || !blocks.some((block) => block.type === "result" && block.style === "xml")) return []
  const found = content.findIndex(isBlank)
  if (found < 0 || content.filter(isBlank).length <= blocks.filter(isBlank).length) return []
  return [
    {
      ...ofAnotherApi({ path: `.content[${found}]` }, "A text block is blank"),
      rule: "empty-text",
      why: "Providers reject a blank text block.",
      repair: { kind: "drop", what: "removed the blank text" },
    },
  ]
}

/** The API these agents call knows two roles; a system message of ours is one of the user's. */
const toolRole = (record: Wire): readonly Diagnostic[] => {
  if (record["role"] !== "tool") return []
  const found = ofAnotherApi({ path: ".role" }, "Expected the role user for results, got tool")
  return [{ ...found, repair: { kind: "safe", what: "written as a user message" } }]
}

/** The reader of the messages counts those it got; here a path is one inside of the record. */
const insideOf = (found: Diagnostic): Diagnostic => {
  const { path, ...place } = found.place
  return { ...found, place: { ...place, path: path?.replace(/^messages\[\d+\]/, "") ?? "" } }
}

/** The messages of a path. */
export interface ReadMessages {
  readonly messages: readonly Message[]
  /** For each message, the index of its record. */
  readonly places: readonly number[]
  readonly withdrawn: TextCalls["withdrawn"]
  readonly diagnostics: ReadonlyMap<number, readonly Diagnostic[]>
}

export const readMessages = (records: readonly unknown[], path: readonly number[], tools: DecodeOptions["tools"]): ReadMessages => {
  const places = path.filter((index) => isMessage(records[index]))
  const wires = places.map((index) => records[index] as Wire)
  const reasoning = reasoningBefore(records, path)
  const read = xmlText.decode(wires, tools ? { tools } : {})
  const diagnostics = new Map<number, Diagnostic[]>()
  const note = (message: number, found: Diagnostic): void => {
    const list = diagnostics.get(message)
    if (list) list.push(found)
    else diagnostics.set(message, [found])
  }
  // What is malformed the engine reports for all formats.
  for (const found of read.diagnostics ?? []) {
    if (found.repair?.kind === "safe" && found.place.message !== undefined) note(found.place.message, insideOf(found))
  }
  const meant = withdrawDoubtfulCalls(read.messages)
  const messages = readRenamedAnswers(meant.messages).map((message, index) => {
    const record = wires[index] as Wire
    return readMessage(record, message, reasoning.get(record))
  })
  messages.forEach((message, index) => {
    const record = wires[index] as Wire
    for (const found of [...blankText(record, message), ...toolRole(record)]) note(index, found)
  })
  return { messages, places, withdrawn: meant.withdrawn, diagnostics }
}

const stray = (index: number): RecordReading => ({
  findings: [{ kind: "malformed-record", what: `Record ${index} is no message with a role` }],
})

/** Reads the records of a path, all of them when the first is asked for. */
export const pathReader = (
  records: readonly unknown[],
  path: readonly number[],
  tools: DecodeOptions["tools"],
): ((record: Wire, index: number) => RecordReading) => {
  let readings: ReadonlyMap<number, RecordReading> | undefined
  const readAll = (): ReadonlyMap<number, RecordReading> => {
    const { messages, places, diagnostics } = readMessages(records, path, tools)
    return new Map(
      messages.map((message, position) => {
        const found = diagnostics.get(position)
        return [places[position] as number, { messages: [message], ...(found && { diagnostics: found }) }]
      }),
    )
  }
  return (_, index) => (readings ??= readAll()).get(index) ?? stray(index)
}
