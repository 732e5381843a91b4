/** One block of the model → one Converse block: the very one it came from where they agree, patched, or a new one. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  errorMark,
  isWire,
  type MediaBlock,
  type OpaqueBlock,
  type ResultBlock,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { mediaNote } from "../engine/media.ts"
import { asWire } from "../engine/wire.ts"
import { withText } from "../engine/write-back.ts"
import { writeMedia } from "./media.ts"

// Names of documents: Converse wants them unique in a request and takes few characters. Names that came from this format stay while nobody in front
// has them; documents from elsewhere get a valid name. A name depends only on what is before it, so that appending never renames what was
// there.

const longest = 200

/** Letters, digits, single spaces, hyphens, parentheses and brackets are valid. */
const validName = (name: string | undefined): string =>
  (name ?? "")
    .slice(0, longest - 10)
    .replace(/[^A-Za-z0-9()[\] -]/g, "-")
    .replace(/ {2,}/g, " ")
    .trim()

interface DocumentNames {
  /** A name nobody has yet. */
  readonly give: (wanted: string | undefined) => string
  /** The name itself where it is free, else one made from it. */
  readonly keep: (name: string) => string
}

const documentNames = (): DocumentNames => {
  const used = new Set<string>()
  const numbers = new Map<string, number>()
  const give = (wanted: string | undefined): string => {
    const valid = validName(wanted)
    const base = valid === "" ? "document" : valid
    let name = base
    for (let number = numbers.get(base) ?? 1; name === "document" || used.has(name); number++) {
      name = `${base}-${number}`
      numbers.set(base, number + 1)
    }
    used.add(name)
    return name
  }
  const keep = (name: string): string => {
    if (used.has(name)) return give(name)
    used.add(name)
    return name
  }
  return { give, keep }
}

export const nativeOf = (value: { readonly native?: Readonly<Record<string, unknown>> }): Wire | undefined =>
  asWire(value.native?.["bedrock-converse"])

/** `mark` goes before the text, where a result says in words that it failed. */
const writeText = (block: TextBlock, mark = ""): Wire => {
  const native = nativeOf(block)
  const text = mark + block.text
  if (!native) return { text }
  if ("json" in native) return JSON.stringify(native["json"]) === text ? native : { text }
  return withText(native, text)
}

const writeThinking = (block: ThinkingBlock): Wire => {
  if (block.redacted === true) return { reasoningContent: { redactedContent: block.signature ?? "" } }
  const signature = block.signature !== undefined && { signature: block.signature }
  return { reasoningContent: { reasoningText: { text: block.text, ...signature } } }
}

const writeCall = (call: CallBlock): Wire => {
  const { id: toolUseId, name, arguments: input } = call
  const native = nativeOf(call)
  const held = native?.["toolUse"]
  if (!native || !isWire(held)) return { toolUse: { toolUseId, name, input } }
  if (held["toolUseId"] === toolUseId && held["name"] === name && held["input"] === input) return native
  return { ...native, toolUse: { ...held, toolUseId, name, input } }
}

/** Documents of this format keep their names, except where a document in front has the same. */
const keepName = (native: Wire, names: DocumentNames): Wire => {
  const held = native["document"]
  if (!isWire(held) || typeof held["name"] !== "string") return native
  const name = names.keep(held["name"])
  return name === held["name"] ? native : { ...native, document: { ...held, name } }
}

/**
 * How a result says that it failed: by its status, or by a mark before its text where the model behind the API
 * takes no status. A native result that said it by the mark, or by being an invented one, goes on saying it so.
 */
const failureOf = (result: ResultBlock, held: Wire | undefined, statusTaken: boolean): "status" | "mark" | "none" => {
  if (result.error !== true) return "none"
  if (!statusTaken) return "mark"
  if (!held || held["status"] === "error") return "status"
  const content = held["content"]
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const said = isWire(first) ? first["text"] : undefined
  if (typeof said === "string" && said.startsWith(errorMark)) return "mark"
  return result.synthetic !== undefined && said === resultWords(result) ? "none" : "status"
}

const resultWords = (result: ResultBlock): string | undefined => {
  const [first] = result.content
  return first?.type === "text" ? first.text : undefined
}

/** With the status as it is to be: "success" stays where it came and the API takes it. */
const withStatus = (held: Wire, failed: boolean, statusTaken: boolean): Wire => {
  const given = held["status"]
  if (failed) return given === "error" ? held : { ...held, status: "error" }
  if (given === undefined || (statusTaken && given === "success")) return held
  const { status: _, ...kept } = held
  return kept
}

/** What is not of this format is said as text, whole. */
const writeWords = (block: OpaqueBlock): Wire | undefined => {
  const value = block.kind === "malformed" ? block.native["bedrock-converse"] : undefined
  const text = value === undefined || typeof value === "string" ? block.text : JSON.stringify(value)
  return text === undefined || text === "" ? undefined : { text }
}

export type BlockWriter = (block: Block, role: "user" | "assistant" | "system") => Wire | undefined

/** Media of the assistant, and media Converse cannot hold, are said in words. */
export const blockWriter = (options: EncodeOptions): BlockWriter => {
  const names = documentNames()
  const statusTaken = options.resultStatus !== false

  const writeNewMedia = (block: MediaBlock, role: string): Wire =>
    (role === "user" ? writeMedia(block, names.give) : undefined) ?? { text: mediaNote(block) }

  const writeContent = (content: readonly ContentBlock[], mark: string): readonly Wire[] => {
    const written = content.flatMap((block, index): readonly Wire[] => {
      const wire = block.type === "text" ? writeText(block, index === 0 ? mark : "") : write(block, "user")
      return wire ? [wire] : []
    })
    if (mark === "" || content[0]?.type === "text") return written
    const [first, ...rest] = written
    return typeof first?.["text"] === "string" ? [{ text: mark + first["text"] }, ...rest] : [{ text: mark }, ...written]
  }

  const writeResult = (result: ResultBlock): Wire => {
    const native = nativeOf(result)
    const given = native?.["toolResult"]
    const held = asWire(given)
    const failure = failureOf(result, held, statusTaken)
    const content = writeContent(result.content, failure === "mark" ? errorMark : "")
    const toolUseId = result.callId
    if (!native || !held) {
      return { toolResult: { toolUseId, content, ...(failure === "status" && { status: "error" }) } }
    }
    const stated = withStatus(held, failure === "status", statusTaken)
    const sameContent = sameElements(content, held["content"])
    if (stated === held && sameContent && held["toolUseId"] === toolUseId) return native
    return { ...native, toolResult: { ...stated, toolUseId, ...(!sameContent && { content }) } }
  }

  const write: BlockWriter = (block, role) => {
    const native = nativeOf(block)
    switch (block.type) {
      case "text":
        // Only results have JSON.
        return native && "json" in native ? { text: block.text } : writeText(block)
      case "thinking":
        return native ?? writeThinking(block)
      case "media":
        return native ? keepName(native, names) : writeNewMedia(block, role)
      case "opaque":
        return native && block.kind !== "malformed" ? keepName(native, names) : writeWords(block)
      case "call":
        return writeCall(block)
      case "result":
        return writeResult(block)
    }
  }
  return write
}
