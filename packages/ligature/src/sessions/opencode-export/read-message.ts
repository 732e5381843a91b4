/**
 * One message of the file → messages of the model. A tool part is a call and what became of it. A message of the assistant may
 * have several steps: the calls of one were answered before the text of the next was written, so that each step is a message
 * of its own, with its results after it. Parts that no model sees (steps, snapshots, patches, retries, texts that are marked
 * ignored, files whose text is beside them) are not read.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type Native,
  type Origin,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type ThinkingBlock,
  type Wire,
  withFields,
} from "../../model/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { kindOfMediaType, readUrl } from "../../formats/engine/media.ts"
import { type CallIds, nextCallId } from "../engine/call-id.ts"
import { listOf, stringOf, textOf, wireOf } from "../engine/fields.ts"
import type { RecordMessage, RecordReading, View } from "../engine/session-format.ts"

export const format = "opencode-export"

/** What a redactor writes in place of an id: it names nothing. */
export const redacted = "REDACTED"

export const numberOf = (value: unknown): number | undefined => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

/** An id that names something. */
export const idOf = (wire: Wire): string => {
  const id = stringOf(wire["id"])
  return id === redacted ? "" : id
}

export const infoOf = (message: Wire): Wire => wireOf(message["info"])

export const partsOf = (message: Wire): readonly unknown[] => listOf(message["parts"])

/** When a message or session was made, in milliseconds. */
export const createdIn = (info: Wire): number | undefined => numberOf(wireOf(info["time"])["created"])

export const partIn = (message: Wire, type: string): Wire | undefined =>
  partsOf(message).find((part): part is Wire => isWire(part) && part["type"] === type)

/** What the agent sends in place of a compaction, of a subagent that the user called, and of a result that was cleared. */
const compactionRequest = "What did we do so far?"
const subtaskNote = "The following tool was executed by the user"
const clearedResult = "[Old tool result content cleared]"

/** What the parts of one session share. */
export interface PartReading extends CallIds {
  readonly view: View
}

interface PartBlocks {
  readonly block: Block
  readonly result?: ResultBlock
  /** The arguments of the call broke off. */
  readonly isCut?: true
}

type Reader = (part: Wire, role: "user" | "assistant", reading: PartReading) => PartBlocks | undefined

const nativeOf = (part: Wire): Native => ({ [format]: part })

const textBlock = (part: Wire, words: string): PartBlocks => ({ block: { type: "text", text: words, native: nativeOf(part) } })

const readText: Reader = (part, role) => {
  if (role === "user" && part["ignored"] === true) return undefined
  return typeof part["text"] === "string" ? textBlock(part, part["text"]) : undefined
}

/** Signatures of Anthropic are whole in the metadata; those of others would need more than this file keeps. */
const signatureOf = (part: Wire): Pick<ThinkingBlock, "signature" | "redacted" | "unsigned"> => {
  const metadata = wireOf(wireOf(part["metadata"])["anthropic"])
  const signature = stringOf(metadata["signature"])
  if (signature !== "" && signature !== redacted) return isSignature(signature) ? { signature } : { unsigned: true }
  const hidden = stringOf(metadata["redactedData"])
  return hidden !== "" && hidden !== redacted ? { signature: hidden, redacted: true } : {}
}

const anthropicThinking = (words: string, proof: Pick<ThinkingBlock, "signature" | "redacted">): Native => {
  const { signature } = proof
  if (signature === undefined) return {}
  if (proof.redacted) return { anthropic: { type: "redacted_thinking", data: signature } }
  return { anthropic: { type: "thinking", thinking: words, signature } }
}

/** Providers that hide their reasoning leave empty parts. */
const readReasoning: Reader = (part) => {
  const words = stringOf(part["text"])
  const proof = signatureOf(part)
  if (words.trim() === "" && proof.signature === undefined) return undefined
  return { block: { type: "thinking", text: words, ...proof, native: withFields(anthropicThinking(words, proof), nativeOf(part)) } }
}

/** Files whose text the agent has put beside them. */
const shownAsText: ReadonlySet<unknown> = new Set(["text/plain", "application/x-directory"])

const mediaOf = (part: Wire): MediaBlock | undefined => {
  const { mime, url, filename } = part
  if (typeof url !== "string") return undefined
  const read = readUrl(url)
  const mediaType = typeof mime === "string" ? mime : read.mediaType
  return {
    type: "media",
    kind: mediaType === undefined ? "file" : kindOfMediaType(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof filename === "string" && { name: filename }),
    source: read.source,
    native: nativeOf(part),
  }
}

const readFile: Reader = (part) => {
  const block = shownAsText.has(part["mime"]) ? undefined : mediaOf(part)
  return block && { block }
}

const outputOf = (state: Wire, isCleared: boolean): readonly ContentBlock[] => {
  const { output } = state
  if (isCleared) return [text(clearedResult)]
  const words = typeof output === "string" ? output : output === undefined || output === null ? "" : JSON.stringify(output)
  const files = listOf(state["attachments"]).flatMap((file) => (isWire(file) ? (mediaOf(file) ?? []) : []))
  return words === "" ? files : [text(words), ...files]
}

/** The output is still there when it was cleared for the model: only the effective view shows the clearing. */
const isCleared = (state: Wire): boolean => Boolean(wireOf(state["time"])["compacted"])

const rejection = "The user rejected permission"

const readOutcome = (state: Wire, view: View): Omit<ResultBlock, "type" | "callId"> | undefined => {
  const { status, error, output } = state
  if (status === "error" || (status !== "completed" && typeof error === "string")) {
    const metadata = wireOf(state["metadata"])
    const kept = metadata["interrupted"] === true ? metadata["output"] : undefined
    const words = typeof kept === "string" ? kept : stringOf(error)
    const isDenied = words.startsWith(rejection)
    return {
      ...readResultContent(words === "" ? [] : [text(words)], { errorMark: false }),
      error: true,
      ...(isDenied && { denied: true as const }),
    }
  }
  if (status !== "completed" && (status === "pending" || status === "running" || output === undefined)) return undefined
  const isGone = isCleared(state) && (view === "effective" || stringOf(output) === "")
  const isStructured = typeof output === "object" && output !== null
  return { ...readResultContent(outputOf(state, isGone), { errorMark: false }), ...(isStructured && { structured: true }) }
}

const isEmpty = (value: unknown): boolean => !isWire(value) || Object.keys(value).length === 0

/** A call that was still being written has its text so far and no input yet. */
const readInput = ({ input, raw }: Wire): Pick<CallBlock, "arguments" | "raw" | "fault"> => {
  if (typeof raw === "string" && raw.trim() !== "" && isEmpty(input)) return readArgumentsText(raw)
  return input === undefined || input === null ? { arguments: {} } : readArgumentsObject(input)
}

const readTool: Reader = (part, _, reading) => {
  const state = wireOf(part["state"])
  const outcome = readOutcome(state, reading.view)
  const name = stringOf(part["tool"])
  const input = readInput(state)
  const isRunning = !outcome && (state["status"] === "pending" || state["status"] === "running")
  const block: CallBlock = {
    type: "call",
    ...nextCallId(stringOf(part["callID"]), !outcome, reading),
    name,
    ...input,
    ...(isRunning && { pending: "running" as const }),
    native: nativeOf(part),
  }
  if (!outcome) return input.fault === undefined ? { block } : { block, isCut: true }
  return { block, result: { type: "result", callId: block.id, name, ...outcome, native: nativeOf(part) } }
}

/** Parts on the wrong side are sent to no model. */
const readers: Readonly<Record<"user" | "assistant", ReadonlyMap<unknown, Reader>>> = {
  user: new Map<unknown, Reader>([
    ["text", readText],
    ["file", readFile],
    ["compaction", (part) => textBlock(part, compactionRequest)],
    ["subtask", (part) => textBlock(part, subtaskNote)],
  ]),
  assistant: new Map<unknown, Reader>([
    ["text", readText],
    ["reasoning", readReasoning],
    ["file", readFile],
    ["tool", readTool],
  ]),
}

/** Parts that are known and never sent. */
const silentParts: ReadonlySet<unknown> = new Set(["step-start", "step-finish", "patch", "snapshot", "agent", "retry"])

const sentParts: ReadonlySet<unknown> = new Set(["text", "tool", "file"])

/** The agent does not send what ended with an error, except what the user stopped after something had arrived. */
const isLeftOut = (info: Wire, parts: readonly unknown[]): boolean => {
  const { error } = info
  if (!isWire(error)) return false
  if (error["name"] !== "MessageAbortedError") return true
  return !parts.some((part) => isWire(part) && sentParts.has(part["type"]))
}

/** Providers that this library calls by another name. */
const providers: ReadonlyMap<string, string> = new Map([
  ["google", "gemini"],
  ["google-vertex", "gemini"],
])

const originOf = ({ providerID, modelID }: Wire): Origin | undefined => {
  const provider = textOf(providerID)
  const model = textOf(modelID)
  if (provider === undefined && model === undefined) return undefined
  return withFields(provider === undefined ? {} : { provider: providers.get(provider) ?? provider }, model === undefined ? {} : { model })
}

interface Step {
  readonly blocks: Block[]
  readonly results: ResultBlock[]
}

const findingsOf = (info: Wire, hasSteps: boolean, cuts: readonly string[]): NonNullable<RecordReading["findings"]> => {
  const { error } = info
  if (isWire(error) && hasSteps) {
    const name = idOf(info)
    return [{ kind: "stream-cut", what: `Message ${name === "" ? "" : `${name} `}ended with ${textOf(error["name"]) ?? "an error"}` }]
  }
  return cuts.length === 0 ? [] : [{ kind: "stream-cut", what: `The arguments of ${cuts.join(", ")} broke off`, ids: cuts }]
}

/** What was typed, without the texts that the agent put beside it. */
const typedIn = (parts: readonly unknown[]): string | undefined => {
  const typed = parts.find(
    (part) => isWire(part) && part["type"] === "text" && part["synthetic"] !== true && stringOf(part["text"]).trim() !== "",
  )
  return isWire(typed) ? stringOf(typed["text"]).trim() : undefined
}

const compactionIn = (message: Wire, next: unknown): RecordReading["compaction"] => {
  const asked = partIn(message, "compaction")
  if (!asked) {
    const clears = partsOf(message).some((part) => isWire(part) && part["type"] === "tool" && isCleared(wireOf(part["state"])))
    return clears ? { kind: "cleared-results", trigger: "auto" } : undefined
  }
  const { auto } = asked
  const answer = isWire(next) && infoOf(next)["summary"] === true ? partIn(next, "text") : undefined
  return {
    kind: "summary",
    ...(typeof auto === "boolean" && { trigger: auto ? ("auto" as const) : ("manual" as const) }),
    ...(answer && { summary: stringOf(answer["text"]) }),
  }
}

/** `parts`: those that were not reverted. `next`: the message after it, which may be the summary it asked for. */
const readMessage = (message: Wire, parts: readonly unknown[], next: unknown, system: string, reading: PartReading): RecordReading => {
  const info = infoOf(message)
  const role = info["role"] === "user" ? "user" : "assistant"
  const steps: Step[] = []
  const cuts: string[] = []
  const unknownTypes: unknown[] = []
  let step: Step = { blocks: [], results: [] }
  const endStep = (): void => {
    if (step.blocks.length > 0) steps.push(step)
    step = { blocks: [], results: [] }
  }
  for (const part of parts) {
    const type = isWire(part) ? part["type"] : typeof part
    const read = isWire(part) ? readers[role].get(type) : undefined
    if (type === "step-start") endStep()
    if (!read && !(isWire(part) && silentParts.has(type))) unknownTypes.push(type)
    const found = isWire(part) ? read?.(part, role, reading) : undefined
    if (!found) continue
    step.blocks.push(found.block)
    if (found.result) step.results.push(found.result)
    if (found.isCut && found.block.type === "call") cuts.push(found.block.id)
  }
  endStep()
  const id = idOf(info)
  const shared = id !== "" && { id }
  const origin = role === "assistant" ? originOf(info) : undefined
  const summary = role === "assistant" && info["summary"] === true && { summary: true as const }
  const messages: RecordMessage[] = system === "" ? [] : [{ role: "system", blocks: [text(system)] }]
  for (const { blocks, results } of steps) {
    messages.push({ role, blocks, ...shared, ...(origin && { origin }), ...summary })
    if (results.length > 0) messages.push({ role: "tool", blocks: results, ...shared })
  }
  const compaction = compactionIn(message, next)
  const title = role === "user" ? typedIn(parts) : undefined
  return {
    messages,
    unknownTypes,
    findings: findingsOf(info, steps.length > 0, cuts),
    ...(compaction && { compaction }),
    ...(title !== undefined && { title }),
  }
}

export interface ReaderOptions extends PartReading {
  readonly records: readonly unknown[]
  /** The parts that count of the message at an index. */
  readonly partsAt: (message: Wire, index: number) => readonly unknown[]
}

/** Reads messages one after the other. Each message of the user repeats the system text: it is read where it changes. */
export const messageReader = ({ records, partsAt, ...reading }: ReaderOptions): ((message: Wire, index: number) => RecordReading) => {
  let system = ""
  return (message, index) => {
    const info = infoOf(message)
    const parts = partsAt(message, index)
    if (reading.view === "effective" && isLeftOut(info, parts)) return {}
    const said = info["role"] === "user" ? stringOf(info["system"]) : ""
    const isNew = said !== "" && said !== system
    if (isNew) system = said
    return readMessage(message, parts, records[index + 1], isNew ? said : "", reading)
  }
}
