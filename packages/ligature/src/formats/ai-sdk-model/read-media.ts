/** Media as the SDK carries them: base64 text, a data URL, or a URL (as text or as an object); bytes stay opaque. */
import { isWire, type MediaBlock, type MediaKind, type MediaSource, type Wire } from "../../model/index.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"

interface Read {
  readonly source: MediaSource
  readonly mediaType?: string
}

const readSource = (value: unknown): Read | undefined => {
  if (isWire(value) && typeof value["href"] === "string") return readUrl(value["href"])
  if (typeof value !== "string" || value === "") return undefined
  return /^(data:|https?:)/.test(value) ? readUrl(value) : { source: { type: "base64", data: value } }
}

interface MediaFields {
  readonly value: unknown
  readonly mediaType: unknown
  readonly name?: unknown
  readonly kind?: MediaKind
}

/** Nothing where the bytes are not text: the caller keeps the part whole. */
export const readMedia = (wire: Wire, fields: MediaFields): MediaBlock | undefined => {
  const read = readSource(fields.value)
  if (!read) return undefined
  const mediaType = typeof fields.mediaType === "string" ? fields.mediaType : read.mediaType
  return {
    type: "media",
    kind: fields.kind ?? (mediaType === undefined ? "file" : kindOfMediaType(mediaType)),
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof fields.name === "string" && { name: fields.name }),
    source: read.source,
    native: { "ai-sdk-model": wire },
  }
}

/** A file known by its id at one provider; the id may be a map of several. */
export const readFileId = (wire: Wire, id: unknown, kind: MediaKind): MediaBlock | undefined => {
  if (typeof id !== "string") return undefined
  return { type: "media", kind, source: { type: "file", id }, native: { "ai-sdk-model": wire } }
}
