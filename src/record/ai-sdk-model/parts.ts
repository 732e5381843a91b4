/** Content parts of a model message, as the SDK itself puts them into the history, and the blocks they are read as. */
import {
  type Block,
  isWire,
  type MediaSource,
  type OpaqueBlock,
  parseJson,
  readArgumentsObject,
  type ResultBlock,
  text as textBlock,
  type Wire,
} from "../../model/index.ts"
import { cutArguments } from "../arguments.ts"
import { previewOf, stringOf } from "../fields.ts"

const native = (part: Wire): { readonly "ai-sdk-model": Wire } => ({ "ai-sdk-model": part })

/** Streams say `providerMetadata`, messages `providerOptions`. */
export const optionsOf = (event: Wire): Wire => {
  const metadata = event["providerMetadata"] ?? event["providerOptions"]
  return isWire(metadata) ? { providerOptions: metadata } : {}
}

export const opaque = (part: Wire, shown: string, half?: "call" | "result"): OpaqueBlock => ({
  type: "opaque",
  kind: String(part["type"]),
  ...(half && { span: stringOf(part["toolCallId"]), half }),
  text: shown,
  native: native(part),
})

const signatureFields = ["signature", "redactedData", "thoughtSignature", "reasoningEncryptedContent"]

const signatureOf = (part: Wire): string | undefined => {
  const options = isWire(part["providerOptions"]) ? Object.values(part["providerOptions"]) : []
  for (const place of [part, ...options].filter(isWire)) {
    for (const field of signatureFields) if (stringOf(place[field]) !== "") return stringOf(place[field])
  }
  return undefined
}

export const buildText = (part: Wire): Block => ({ type: "text", text: stringOf(part["text"]), native: native(part) })

export const buildReasoning = (part: Wire): Block => {
  const redacted = part["type"] === "redacted-reasoning"
  const signature = redacted ? stringOf(part["data"]) : signatureOf(part)
  return {
    type: "thinking",
    text: stringOf(part["text"]),
    ...(signature !== undefined && { signature }),
    ...(redacted && { redacted: true as const }),
    native: native(part),
  }
}

/** Providers send the input as JSON text, the SDK as the value. */
export const inputOf = (value: unknown): unknown => (typeof value === "string" ? (parseJson(value) ?? value) : value)

/** `raw`: the text of the input, for a call whose end never came. */
export const buildCall = (part: Wire, raw: string, whole: boolean, waiting: boolean): Block => {
  const [id, name] = [stringOf(part["toolCallId"]), stringOf(part["toolName"])]
  if (part["providerExecuted"] === true) return opaque(part, `[${name}: ${previewOf(part["input"])}]`, "call")
  const head = { type: "call", id, name } as const
  if (!whole) return { ...head, ...cutArguments(raw), native: native({ ...part, input: raw }) }
  const pending = waiting && { pending: "approval" as const }
  return { ...head, ...readArgumentsObject(part["input"]), ...pending, native: native(part) }
}

const sourceOf = (value: unknown): { readonly source: MediaSource; readonly mediaType?: string } | undefined => {
  if (typeof value !== "string" || value === "") return undefined
  const found = /^data:([^;,]*);base64,/.exec(value)
  if (found) {
    const data = value.slice(found[0].length)
    return { source: { type: "base64", data }, ...(found[1] && { mediaType: found[1] }) }
  }
  return { source: /^(data:|https?:)/.test(value) ? { type: "url", url: value } : { type: "base64", data: value } }
}

const mediaKinds = { image: "image", audio: "audio", video: "video", text: "document" } as const

const kindOf = (mediaType: string | undefined): "image" | "audio" | "video" | "document" | "file" => {
  const family = mediaType?.slice(0, mediaType.indexOf("/")) ?? ""
  if (mediaType === "application/pdf") return "document"
  return Object.hasOwn(mediaKinds, family) ? mediaKinds[family as keyof typeof mediaKinds] : "file"
}

export const buildFile = (part: Wire): Block => {
  const read = sourceOf(part["data"])
  if (!read) return opaque(part, `[file ${stringOf(part["filename"])}]`)
  const mediaType = typeof part["mediaType"] === "string" ? part["mediaType"] : read.mediaType
  return {
    type: "media",
    kind: kindOf(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof part["filename"] === "string" && { name: part["filename"] }),
    source: read.source,
    native: native(part),
  }
}

/** What a tool gave back, in the shape the SDK stores: a text stays a text, anything else is an object once. */
export const outputOf = (value: unknown, failed: boolean): Wire => {
  const type = typeof value === "string" ? "text" : "json"
  return { type: failed ? `error-${type}` : type, value: value === undefined ? null : value }
}

export const resultOf = (part: Wire, failed: boolean): ResultBlock => {
  const value = isWire(part["output"]) ? part["output"]["value"] : undefined
  const words = typeof value === "string" ? value : JSON.stringify(value)
  return {
    type: "result",
    callId: stringOf(part["toolCallId"]),
    name: stringOf(part["toolName"]),
    content: words === "" ? [] : [textBlock(words)],
    ...(failed && { error: true as const }),
    native: native(part),
  }
}
