/** What the bytes of a media block say of themselves: what they are, how many, how large a picture, how many pages. */
import { elidedBytes, type MediaBlock } from "../../model/index.ts"
import { Base64Bytes, canonicalBase64 } from "./base64.ts"
import { readImageHeader } from "./image-header.ts"
import { pdfStart, readPdfHeader } from "./pdf-header.ts"

export interface MediaFacts {
  /** Why nobody can read it: nothing there, not base64, or no file of the kind it is said to be. */
  readonly fault?: "empty" | "not-base64" | "unreadable"
  /** The base64 text as providers take it; the very text of the block where that is it. */
  readonly data: string
  /** What the bytes are, where their signature says it. */
  readonly mediaType?: string
  readonly width?: number
  readonly height?: number
  /** Of a PDF; undefined also where its tables are compressed. */
  readonly pages?: number
  readonly encrypted?: true
  /** Size of the file, and of the base64 text that is sent. */
  readonly bytes: number
  readonly encodedBytes: number
}

/** Types whose files begin with a signature that is known here: without it, they are none. */
const signed: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"])

/** Spellings of media types that people and tools use, and what providers accept. */
const spellings: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  "application/x-pdf": "application/pdf",
}

/** A declared media type without parameters, in the spelling that providers know. */
export const plainMediaType = (declared: string): string => {
  if (signed.has(declared)) return declared
  const semicolon = declared.indexOf(";")
  const bare = (semicolon < 0 ? declared : declared.slice(0, semicolon)).trim().toLowerCase()
  return Object.hasOwn(spellings, bare) ? (spellings[bare] as string) : bare
}

const read = (block: MediaBlock, given: string): MediaFacts => {
  const data = canonicalBase64(given)
  if (data === undefined) return { fault: "not-base64", data: given, bytes: 0, encodedBytes: given.length + elidedBytes(given) }
  if (data === "") return { fault: "empty", data, bytes: 0, encodedBytes: 0 }
  const bytes = new Base64Bytes(data)
  const sizes = { data, bytes: bytes.length, encodedBytes: data.length + elidedBytes(data) }
  const declared = block.mediaType === undefined ? undefined : plainMediaType(block.mediaType)
  if (block.kind !== "image" && declared !== "application/pdf" && block.kind !== "document") return sizes
  const header = readImageHeader(bytes) ?? (pdfStart(bytes) >= 0 ? { mediaType: "application/pdf" } : undefined)
  if (header === undefined) {
    const isNone = declared === undefined ? block.kind === "image" : signed.has(declared)
    return isNone ? { ...sizes, fault: "unreadable" } : sizes
  }
  const { mediaType, width, height } = header
  if (header.cut === true) return { ...sizes, mediaType, fault: "unreadable" }
  if (mediaType === "application/pdf") return { ...sizes, mediaType, ...readPdfHeader(bytes) }
  if (width === undefined || height === undefined) return { ...sizes, mediaType }
  return { ...sizes, mediaType, width, height }
}

/** Undefined for media that is elsewhere: only its address is known. */
export const readMedia = (block: MediaBlock): MediaFacts | undefined => {
  const { source } = block
  if (source.type === "base64") return read(block, source.data)
  // A data URL that is not base64 was left as it is by the reader of its format.
  if (source.type === "url" && source.url.startsWith("data:")) {
    return { fault: "not-base64", data: source.url, bytes: 0, encodedBytes: source.url.length }
  }
  return undefined
}
