/** Parts of a row → blocks. One reader per type; a type nobody knows stays verbatim as an opaque block. */
import {
  asWord,
  type Block,
  type ContentBlock,
  isWire,
  type MediaBlock,
  readArgumentsText,
  readResultContent,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../../formats/engine/media.ts"
import { textAt, wireOf } from "../engine/fields.ts"

export const format = "crush"

/** The payload of a part. */
export const payloadOf = (part: Wire): Wire => wireOf(part["data"])

/** SQLite has no booleans. */
export const isSet = (value: unknown): boolean => value === true || value === 1

export const isPart = (part: unknown): part is Wire => isWire(part) && typeof part["type"] === "string"

type Reader = (payload: Wire, part: Wire) => Block | undefined

const readText: Reader = (payload, part) => {
  const words = textAt(payload, "text")
  if (words === undefined) return malformedBlock(format, part)
  return words === "" ? undefined : { type: "text", text: words, native: { [format]: part } }
}

const readReasoning: Reader = (payload, part) => {
  const signature = textAt(payload, "signature") || textAt(payload, "thought_signature")
  const words = textAt(payload, "thinking") ?? ""
  if (words === "" && !signature) return undefined
  return { type: "thinking", text: words, ...(signature && { signature }), native: { [format]: part } }
}

const readImage: Reader = (payload, part) => {
  const url = textAt(payload, "url")
  if (url === undefined) return malformedBlock(format, part)
  return { type: "media", kind: "image", ...readUrl(url), native: { [format]: part } }
}

const media = (bytes: string, mediaType: string, native: Wire, path?: string): MediaBlock => ({
  type: "media",
  kind: kindOfMediaType(mediaType),
  mediaType,
  ...(path !== undefined && path !== "" && { name: path }),
  source: { type: "base64", data: bytes },
  native: { [format]: native },
})

/** Go writes the fields of this struct under their own names. */
const readBinary: Reader = (payload, part) => {
  const bytes = textAt(payload, "Data") ?? textAt(payload, "data")
  const mediaType = textAt(payload, "MIMEType") ?? textAt(payload, "mime_type") ?? "application/octet-stream"
  const path = textAt(payload, "Path") ?? textAt(payload, "path")
  return bytes === undefined ? malformedBlock(format, part) : media(bytes, mediaType, part, path)
}

/** The input is the text that had arrived, which need not be whole. */
const readCall: Reader = (payload, part) => {
  const name = textAt(payload, "name") ?? ""
  if (isSet(payload["provider_executed"])) {
    return { type: "opaque", kind: "tool_call", text: previewOf(payload), native: { [format]: part } }
  }
  const input = payload["input"]
  const raw = typeof input === "string" ? input : (JSON.stringify(input) ?? "")
  return { type: "call", id: textAt(payload, "id") ?? "", name, ...readArgumentsText(raw), native: { [format]: part } }
}

const denials: ReadonlySet<string> = new Set(["Permission denied", "User denied permission", "permission denied"])

const readResult: Reader = (payload, part) => {
  const words = textAt(payload, "content") ?? ""
  const bytes = textAt(payload, "data")
  const mediaType = textAt(payload, "mime_type")
  const name = textAt(payload, "name")
  const failed = isSet(payload["is_error"])
  const content: ContentBlock[] = words === "" ? [] : [text(words)]
  if (bytes && mediaType) content.push(media(bytes, mediaType, part))
  return {
    type: "result",
    callId: textAt(payload, "tool_call_id") ?? "",
    ...(name !== undefined && name !== "" && { name }),
    ...readResultContent(content, { errorMark: false }),
    ...(failed && { error: true as const }),
    ...(failed && denials.has(words) && { denied: true as const }),
    native: { [format]: part },
  }
}

/** A command that the user ran in the session, with its output. */
const readShell: Reader = (payload, part) => {
  const command = textAt(payload, "command")
  if (command === undefined) return malformedBlock(format, part)
  const output = textAt(payload, "output") ?? ""
  return { type: "text", text: output === "" ? `$ ${command}` : `$ ${command}\n${output}`, native: { [format]: part } }
}

const silent: Reader = () => undefined

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["reasoning", readReasoning],
  ["image_url", readImage],
  ["binary", readBinary],
  ["tool_call", readCall],
  ["tool_result", readResult],
  ["shell_command", readShell],
  ["finish", silent],
])

/** Undefined: the part says nothing to the model. */
export const readPart = (part: unknown): Block | undefined => {
  if (!isPart(part)) return malformedBlock(format, part)
  const reader = readers.get(part["type"])
  if (reader && isWire(part["data"])) return reader(payloadOf(part), part)
  if (reader) return part["type"] === "finish" ? undefined : malformedBlock(format, part)
  return { type: "opaque", kind: asWord(part["type"]), text: previewOf(part["data"]), native: { [format]: part } }
}
