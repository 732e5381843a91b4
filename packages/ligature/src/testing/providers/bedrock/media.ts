/**
 * Images and documents in Converse requests: among the blocks of a message, and inside results. Bytes are base64 in JSON.
 */
import { refuseAnthropic } from "../anthropic/media.ts"
import { type MediaDemands, type MediaPart, mediaViolation } from "../media/judge-media.ts"
import type { Violation } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"

const documentFormats: Readonly<Record<string, string>> = { pdf: "application/pdf" }

function partOf(block: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(block)) return undefined
  const kind = isObject(block["image"]) ? "image" : isObject(block["document"]) ? "document" : undefined
  const held = kind === undefined ? undefined : block[kind]
  if (kind === undefined || !isObject(held)) return undefined
  const format = String(held["format"])
  const source = isObject(held["source"]) ? held["source"] : {}
  const { bytes } = source
  return {
    kind,
    place: `${place()}.${kind}.source.base64`,
    declared: kind === "image" ? `image/${format}` : documentFormats[format] ?? format,
    ...(typeof bytes === "string" && { data: bytes }),
  }
}

function partsOf(messages: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  messages.forEach(({ content }, index) => {
    if (!isArray(content)) return
    content.forEach((block, at) => {
      const place = (): string => `messages.${index}.content.${at}`
      const part = partOf(block, place)
      if (part !== undefined) parts.push(part)
      const result = isObject(block) ? block["toolResult"] : undefined
      const inner = isObject(result) ? result["content"] : undefined
      if (!isArray(inner)) return
      inner.forEach((each, number) => {
        const held = partOf(each, () => `${place()}.toolResult.content.${number}`)
        if (held !== undefined) parts.push(held)
      })
    })
  })
  return parts
}

const tooLarge = "bedrock-media-limits"

const refuse: MediaDemands["refuse"] = (fault, part) => {
  switch (fault.what) {
    case "bytes":
      return {
        rule: tooLarge,
        message: part.kind === "image"
          ? `${part.place.replace(/base64$/, "bytes")}: image exceeds 5 MB maximum`
          : `The document at ${part.place} exceeds the size limit of ${fault.limit} bytes.`,
      }
    case "documents":
      return { rule: tooLarge, message: `You can't include more than ${fault.limit} documents in a request.` }
    case "images":
      return { rule: tooLarge, message: `too many images and documents: ${fault.actual} + 0 > ${fault.limit}` }
    case "request":
      return { rule: tooLarge, message: "Input is too long for requested model.", status: 400 }
    default:
      return refuseAnthropic(fault, part)
  }
}

const demands: MediaDemands = {
  types: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  isStrict: true,
  imageBytes: 3_750_000,
  documentBytes: 4_500_000,
  side: 8000,
  images: 20,
  documents: 5,
  pages: 100,
  requestBytes: 20_000_000,
  refuse,
}

export function bedrockMediaViolation(messages: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(messages), body, demands)
}
