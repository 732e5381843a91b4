/**
 * One block → one part: the very part it came from where the two agree, that part patched, or the fields of a new one.
 */
import {
  asWord,
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import { mediaNote, writeUrl } from "../../formats/engine/media.ts"
import { wireOf } from "../engine/fields.ts"
import { sameBlock, sameCall, sameResult } from "../engine/same-blocks.ts"
import { format, numberOf } from "./fields.ts"
import type { PartSaid } from "./read-part.ts"

export const partOf = (block: Block): Wire | undefined => {
  const part = block.native?.[format]
  return isWire(part) ? part : undefined
}

const fileOf = (block: MediaBlock): Wire | undefined => {
  const url = writeUrl(block)
  if (url === undefined) return undefined
  const name = block.name !== undefined && { filename: block.name }
  return { type: "file", mime: block.mediaType ?? "application/octet-stream", ...name, url }
}

const wordsOf = (block: ContentBlock): string => {
  if (block.type === "media") return mediaNote(block)
  return block.text
}

/** Text of a result; media goes into attachments, where the state has those. */
const outputOf = (result: ResultBlock, attaches: boolean): string => {
  const words: string[] = []
  for (const block of result.content) {
    const said = block.type === "media" && attaches && writeUrl(block) !== undefined ? "" : wordsOf(block)
    if (said !== "") words.push(said)
  }
  return words.join("\n")
}

const attachmentsOf = (result: ResultBlock, base: Wire): readonly Wire[] => {
  const files: Wire[] = []
  for (const block of result.content) {
    if (block.type !== "media") continue
    const file = partOf(block) ?? fileOf(block)
    if (!file) continue
    files.push("id" in file ? file : { ...base, id: `${asWord(base["id"])}${files.length}`, ...file })
  }
  return files
}

/** The state of a tool part; what the one before knows beyond the model is kept. */
const stateOf = (
  call: CallBlock,
  result: ResultBlock | undefined,
  before: Wire,
  base: Wire,
  milliseconds: number,
): Wire => {
  const time = wireOf(before["time"])
  const start = numberOf(time["start"]) ?? milliseconds
  const end = numberOf(time["end"]) ?? start
  const input = call.arguments
  if (!result) return { status: "running", input, time: { start } }
  const { interrupted: _, ...metadata } = wireOf(before["metadata"])
  if (result.error === true) {
    return { status: "error", input, error: outputOf(result, false), metadata, time: { start, end } }
  }
  const files = attachmentsOf(result, base)
  return {
    status: "completed",
    input,
    output: outputOf(result, true),
    title: typeof before["title"] === "string" ? before["title"] : call.name,
    metadata,
    time: { start, end },
    ...(files.length > 0 && { attachments: files }),
  }
}

/** What identifies a new part, and when it was made. */
export interface PartEnvelope {
  readonly base: Wire
  readonly milliseconds: number
}

const patchedTool = (
  part: Wire,
  call: CallBlock,
  result: ResultBlock | undefined,
  said: PartSaid,
  { milliseconds }: PartEnvelope,
): Wire => {
  const callBefore = said.block.type === "call" ? said.block : call
  const renamed = said.result && result && { ...said.result, callId: result.callId }
  const sameAnswer = sameResult(renamed ?? said.result, result)
  if (sameCall(callBefore, call) && sameAnswer) return part
  const state = wireOf(part["state"])
  const sameInput = sameCall({ ...callBefore, id: call.id, name: call.name }, call)
  const kept = sameInput ? state : { ...state, input: call.arguments }
  const base = { id: part["id"], sessionID: part["sessionID"], messageID: part["messageID"] }
  const next = sameAnswer ? kept : stateOf(call, result, state, base, milliseconds)
  return { ...part, callID: call.id, tool: call.name, state: next }
}

/** The part for a call and what became of it. `said` is what the part said when it was read. */
export const writeTool = (
  call: CallBlock,
  result: ResultBlock | undefined,
  said: PartSaid | undefined,
  envelope: PartEnvelope,
): Wire => {
  const part = partOf(call)
  if (part && said) return patchedTool(part, call, result, said, envelope)
  const { base, milliseconds } = envelope
  const state = stateOf(call, result, {}, base, milliseconds)
  return { ...base, type: "tool", callID: call.id, tool: call.name, state }
}

const textPart = (text: string, base: Wire): Wire | undefined =>
  (text === "" ? undefined : { ...base, type: "text", text })

type Sayable = Exclude<Block, CallBlock | ResultBlock>

const newPart = (block: Sayable, { base, milliseconds }: PartEnvelope): Wire | undefined => {
  switch (block.type) {
    case "text":
    case "opaque":
      return textPart(block.text, base)
    case "media": {
      const file = fileOf(block)
      return file ? { ...base, ...file } : textPart(mediaNote(block), base)
    }
    case "thinking": {
      if (block.text === "") return undefined
      return { ...base, type: "reasoning", text: block.text, time: { start: milliseconds, end: milliseconds } }
    }
  }
}

/** The part for any other block; undefined for one that has nothing to say here. */
export const writeBlock = (block: Sayable, said: PartSaid | undefined, envelope: PartEnvelope): Wire | undefined => {
  const part = partOf(block)
  if (!part || !said) return newPart(block, envelope)
  if (sameBlock(said.block, block) || (block.type !== "text" && block.type !== "thinking")) return part
  const isOwn = part["type"] === (block.type === "text" ? "text" : "reasoning")
  return isOwn ? { ...part, text: block.text } : newPart(block, envelope)
}
