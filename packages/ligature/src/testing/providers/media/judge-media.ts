/**
 * The walk over the media of a request that all judges share. What is demanded, and in which words a demand is refused,
 * each provider says itself.
 */
import { Buffer } from "node:buffer"
import type { Violation } from "../verdict.ts"

// What a provider sees when it opens a file: decoded whole and read with plain loops, unlike the reader it is there to
// confirm, which takes a few bytes out of the base64 text.

interface FileFacts {
  readonly type?: string
  readonly width?: number
  readonly height?: number
  readonly pages?: number
  readonly encrypted?: boolean
}

/** Undefined for text that a strict decoder refuses. */
function decode(data: string): Buffer | undefined {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined
  return Buffer.from(data, "base64")
}

function jpegFrame(bytes: Buffer): FileFacts {
  let at = 2
  while (at + 9 <= bytes.length) {
    const marker = bytes[at + 1] as number
    if (bytes[at] !== 0xff) break
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    } else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return {}
}

function webpFrame(bytes: Buffer): FileFacts {
  if (bytes.length < 30) return {}
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return {}
  }
}

/** The largest count of a node of the page tree is that of its root. */
function pdfFacts(text: string): FileFacts {
  let pages: number | undefined
  for (const [object] of text.matchAll(/\d+ \d+ obj[^]*?endobj/g)) {
    const count = /\/Type\s*\/Pages\b/.test(object) ? /\/Count\s+(\d+)/.exec(object)?.[1] : undefined
    const linear = /\/Linearized\b[^]*\/N\s+(\d+)/.exec(object)?.[1]
    for (const found of [count, linear]) if (found !== undefined) pages = Math.max(pages ?? 0, Number(found))
  }
  const encrypted = /\/Encrypt\s+\d/.test(text)
  return { type: "application/pdf", encrypted, ...(pages !== undefined && { pages }) }
}

/** Type and measures of a file; no type for bytes that are no file of a kind that is taken anywhere. */
function factsOf(bytes: Buffer): FileFacts {
  const start = bytes.toString("latin1", 0, 16)
  if (start.startsWith("\x89PNG\r\n\x1a\n")) {
    return bytes.length < 24 ? {} : { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (start.startsWith("\xff\xd8\xff")) {
    const frame = jpegFrame(bytes)
    return frame.width === undefined ? {} : { type: "image/jpeg", ...frame }
  }
  if (/^GIF8[79]a/.test(start)) {
    return bytes.length < 10 ? {} : { type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  }
  if (/^RIFF[^]{4}WEBP/.test(start)) {
    const frame = webpFrame(bytes)
    return frame.width === undefined ? {} : { type: "image/webp", ...frame }
  }
  if (/^[^]{4}ftyp(?:hei[cx]|hevc)/.test(start)) return { type: "image/heic" }
  if (/^[^]{4}ftyp(?:mif1|msf1)/.test(start)) return { type: "image/heif" }
  if (bytes.toString("latin1", 0, 1024).includes("%PDF-")) return pdfFacts(bytes.toString("latin1"))
  return {}
}

/** One image or document as a request has it. */
export interface MediaPart {
  readonly kind: "image" | "document"
  /** In the words of the provider, without what follows the block. */
  readonly place: string
  readonly declared?: string
  /** Base64; absent where the request has an address or an id. */
  readonly data?: string
}

export type MediaFault =
  | { readonly what: "empty" | "not-base64" | "unreadable" | "encrypted" | "address" }
  | { readonly what: "type" | "declared"; readonly actual: string }
  | {
      readonly what: "bytes" | "side" | "many-side" | "pixels" | "pages" | "images" | "documents" | "together" | "request"
      readonly actual: number
      readonly limit: number
      /** Of `together`: pages among them. */
      readonly pages?: number
    }

export interface MediaDemands {
  readonly types?: readonly string[]
  readonly documentTypes?: readonly string[]
  /** The declared type has to be that of the bytes. */
  readonly isStrict?: boolean
  /** Bytes of an image: as base64, or as a file. */
  readonly imageEncoded?: number
  readonly imageBytes?: number
  readonly documentBytes?: number
  readonly side?: number
  readonly manySide?: { readonly above: number; readonly side: number }
  readonly pixels?: number
  readonly images?: number
  readonly documents?: number
  readonly pages?: number
  readonly isClear?: boolean
  /** Addresses are not followed. */
  readonly isInline?: boolean
  /** Images and pages together. */
  readonly together?: number
  readonly requestBytes?: number
  /** The refusal in the provider's words. `part` is the block it is about; of a sum the last one. */
  readonly refuse: (fault: MediaFault, part: MediaPart) => Violation
}

type Opened = { readonly part: MediaPart; readonly facts: FileFacts; readonly data: string | undefined }

function open(part: MediaPart, demands: MediaDemands): Opened | MediaFault {
  const { data } = part
  if (data === undefined) return demands.isInline === true ? { what: "address" } : { part, facts: {}, data }
  if (data === "") return { what: "empty" }
  const bytes = decode(data)
  if (bytes === undefined) return { what: "not-base64" }
  const isOther = part.kind === "document" && part.declared !== undefined && part.declared !== "application/pdf"
  const facts = isOther ? { type: part.declared } : factsOf(bytes)
  if (facts.type === undefined) return { what: "unreadable" }
  const types = part.kind === "image" ? demands.types : demands.documentTypes
  if (types !== undefined && !types.includes(facts.type)) return { what: "type", actual: facts.type }
  const isDeclared = part.declared === undefined || part.declared === facts.type
  if (demands.isStrict === true && !isDeclared) return { what: "declared", actual: facts.type }
  return sizeFault(part, data, bytes.length, facts, demands) ?? { part, facts, data }
}

function sizeFault(
  part: MediaPart,
  data: string,
  bytes: number,
  { width = 0, height = 0, pages = 0, encrypted }: FileFacts,
  demands: MediaDemands,
): MediaFault | undefined {
  const over = (what: "bytes" | "side" | "pixels" | "pages", actual: number, limit?: number): MediaFault | undefined =>
    limit === undefined || actual <= limit ? undefined : { what, actual, limit }
  if (part.kind === "document") {
    if (demands.isClear === true && encrypted === true) return { what: "encrypted" }
    return over("bytes", bytes, demands.documentBytes) ?? over("pages", pages, demands.pages)
  }
  return (
    over("bytes", data.length, demands.imageEncoded) ??
    over("bytes", bytes, demands.imageBytes) ??
    over("side", Math.max(width, height), demands.side) ??
    over("pixels", width * height, demands.pixels)
  )
}

/** The first objection to the media of a request. */
export function mediaViolation(parts: readonly MediaPart[], body: unknown, demands: MediaDemands): Violation | undefined {
  const last = parts.at(-1)
  if (last === undefined) return undefined
  const opened: Opened[] = []
  for (const part of parts) {
    const found = open(part, demands)
    if ("what" in found) return demands.refuse(found, part)
    opened.push(found)
  }
  const sum = sumFault(opened, demands)
  if (sum !== undefined) return demands.refuse(sum, last)
  const large = manyFault(opened, demands)
  if (large !== undefined) return demands.refuse(large.fault, large.part)
  const { requestBytes } = demands
  const inline = opened.reduce((total, { data }) => total + (data?.length ?? 0), 0)
  if (requestBytes === undefined || inline * 4 < requestBytes) return undefined
  const actual = Buffer.byteLength(JSON.stringify(body))
  return actual <= requestBytes ? undefined : demands.refuse({ what: "request", actual, limit: requestBytes }, last)
}

function sumFault(opened: readonly Opened[], demands: MediaDemands): MediaFault | undefined {
  const images = opened.filter(({ part }) => part.kind === "image").length
  const documents = opened.length - images
  if (demands.images !== undefined && images > demands.images) {
    return { what: "images", actual: images, limit: demands.images }
  }
  if (demands.documents !== undefined && documents > demands.documents) {
    return { what: "documents", actual: documents, limit: demands.documents }
  }
  const pages = opened.reduce((total, { part, facts }) => total + (part.kind === "document" ? (facts.pages ?? 1) : 0), 0)
  if (demands.together === undefined || images + pages <= demands.together) return undefined
  return { what: "together", actual: images, pages, limit: demands.together }
}

function manyFault(
  opened: readonly Opened[],
  { manySide }: MediaDemands,
): { readonly fault: MediaFault; readonly part: MediaPart } | undefined {
  const images = opened.filter(({ part }) => part.kind === "image")
  if (manySide === undefined || images.length <= manySide.above) return undefined
  for (const {
    part,
    facts: { width = 0, height = 0 },
  } of images) {
    const actual = Math.max(width, height)
    if (actual > manySide.side) return { fault: { what: "many-side", actual, limit: manySide.side }, part }
  }
  return undefined
}

/** `data:image/png;base64,…` as a part; without data for an address. */
export function partOfUrl(kind: MediaPart["kind"], url: string, place: string): MediaPart {
  const found = /^data:([^;,]*)[^,]*,/.exec(url.slice(0, 300))
  if (found === null) return { kind, place }
  const declared = found[1] === undefined || found[1] === "" ? {} : { declared: found[1] }
  return { kind, place, ...declared, data: url.slice(found[0].length) }
}
