/**
 * Inline files in Gemini requests: among the parts of a content, and inside function responses.
 */
import { type MediaDemands, type MediaPart, mediaViolation } from "../media/judge-media.ts"
import type { Violation } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"
import { responseOf } from "./fields.ts"

function partOf(part: unknown, place: () => string): MediaPart | undefined {
  const blob = isObject(part) ? part["inlineData"] ?? part["inline_data"] : undefined
  if (!isObject(blob)) return undefined
  const declared = blob["mimeType"] ?? blob["mime_type"]
  const { data } = blob
  if (typeof declared !== "string" || typeof data !== "string") return undefined
  if (declared.startsWith("image/")) return { kind: "image", place: `${place()}.inline_data`, declared, data }
  return declared === "application/pdf" ? { kind: "document", place: `${place()}.inline_data`, declared, data } : undefined
}

function partsOf(contents: readonly WireObject[]): readonly MediaPart[] {
  const found: MediaPart[] = []
  contents.forEach(({ parts }, index) => {
    if (!isArray(parts)) return
    parts.forEach((each, at) => {
      const place = (): string => `contents[${index}].parts[${at}]`
      const part = partOf(each, place)
      if (part !== undefined) found.push(part)
      const response = isObject(each) ? responseOf(each) : undefined
      const inner = isObject(response) ? response["parts"] : undefined
      if (!isArray(inner)) return
      inner.forEach((held, number) => {
        const media = partOf(held, () => `${place()}.function_response.parts[${number}]`)
        if (media !== undefined) found.push(media)
      })
    })
  })
  return found
}

const refuse: MediaDemands["refuse"] = (fault, { place, kind }) => {
  switch (fault.what) {
    case "empty":
    case "address":
    case "not-base64":
      return {
        rule: "gemini-media-data",
        message: `Invalid value at '${place}.data' (TYPE_BYTES), Base64 decoding failed for "…"`,
      }
    case "unreadable":
    case "encrypted":
      return {
        rule: "gemini-media-data",
        message: kind === "image"
          ? "Unable to process input image. Please retry or report in "
            + "https://developers.generativeai.google/guide/troubleshooting"
          : "Unable to process input image. The document has no pages.",
      }
    case "type":
    case "declared":
      return { rule: "gemini-media-type", message: `Unsupported MIME type: ${fault.actual}` }
    case "pages":
      return {
        rule: "gemini-request-size",
        message: `The document contains ${fault.actual} pages which exceeds the supported page limit of ${fault.limit}.`,
      }
    default:
      return { rule: "gemini-request-size", message: `Request payload size exceeds the limit: ${fault.limit} bytes.` }
  }
}

const demands: MediaDemands = {
  types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
  documentTypes: ["application/pdf"],
  pages: 1000,
  images: 3000,
  requestBytes: 20_000_000,
  refuse,
}

export function geminiMediaViolation(contents: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(contents), body, demands)
}
