/**
 * The walk over the media of a request that all judges share. What is demanded, and in which words a demand is refused,
 * each provider says itself.
 */
import type { Violation } from "../verdict.ts"
import { decode, type FileFacts, factsOf } from "./bytes.ts"

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
  return over("bytes", data.length, demands.imageEncoded)
    ?? over("bytes", bytes, demands.imageBytes)
    ?? over("side", Math.max(width, height), demands.side)
    ?? over("pixels", width * height, demands.pixels)
}

/** The first objection to the media of a request. */
export function mediaViolation(
  parts: readonly MediaPart[],
  body: unknown,
  demands: MediaDemands,
): Violation | undefined {
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
  const pages = opened.reduce((total, { part, facts }) => total + (part.kind === "document" ? facts.pages ?? 1 : 0), 0)
  if (demands.together === undefined || images + pages <= demands.together) return undefined
  return { what: "together", actual: images, pages, limit: demands.together }
}

function manyFault(
  opened: readonly Opened[],
  { manySide }: MediaDemands,
): { readonly fault: MediaFault; readonly part: MediaPart } | undefined {
  const images = opened.filter(({ part }) => part.kind === "image")
  if (manySide === undefined || images.length <= manySide.above) return undefined
  for (const { part, facts: { width = 0, height = 0 } } of images) {
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
