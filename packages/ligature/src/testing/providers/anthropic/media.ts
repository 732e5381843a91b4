/**
 * Images and documents in Anthropic requests: the shape of their sources, and what the API demands of the files.
 */
import { type MediaDemands, type MediaPart, mediaViolation } from "../media/judge-media.ts"
import { isArray, isObject, type Violation, type WireObject } from "../verdict.ts"

const mediaTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

export function imageViolation(block: WireObject, place: () => string): Violation | undefined {
  const source = block["source"]
  const shape = (message: string): Violation => ({
    rule: "anthropic-shape",
    message: `${place()}.image.source${message}`,
  })
  if (!isObject(source)) return shape(": Field required")
  if (source["type"] === "url") return typeof source["url"] === "string" ? undefined : shape(".url.url: Field required")
  if (source["type"] === "file") {
    return typeof source["file_id"] === "string" ? undefined : shape(".file.file_id: Field required")
  }
  if (source["type"] !== "base64") return shape(": Input tag does not match any of the expected tags: 'base64', 'url'")
  const declared = source["media_type"]
  if (typeof declared !== "string" || !mediaTypes.has(declared)) {
    return shape(".base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
  }
  return typeof source["data"] === "string" ? undefined : shape(".base64.data: Field required")
}

function partOf(block: unknown, place: string): MediaPart | undefined {
  if (!isObject(block)) return undefined
  const { type: kind, source } = block
  if ((kind !== "image" && kind !== "document") || !isObject(source)) return undefined
  if (source["type"] === "text" || source["type"] === "content") return undefined
  const { media_type: declared, data } = source
  return {
    kind,
    place: `${place}.${kind}.source.base64`,
    ...(typeof declared === "string" && { declared }),
    ...(source["type"] === "base64" && typeof data === "string" && { data }),
  }
}

function partsOf(messages: readonly unknown[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  const add = (block: unknown, place: () => string): void => {
    const type = isObject(block) ? block["type"] : undefined
    if (type !== "image" && type !== "document") return
    const part = partOf(block, place())
    if (part !== undefined) parts.push(part)
  }
  messages.forEach((message, index) => {
    const content = isObject(message) ? message["content"] : undefined
    if (!isArray(content)) return
    content.forEach((block, at) => {
      const place = (): string => `messages.${index}.content.${at}`
      add(block, place)
      const inner = isObject(block) && block["type"] === "tool_result" ? block["content"] : undefined
      if (isArray(inner)) inner.forEach((each, number) => add(each, () => `${place()}.tool_result.content.${number}`))
    })
  })
  return parts
}

/** Also what Claude says on Bedrock, which passes its words on. */
export const refuseAnthropic: MediaDemands["refuse"] = (fault, { place, declared, kind }) => {
  switch (fault.what) {
    case "empty":
      return { rule: "anthropic-image-data", message: `${place}: ${kind} cannot be empty` }
    case "address":
    case "not-base64":
      return { rule: "anthropic-image-data", message: `${place}: invalid base64 data` }
    case "unreadable":
      return kind === "document"
        ? { rule: "anthropic-pdf-data", message: `${place}.data: The PDF specified was not valid.` }
        : { rule: "anthropic-image-media-type", message: "Could not process image" }
    case "type":
    case "declared":
      return kind === "document"
        ? { rule: "anthropic-pdf-data", message: `${place}.media_type: Input should be 'application/pdf'` }
        : {
            rule: "anthropic-image-media-type",
            message:
              `${place}: The image was specified using the ${declared} media type, but the image appears to be a ` +
              `${fault.actual} image`,
          }
    case "encrypted":
      return { rule: "anthropic-pdf-data", message: `${place}.data: The PDF specified is password protected.` }
    case "bytes":
      return {
        rule: "anthropic-image-5mb",
        message: `${place}: ${kind} exceeds 5 MB maximum: ${fault.actual} bytes > ${fault.limit} bytes`,
      }
    case "side":
    case "pixels":
      return {
        rule: "anthropic-image-8000px",
        message: `${place}.data: At least one of the image dimensions exceed max allowed size: ${fault.limit} pixels`,
      }
    case "many-side":
      return {
        rule: "anthropic-image-many-2000px",
        message:
          `${place}.data: At least one of the image dimensions exceed max allowed size for many-image requests: ` + `${fault.limit} pixels`,
      }
    case "pages":
      return { rule: "anthropic-limits", message: `${place}.data: A maximum of ${fault.limit} PDF pages may be provided.` }
    case "images":
    case "documents":
      return { rule: "anthropic-media-count", message: `too many images and documents: ${fault.actual} + 0 > ${fault.limit}` }
    case "together":
      return {
        rule: "anthropic-media-count",
        message: `Too much media: ${fault.pages} document pages + ${fault.actual} images > ${fault.limit}`,
      }
    case "request":
      return { rule: "anthropic-limits", status: 413, message: "Request exceeds the maximum allowed number of bytes" }
  }
}

const demands: MediaDemands = {
  types: [...mediaTypes],
  documentTypes: ["application/pdf"],
  isStrict: true,
  isClear: true,
  imageEncoded: 5 * 1024 * 1024,
  side: 8000,
  manySide: { above: 20, side: 2000 },
  pages: 100,
  together: 100,
  requestBytes: 32_000_000,
  refuse: refuseAnthropic,
}

export function anthropicMediaViolation(messages: readonly unknown[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(messages), body, demands)
}
