/** One Converse block → blocks of the model. A block is an object with one key, which says what it is. */
import { isGiven, stringOf } from "../engine/wire.ts"
import {
  type Block,
  type ContentBlock,
  isWire,
  type Native,
  type OpaqueBlock,
  readArgumentsObject,
  readResultContent,
  type Wire,
} from "../../model/index.ts"
import { isSignature } from "../anthropic/decode.ts"
import { heldToolKind } from "../engine/borrowed-tools.ts"
import { misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { mediaKinds, readBlob, readMedia } from "./media.ts"

export const format = "bedrock-converse"

type Reader = (wire: Wire, held: unknown) => Block

const nativeOf = (wire: unknown): Native => ({ [format]: wire })

const opaque = (kind: string, wire: unknown, text = previewOf(wire)): OpaqueBlock => ({
  type: "opaque",
  kind,
  text,
  native: nativeOf(wire),
})

const readText: Reader = (wire, held) =>
  typeof held === "string" ? { type: "text", text: held, native: nativeOf(wire) } : malformedBlock(format, wire)

/** Structured content of a result: other formats read its JSON; its own gets the same value back. */
const readJson: Reader = (wire, held) => ({ type: "text", text: JSON.stringify(held) ?? "", native: nativeOf(wire) })

/** Texts of the blocks in a list, for blocks that are text with something around it. */
const textsOf = (list: unknown): readonly string[] => {
  if (!Array.isArray(list)) return []
  return list.flatMap((one) => (isWire(one) && typeof one["text"] === "string" ? [one["text"]] : []))
}

/** A document may be text: then every reader can have its words. */
const documentText = (held: unknown): string | undefined => {
  const source = isWire(held) ? held["source"] : undefined
  if (!isWire(source)) return undefined
  if (typeof source["text"] === "string") return source["text"]
  return Array.isArray(source["content"]) ? textsOf(source["content"]).join("\n") : undefined
}

const mediaReader =
  (key: string): Reader =>
  (wire, held) => {
    const block = readMedia(mediaKinds.get(key) ?? "file", held)
    return block ? { ...block, native: nativeOf(wire) } : opaque(key, wire, documentText(held))
  }

const readThinking: Reader = (wire, held) => {
  const native = nativeOf(wire)
  const reasoning = isWire(held) ? held["reasoningText"] : undefined
  if (isWire(reasoning)) {
    const { signature } = reasoning
    return { type: "thinking", text: stringOf(reasoning["text"]), ...(isSignature(signature) && { signature }), native }
  }
  const redacted = isWire(held) ? readBlob(held["redactedContent"]) : undefined
  if (redacted === undefined) return malformedBlock(format, wire)
  return { type: "thinking", text: "", signature: redacted, redacted: true, native }
}

/** Words for a plain call or result, which the other Anthropic-made API demands and clients carry over to this one. */
const plainTypes: ReadonlySet<unknown> = new Set(["", "tool_use", "tool_result", "toolUse", "toolResult"])

/** A tool the provider ran itself has a type; one of ours has none. */
const isServerSide = (held: Wire): boolean => typeof held["type"] === "string" && !plainTypes.has(held["type"])

const callNames = { id: "toolUseId", name: "name", said: "input" }
const resultNames = { id: "toolUseId", said: "content" }

const readCall: Reader = (wire, held) => {
  if (!isWire(held)) return malformedBlock(format, wire)
  const id = stringOf(held["toolUseId"])
  const name = stringOf(held["name"])
  if (isServerSide(held)) {
    return { ...opaque("toolUse", wire, `[${name}: ${previewOf(held["input"])}]`), span: id, half: "call" }
  }
  const misnamed = id === "" || name === "" || !isWire(held["input"]) ? misnamedCall(held, callNames, wire) : undefined
  if (misnamed) return misnamed
  return { type: "call", id, name, ...readArgumentsObject(held["input"]), native: nativeOf(wire) }
}

const readContent = (content: unknown): readonly ContentBlock[] => {
  if (content === undefined || content === null) return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) return [malformedBlock(format, content)]
  return content.flatMap((wire: unknown) =>
    readBlock(wire).map((block): ContentBlock =>
      // A call, a result or a thought inside of a result is what a tool printed: it is said in words.
      block.type === "text" || block.type === "media" || block.type === "opaque" ? block : malformedBlock(format, wire),
    ),
  )
}

const readResult: Reader = (wire, held) => {
  if (!isWire(held)) return malformedBlock(format, wire)
  const callId = stringOf(held["toolUseId"])
  if (isServerSide(held)) {
    const content = readContent(held["content"])
    const words = content.flatMap((block) => (block.type === "media" || block.text === "" ? [] : [block.text]))
    return { ...opaque("toolResult", wire, words.join("\n")), span: callId, half: "result" }
  }
  const misnamed = callId === "" || !Array.isArray(held["content"]) ? misnamedResult(held, resultNames, wire) : undefined
  if (misnamed) return misnamed
  return {
    type: "result",
    callId,
    ...readResultContent(readContent(held["content"]), { errorMark: true }),
    ...(held["status"] === "error" && { error: true as const }),
    native: nativeOf(wire),
  }
}

const readGuard: Reader = (wire, held) => {
  const guarded = isWire(held) ? held["text"] : undefined
  const text = isWire(guarded) ? stringOf(guarded["text"]) : ""
  return opaque("guardContent", wire, text === "" ? previewOf(wire) : text)
}

/** The words of the model, and where it says it has them from. */
const readCitations: Reader = (wire, held) => {
  if (!isWire(held)) return malformedBlock(format, wire)
  const citations = Array.isArray(held["citations"]) ? held["citations"] : []
  const sources = citations.flatMap((one: unknown, index) =>
    isWire(one) && typeof one["title"] === "string" ? [`[${index + 1}] ${one["title"]}`] : [],
  )
  return opaque("citationsContent", wire, [textsOf(held["content"]).join(""), ...sources].join("\n"))
}

const readSearchResult: Reader = (wire, held) => {
  if (!isWire(held)) return malformedBlock(format, wire)
  const head = [held["title"], held["source"]].filter((line) => typeof line === "string")
  return opaque("searchResult", wire, [...head, ...textsOf(held["content"])].join("\n"))
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["text", readText],
  ["json", readJson],
  ["image", mediaReader("image")],
  ["document", mediaReader("document")],
  ["video", mediaReader("video")],
  ["audio", mediaReader("audio")],
  ["toolUse", readCall],
  ["toolResult", readResult],
  ["reasoningContent", readThinking],
  ["cachePoint", (wire) => opaque("cachePoint", wire, "")],
  ["toolAddition", (wire) => opaque("toolAddition", wire, "")],
  ["toolRemoval", (wire) => opaque("toolRemoval", wire, "")],
  ["guardContent", readGuard],
  ["citationsContent", readCitations],
  ["searchResult", readSearchResult],
])

/** An object with several keys is several blocks in one, which the API rejects: each is read for itself. */
const readBlock = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return [malformedBlock(format, wire)]
  // Blocks of this API have no type: one that has belongs to another.
  const borrowed = typeof wire["type"] === "string" ? readBorrowed(wire) : undefined
  if (borrowed) return borrowed
  const keys: string[] = []
  for (const key in wire) if (readers.has(key) && isGiven(wire[key])) keys.push(key)
  const [key] = keys
  if (key === undefined) {
    const foreign = heldToolKind(wire) && readBorrowed(wire)
    if (foreign) return foreign
    // A block of a kind newer than this reader still has one key; what has several is of another API.
    const [kind, ...others] = Object.keys(wire).filter((name) => isGiven(wire[name]))
    return kind === undefined || others.length > 0 ? [malformedBlock(format, wire)] : [opaque(kind, wire)]
  }
  if (keys.length > 1) return keys.flatMap((name) => readBlock({ [name]: wire[name] }))
  const reader = readers.get(key)
  return reader ? [reader(wire, wire[key])] : []
}

export const readBlocks = (content: unknown): readonly Block[] => {
  if (content === undefined || content === null) return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  return Array.isArray(content) ? content.flatMap(readBlock) : [malformedBlock(format, content)]
}
