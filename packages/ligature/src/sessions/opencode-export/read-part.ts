/**
 * One part → what was said with it. A tool part is a call and what became of it. Parts that no model sees (steps,
 * snapshots, patches, retries, texts that are marked ignored, files that stand beside their own text) say nothing.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type Native,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { kindOfMediaType, readUrl } from "../../formats/engine/media.ts"
import { type CallIds, nextCallId } from "../engine/call-id.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"
import { clearedResult, compactionRequest, format, redacted, subtaskNote } from "./fields.ts"

/** What the parts of one session share. */
export interface PartReading extends CallIds {
  readonly view: "effective" | "whole"
}

export interface PartSaid {
  readonly block: Block
  readonly result?: ResultBlock
  /** Arguments of the call broke off. */
  readonly cut?: true
}

type Reader = (part: Wire, role: "user" | "assistant", reading: PartReading) => PartSaid | undefined

const nativeOf = (part: Wire): Native => ({ [format]: part })

const sayText = (part: Wire, text: string): PartSaid => ({ block: { type: "text", text, native: nativeOf(part) } })

const readText: Reader = (part, role) => {
  if (role === "user" && part["ignored"] === true) return undefined
  return typeof part["text"] === "string" ? sayText(part, part["text"]) : undefined
}

/** Signatures of Anthropic are whole in the metadata; those of others would need more than this file keeps. */
const signatureOf = (part: Wire): Pick<ThinkingBlock, "signature" | "redacted" | "unsigned"> => {
  const metadata = wireOf(wireOf(part["metadata"])["anthropic"])
  const signature = stringOf(metadata["signature"])
  if (signature !== "" && signature !== redacted) return isSignature(signature) ? { signature } : { unsigned: true }
  const hidden = stringOf(metadata["redactedData"])
  return hidden !== "" && hidden !== redacted ? { signature: hidden, redacted: true } : {}
}

const anthropicThinking = (text: string, proof: Pick<ThinkingBlock, "signature" | "redacted">): Native => {
  const { signature } = proof
  if (signature === undefined) return {}
  if (proof.redacted) return { anthropic: { type: "redacted_thinking", data: signature } }
  return { anthropic: { type: "thinking", thinking: text, signature } }
}

/** Providers that hide their reasoning leave empty parts: nothing was said with them. */
const readReasoning: Reader = (part) => {
  const text = stringOf(part["text"])
  const proof = signatureOf(part)
  if (text.trim() === "" && proof.signature === undefined) return undefined
  const native = { ...anthropicThinking(text, proof), ...nativeOf(part) }
  return { block: { type: "thinking", text, ...proof, native } }
}

/** Files whose text the agent has put beside them. */
const saidAsText: ReadonlySet<unknown> = new Set(["text/plain", "application/x-directory"])

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
  const block = saidAsText.has(part["mime"]) ? undefined : mediaOf(part)
  return block && { block }
}

const outputOf = (state: Wire, cleared: boolean): readonly ContentBlock[] => {
  const { output } = state
  if (cleared) return [{ type: "text", text: clearedResult }]
  const text =
    typeof output === "string" ? output : output === undefined || output === null ? "" : JSON.stringify(output)
  const content: ContentBlock[] = text === "" ? [] : [{ type: "text", text }]
  for (const attachment of listOf(state["attachments"])) {
    const block = isWire(attachment) ? mediaOf(attachment) : undefined
    if (block) content.push(block)
  }
  return content
}

/** The output is still there when it was cleared for the model: only the effective view shows the clearing. */
export const isCleared = (state: Wire): boolean => Boolean(wireOf(state["time"])["compacted"])

const rejection = "The user rejected permission"

const readOutcome = (state: Wire, reading: PartReading): Omit<ResultBlock, "type" | "callId"> | undefined => {
  const { status, error, output } = state
  const failed = status === "error" || (status !== "completed" && typeof error === "string")
  if (failed) {
    const metadata = wireOf(state["metadata"])
    const kept = metadata["interrupted"] === true ? metadata["output"] : undefined
    const text = typeof kept === "string" ? kept : stringOf(error)
    const content: ContentBlock[] = text === "" ? [] : [{ type: "text", text }]
    const denied = text.startsWith(rejection) && { denied: true as const }
    return { ...readResultContent(content, { errorMark: false }), error: true, ...denied }
  }
  if (status !== "completed" && (status === "pending" || status === "running" || output === undefined)) return undefined
  const lost = isCleared(state) && (reading.view === "effective" || stringOf(output) === "")
  const structured = typeof output === "object" && output !== null
  const read = readResultContent(outputOf(state, lost), { errorMark: false })
  return structured ? { ...read, structured: true } : read
}

const isEmpty = (value: unknown): boolean => !isWire(value) || Object.keys(value).length === 0

/** A call that was still being written has its text so far and no input yet. */
const readInput = (state: Wire): Pick<CallBlock, "arguments" | "raw" | "fault"> => {
  const { input, raw } = state
  if (typeof raw === "string" && raw.trim() !== "" && isEmpty(input)) return readArgumentsText(raw)
  return input === undefined || input === null ? { arguments: {} } : readArgumentsObject(input)
}

const readTool: Reader = (part, _, reading) => {
  const state = wireOf(part["state"])
  const outcome = readOutcome(state, reading)
  const name = stringOf(part["tool"])
  const input = readInput(state)
  const waits = !outcome && (state["status"] === "pending" || state["status"] === "running")
  const block: CallBlock = {
    type: "call",
    ...nextCallId(stringOf(part["callID"]), !outcome, reading),
    name,
    ...input,
    ...(waits && { pending: "running" as const }),
    native: nativeOf(part),
  }
  if (!outcome) return input.fault === undefined ? { block } : { block, cut: true }
  return { block, result: { type: "result", callId: block.id, name, ...outcome, native: nativeOf(part) } }
}

/** What either side can say: parts on the wrong side are sent to no model. */
const readers: Readonly<Record<"user" | "assistant", ReadonlyMap<unknown, Reader>>> = {
  user: new Map<unknown, Reader>([
    ["text", readText],
    ["file", readFile],
    ["compaction", (part) => sayText(part, compactionRequest)],
    ["subtask", (part) => sayText(part, subtaskNote)],
  ]),
  assistant: new Map<unknown, Reader>([
    ["text", readText],
    ["reasoning", readReasoning],
    ["file", readFile],
    ["tool", readTool],
  ]),
}

/** Parts that are known to say nothing. */
export const silentParts: ReadonlySet<unknown> =
  new Set(["step-start", "step-finish", "patch", "snapshot", "agent", "retry"])

export const isKnownPart = (part: Wire, role: "user" | "assistant"): boolean =>
  readers[role].has(part["type"]) || silentParts.has(part["type"])

export const readPart = (part: unknown, role: "user" | "assistant", reading: PartReading): PartSaid | undefined =>
  isWire(part) ? readers[role].get(part["type"])?.(part, role, reading) : undefined
