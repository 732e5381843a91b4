/**
 * Content as agents store it: a text, or a list of typed parts in the shapes of the APIs they use. A format names only the
 * parts that are its own; text, media, thinking, calls and results are read under every name that an API has for them. A
 * part that nobody knows is kept whole, as text for readers of other formats.
 */
import {
  asWord,
  type Block,
  type CallBlock,
  isContent,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { readBlock } from "../../formats/anthropic/decode.ts"
import { readBorrowed } from "../../formats/engine/borrowed.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { idText } from "../../formats/engine/wire.ts"
import { stringOf } from "./fields.ts"

/** The blocks of a part; undefined where it is not what its type promises. */
type PartReader = (part: Wire) => Block | readonly Block[] | undefined

/** `type` → reader, for the parts that only this agent writes. */
export type OwnParts = Readonly<Record<string, PartReader>>

const thinking = (words: unknown, signature: unknown): Block | undefined =>
  typeof words === "string"
    ? { type: "thinking", text: words, ...(typeof signature === "string" && signature !== "" && { signature }) }
    : undefined

/** Reasoning with what proves it. */
const common: OwnParts = {
  think: ({ think, encrypted }) => thinking(think, encrypted),
  thinking: ({ thinking: words, text: said, signature }) => thinking(words ?? said, signature),
  reasoning: ({ reasoning: words, text: said, signature }) => thinking(words ?? said, signature),
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

const kept = (format: string, blocks: Block | readonly Block[], part: Wire): readonly Block[] =>
  [blocks].flat().map((block) => ({ ...block, native: { [format]: part } }))

const readPart = (format: string, part: unknown, own: OwnParts): readonly Block[] => {
  if (typeof part === "string") return part === "" ? [] : [text(part)]
  if (!isWire(part)) return isGiven(part) ? [malformedBlock(format, part)] : []
  const { type } = part
  const readBy = (readers: OwnParts): ReturnType<PartReader> =>
    typeof type === "string" && Object.hasOwn(readers, type) ? readers[type]?.(part) : undefined
  const blocks = readBy(own) ?? readBy(common) ?? readBorrowed(part)
  if (blocks) return kept(format, blocks, part)
  if (typeof type !== "string") return [malformedBlock(format, part)]
  return [{ type: "opaque", kind: type, text: JSON.stringify(part), native: { [format]: part } }]
}

export const readContent = (format: string, content: unknown, own: OwnParts = {}): readonly Block[] => {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => readPart(format, part, own))
}

/** Thinking needs no proof here: agents keep that of other providers in the same block. */
export const unproved = (block: Block): Block => {
  if (block.type !== "thinking" || block.unsigned !== true) return block
  const { unsigned: _, ...rest } = block
  return rest
}

/** Content in blocks of the Messages API, whichever model the agent asked. */
export const readAnthropicContent = (format: string, content: unknown): readonly Block[] =>
  (Array.isArray(content) ? (content as readonly unknown[]) : [content]).flatMap((part) =>
    isWire(part) ? [readBlock(part)].flat().map(unproved) : readPart(format, part, {}),
  )

/** `input`: an object, or JSON text. */
export const callBlock = (
  format: string,
  wire: Wire,
  { id, name, input }: { readonly id: unknown; readonly name: unknown; readonly input: unknown },
): CallBlock => ({
  type: "call",
  id: idText(id),
  name: stringOf(name),
  ...(typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input ?? {})),
  native: { [format]: wire },
})

interface Said {
  readonly callId: unknown
  readonly name?: unknown
  /** Text, parts, or any other value, which is shown as JSON. */
  readonly content: unknown
  readonly error?: boolean
  readonly denied?: boolean
}

const isParts = (content: unknown): boolean =>
  Array.isArray(content) && content.every((part) => typeof part === "string" || (isWire(part) && typeof part["type"] === "string"))

export const resultBlock = (
  format: string,
  wire: Wire,
  { callId, name, content, error, denied }: Said,
  own: OwnParts = {},
): ResultBlock => {
  const isText = !isGiven(content) || typeof content === "string" || isParts(content)
  // A call, a result or a thought inside of a result is what a tool printed.
  const blocks = isText
    ? readContent(format, content, own).map((block) => (isContent(block) ? block : text(JSON.stringify(block.native?.[format] ?? block))))
    : [text(JSON.stringify(content))]
  return {
    type: "result",
    callId: idText(callId),
    ...(isGiven(name) && { name: asWord(name) }),
    ...readResultContent(blocks, { errorMark: false }),
    ...(!isText && { structured: true as const }),
    ...(error === true && { error: true as const }),
    ...(denied === true && { denied: true as const }),
    native: { [format]: wire },
  }
}
