/** Media blocks of Converse: formats have short names here, and bytes are base64 in JSON, byte arrays in the SDK. */
import { isWire, type MediaBlock, type MediaKind, type MediaSource, type Wire } from "../../model/index.ts"

export const mediaKinds: ReadonlyMap<string, MediaKind> = new Map([
  ["image", "image"],
  ["document", "document"],
  ["audio", "audio"],
  ["video", "video"],
])

/** Short names and their media types. The first short name of a media type is the one we write. */
const mediaTypes: ReadonlyMap<MediaKind, readonly (readonly [name: string, mediaType: string])[]> = new Map([
  [
    "image",
    [
      ["png", "image/png"],
      ["jpeg", "image/jpeg"],
      ["jpeg", "image/jpg"],
      ["gif", "image/gif"],
      ["webp", "image/webp"],
    ],
  ],
  [
    "document",
    [
      ["pdf", "application/pdf"],
      ["csv", "text/csv"],
      ["html", "text/html"],
      ["txt", "text/plain"],
      ["md", "text/markdown"],
      ["doc", "application/msword"],
      ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
      ["xls", "application/vnd.ms-excel"],
      ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ],
  ],
  [
    "video",
    [
      ["mp4", "video/mp4"],
      ["mov", "video/quicktime"],
      ["mkv", "video/x-matroska"],
      ["webm", "video/webm"],
      ["flv", "video/x-flv"],
      ["mpeg", "video/mpeg"],
      ["mpg", "video/mpeg"],
      ["wmv", "video/x-ms-wmv"],
      ["three_gp", "video/3gpp"],
    ],
  ],
  [
    "audio",
    [
      ["mp3", "audio/mpeg"],
      ["mp3", "audio/mp3"],
      ["wav", "audio/wav"],
      ["aac", "audio/aac"],
      ["flac", "audio/flac"],
      ["ogg", "audio/ogg"],
      ["opus", "audio/opus"],
      ["webm", "audio/webm"],
      ["m4a", "audio/mp4"],
    ],
  ],
])

const mediaTypeOf = (kind: MediaKind, name: unknown): string | undefined => mediaTypes.get(kind)?.find(([known]) => known === name)?.[1]

/** The short name of a block's media type; undefined where Converse knows none. */
const shortNameOf = (block: MediaBlock): string | undefined => {
  const known = mediaTypes.get(block.kind)
  if (block.mediaType === undefined) return known?.[0]?.[0]
  return known?.find(([, mediaType]) => mediaType === block.mediaType)?.[0]
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const base64 = (bytes: Uint8Array): string => {
  const pieces: string[] = []
  for (let index = 0; index < bytes.length; index += 3) {
    const second = bytes[index + 1]
    const third = bytes[index + 2]
    const word = ((bytes[index] ?? 0) << 16) | ((second ?? 0) << 8) | (third ?? 0)
    const tail = second === undefined ? "==" : third === undefined ? `${digits[(word >> 6) & 63]}=` : undefined
    const head = `${digits[word >> 18]}${digits[(word >> 12) & 63]}`
    pieces.push(head + (tail ?? `${digits[(word >> 6) & 63]}${digits[word & 63]}`))
  }
  return pieces.join("")
}

/** Base64 text of a blob, whichever way it is held; undefined when it is neither. */
export const readBlob = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  return value instanceof Uint8Array ? base64(value) : undefined
}

const readSource = (source: unknown): MediaSource | undefined => {
  if (!isWire(source)) return undefined
  const data = readBlob(source["bytes"])
  if (data !== undefined) return { type: "base64", data }
  const location = source["s3Location"]
  if (isWire(location) && typeof location["uri"] === "string") return { type: "file", id: location["uri"] }
  return undefined
}

/** Undefined where the source is no media: a document may be plain text. */
export const readMedia = (kind: MediaKind, held: unknown): MediaBlock | undefined => {
  const source = isWire(held) ? readSource(held["source"]) : undefined
  if (!isWire(held) || !source) return undefined
  const mediaType = mediaTypeOf(kind, held["format"])
  return {
    type: "media",
    kind,
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof held["name"] === "string" && { name: held["name"] }),
    source,
  }
}

const writeSource = ({ source }: MediaBlock): Wire | undefined => {
  if (source.type === "base64") return { bytes: source.data }
  const uri = source.type === "url" ? source.url : source.id
  return uri.startsWith("s3://") ? { s3Location: { uri } } : undefined
}

/** The block that holds the media; undefined where Converse has no home for it: it takes no addresses. */
export const writeMedia = (block: MediaBlock, nameDocument: (name: string | undefined) => string): Wire | undefined => {
  const source = writeSource(block)
  const short = shortNameOf(block)
  if (!source || short === undefined || block.kind === "file") return undefined
  if (block.kind !== "document") return { [block.kind]: { format: short, source } }
  return { document: { name: nameDocument(block.name), format: short, source } }
}
