/**
 * Images and files in Responses requests: in messages and in the outputs of calls.
 */
import { dataUrlText, openaiMedia, refuseChat } from "../chat/media.ts"
import { type MediaDemands, type MediaPart, mediaViolation, partOfUrl } from "../media/judge-media.ts"
import type { Violation } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"

function partOf(part: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(part)) return undefined
  const { type, image_url: url, file_data: data } = part
  if (type === "input_image") {
    if (typeof url === "string") return partOfUrl("image", url, `${place()}.image_url`)
    return { kind: "image", place: place() }
  }
  return type === "input_file" && typeof data === "string"
    ? partOfUrl("document", data, `${place()}.file_data`)
    : undefined
}

function partsOf(items: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  items.forEach((item, index) => {
    for (const key of ["content", "output"]) {
      const list = item[key]
      if (!isArray(list)) continue
      list.forEach((each, at) => {
        const part = partOf(each, () => `input[${index}].${key}[${at}]`)
        if (part !== undefined) parts.push(part)
      })
    }
  })
  return parts
}

const { documentTypes: _, ...shared } = openaiMedia

const demands: MediaDemands = {
  ...shared,
  refuse: (fault, part) => {
    const refused = refuseChat(fault, part)
    if (refused.rule === "openai-image-format" && part.kind === "image") {
      return {
        ...refused,
        message: "The image data you provided does not represent a valid image. Please check your input and try again "
          + "with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
      }
    }
    return fault.what === "empty"
      ? { ...refused, message: `Invalid '${part.place}'. ${dataUrlText} empty base64-encoded bytes.` }
      : refused
  },
}

export function responsesMediaViolation(items: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(items), body, demands)
}
