/** Parts → blocks, read as the codec reads them. Fields have two spellings on the wire; both are taken. */
import {
  type Block,
  isWire,
  type MediaKind,
  type MediaSource,
  type OpaqueBlock,
  readArgumentsObject,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { cutArguments } from "../arguments.ts"
import type { SlotKind } from "../draft.ts"
import { previewOf, stringOf } from "../fields.ts"

export const either = (wire: Wire, camel: string, snake: string): unknown => wire[camel] ?? wire[snake] ?? undefined

export const callOf = (part: Wire): Wire | undefined => {
  const held = part["functionCall"] ?? part["function_call"]
  return isWire(held) ? held : undefined
}

export const signatureOf = (part: Wire): string => stringOf(either(part, "thoughtSignature", "thought_signature"))

/** Fields that say something about a part and are not what it holds. */
const marks: ReadonlySet<string> = new Set([
  "thought",
  "thoughtSignature",
  "thought_signature",
  "videoMetadata",
  "video_metadata",
  "mediaResolution",
  "media_resolution",
  "partMetadata",
  "part_metadata",
])

const heldKey = (part: Wire): string | undefined =>
  Object.keys(part).find((key) => !marks.has(key) && part[key] !== null && part[key] !== undefined)

const isSigned = (part: Wire): boolean => signatureOf(part) !== ""

export const kindOfPart = (part: Wire): SlotKind => {
  if (callOf(part)) return "call"
  const key = heldKey(part)
  if (key === undefined) return isSigned(part) ? "thinking" : "text"
  if (key === "text" && typeof part["text"] === "string") {
    return part["thought"] === true || (isSigned(part) && part["text"].trim() === "") ? "thinking" : "text"
  }
  return /^(inline|file)_?data$/i.test(key) ? "media" : "opaque"
}

/** Text that may be joined with text of the same kind beside it: nothing about it is signed or marked. */
export const isPlain = (part: Wire): boolean => {
  for (const key in part) if (key !== "text" && !(key === "thought" && part[key] === true)) return false
  return typeof part["text"] === "string"
}

const thinking = (part: Wire, text: string): ThinkingBlock => {
  const signature = signatureOf(part)
  const native = { gemini: part }
  return signature === "" ? { type: "thinking", text, native } : { type: "thinking", text, signature, native }
}

const opaque = (kind: string, part: Wire, text = previewOf(part)): OpaqueBlock => ({
  type: "opaque",
  kind,
  text,
  native: { gemini: part },
})

const mediaKind = (mediaType: string): MediaKind => {
  const family = mediaType.slice(0, mediaType.indexOf("/"))
  if (family === "image" || family === "audio" || family === "video") return family
  return mediaType === "application/pdf" || family === "text" ? "document" : "file"
}

const sourceOf = (held: Wire): MediaSource | undefined => {
  if (typeof held["data"] === "string") return { type: "base64", data: held["data"] }
  const uri = either(held, "fileUri", "file_uri")
  if (typeof uri !== "string") return undefined
  const isPrivate = !uri.startsWith("http") || uri.startsWith("https://generativelanguage.googleapis.com/")
  return isPrivate ? { type: "file", id: uri } : { type: "url", url: uri }
}

const buildMedia = (part: Wire, key: string): Block => {
  const held = part[key]
  const source = isWire(held) ? sourceOf(held) : undefined
  if (!isWire(held) || !source) return opaque(key, part)
  const mediaType = either(held, "mimeType", "mime_type")
  const name = either(held, "displayName", "display_name")
  return {
    type: "media",
    kind: typeof mediaType === "string" ? mediaKind(mediaType) : "file",
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof name === "string" && { name }),
    source,
    native: { gemini: part },
  }
}

const idOf = (held: unknown): string => (isWire(held) ? stringOf(held["id"]) : "")

/** Server-side parts. `code` names the span of code that has no id of its own. */
const buildServer = (part: Wire, key: string, code: string): Block => {
  const held = part[key]
  const fields = isWire(held) ? held : {}
  const own = idOf(held)
  switch (key.replace("_", "").toLowerCase()) {
    case "executablecode": {
      const text = `\`\`\`${stringOf(fields["language"]).toLowerCase()}\n${stringOf(fields["code"])}\n\`\`\``
      return { ...opaque("executableCode", part, text), span: own || code, half: "call" }
    }
    case "codeexecutionresult": {
      const text = typeof fields["output"] === "string" ? fields["output"] : previewOf(held)
      return { ...opaque("codeExecutionResult", part, text), span: own || code, half: "result" }
    }
    case "toolcall": {
      const name = stringOf(either(fields, "toolType", "tool_type")) || "server tool"
      const block = opaque("toolCall", part, `[${name}: ${previewOf(isWire(held) ? held["args"] : held)}]`)
      return own === "" ? block : { ...block, span: own, half: "call" }
    }
    case "toolresponse": {
      const block = opaque("toolResponse", part, previewOf(isWire(held) ? held["response"] : held))
      return own === "" ? block : { ...block, span: own, half: "result" }
    }
    default:
      return opaque(key, part)
  }
}

export const buildCall = (part: Wire, raw: string, whole: boolean): Block => {
  const held = callOf(part) ?? {}
  const head = { type: "call", id: idOf(held), name: stringOf(held["name"]), native: { gemini: part } } as const
  if (!whole) return { ...head, ...cutArguments(raw) }
  const { args } = held
  return args === undefined || args === null ? { ...head, arguments: {} } : { ...head, ...readArgumentsObject(args) }
}

/** A part that is no call. */
export const buildPart = (part: Wire, code: string): Block => {
  const key = heldKey(part)
  const kind = kindOfPart(part)
  if (kind === "thinking") return thinking(part, part["thought"] === true ? stringOf(part["text"]) : "")
  if (kind === "text") return { type: "text", text: stringOf(part["text"]), native: { gemini: part } }
  if (key === undefined) return opaque("part", part)
  return kind === "media" ? buildMedia(part, key) : buildServer(part, key, code)
}
