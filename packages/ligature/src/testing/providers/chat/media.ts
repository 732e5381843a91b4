/**
 * Images and files in Chat Completions requests. Servers differ in what they take; the refusals of OpenAI stand for
 * those of the ones whose own words are not known.
 */
import { type MediaDemands, type MediaFault, type MediaPart, mediaViolation, partOfUrl } from "../media/judge-media.ts"
import type { Violation } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"

function partOf(part: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(part)) return undefined
  const image = part["image_url"]
  if (part["type"] === "image_url") {
    const url = isObject(image) ? image["url"] : image
    return typeof url === "string" ? partOfUrl("image", url, `${place()}.image_url.url`) : undefined
  }
  const file = part["type"] === "file" ? part["file"] : undefined
  const data = isObject(file) ? file["file_data"] : undefined
  if (typeof data === "string") return partOfUrl("document", data, `${place()}.file.file_data`)
  return undefined
}

function partsOf(messages: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  messages.forEach(({ content }, index) => {
    if (!isArray(content)) return
    content.forEach((each, at) => {
      const part = partOf(each, () => `messages[${index}].content[${at}]`)
      if (part !== undefined) parts.push(part)
    })
  })
  return parts
}

export const dataUrlText = "Expected a base64-encoded data URL with an image MIME type (e.g. "
  + "'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got"

const formatText = "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
  + "['png', 'jpeg', 'gif', 'webp']."

/** What the family says of a fault that has no words of its own at a server. */
export function refuseChat(fault: MediaFault, { place, kind }: MediaPart): Violation {
  const invalid = (rule: string, message: string): Violation => ({ rule, message, param: place, code: "invalid_value" })
  switch (fault.what) {
    case "empty":
      return invalid("openai-image-data", `Invalid '${place}'. ${dataUrlText} empty base64-encoded bytes.`)
    case "not-base64":
      return invalid("openai-image-data", `Invalid '${place}'. ${dataUrlText} unsupported base64-encoded bytes.`)
    case "address":
      return invalid("openai-image-data", `Invalid '${place}'. Only base64-encoded images are supported.`)
    case "unreadable":
    case "type":
    case "declared":
    case "encrypted":
      return {
        rule: "openai-image-format",
        message: kind === "image" ? formatText : `Invalid '${place}'. The file is not a PDF that can be read.`,
        code: "invalid_image_format",
      }
    case "bytes":
    case "side":
    case "many-side":
    case "pixels":
    case "pages":
      return invalid("openai-image-size", `Invalid '${place}'. The ${kind} is too large: ${fault.actual} > ${fault.limit}.`)
    case "images":
    case "documents":
    case "together":
      return { rule: "openai-image-count", message: `Too many images in request. Max is ${fault.limit}.` }
    case "request":
      return { rule: "openai-request-size", message: "Request body is too large.", status: 413 }
  }
}

const openaiTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]

export const openaiMedia: MediaDemands = {
  types: openaiTypes,
  documentTypes: ["application/pdf"],
  imageBytes: 20_000_000,
  documentBytes: 32_000_000,
  pages: 100,
  images: 500,
  requestBytes: 50_000_000,
  refuse: refuseChat,
}

export const compatibleMedia: MediaDemands = { types: openaiTypes, refuse: refuseChat }

export const groqMedia: MediaDemands = {
  ...compatibleMedia,
  images: 5,
  pixels: 33_177_600,
  requestBytes: 4_000_000,
  refuse: (fault, part) =>
    fault.what === "images"
      ? { rule: "openai-image-count", message: `Too many images provided. This model supports up to ${fault.limit} images` }
      : refuseChat(fault, part),
}

export function chatMediaViolation(
  messages: readonly WireObject[],
  body: unknown,
  demands: MediaDemands,
): Violation | undefined {
  return mediaViolation(partsOf(messages), body, demands)
}
