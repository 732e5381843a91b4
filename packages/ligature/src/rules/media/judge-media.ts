/**
 * One media block against what a provider accepts: fine, to be corrected (the declared type or the spelling of the base64
 * is wrong, and the bytes say what is right), or refused. Limits on sums are `MediaBudget`'s.
 */
import type { MediaBlock, MediaKind } from "../../model/index.ts"
import type { DocumentLimits, ImageLimits, MediaLimits } from "../profiles/profile.ts"
import { type MediaFacts, plainMediaType, readMedia } from "./read-media.ts"

export type MediaRule = "media-data" | "media-type" | "media-limit"

/** Why a block cannot be sent as it is. */
export interface MediaFault {
  readonly rule: MediaRule
  /** One sentence for people: what it is, and what the limit is. The provider's name is put in front. */
  readonly found: string
  /** For the note in its place. Never of numbers that change as a history grows: the note would change with them. */
  readonly reason: string
}

export type MediaVerdict =
  | { readonly type: "fine"; readonly facts: MediaFacts | undefined }
  | { readonly type: "corrected"; readonly facts: MediaFacts; readonly block: MediaBlock; readonly fault: MediaFault }
  | { readonly type: "refused"; readonly fault: MediaFault }

/** 5242880 → "5,242,880". */
export const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")

const nameOf = (kind: MediaKind): string => (kind === "image" ? "image" : "document")

/** What the codecs declare where a block does not say it. */
const undeclared: Readonly<Partial<Record<MediaKind, string>>> = { image: "image/png", document: "application/pdf" }

/** The kind of block that carries a type; undefined where neither images nor documents are like that. */
const kindOf = (mediaType: string): "image" | "document" | undefined => {
  if (mediaType === "application/pdf") return "document"
  return mediaType.startsWith("image/") ? "image" : undefined
}

const dataFault = (kind: MediaKind, { fault, mediaType }: MediaFacts): MediaFault | undefined => {
  const name = nameOf(kind)
  switch (fault) {
    case "empty":
      return { rule: "media-data", found: `the ${name} has no data`, reason: "it has no data" }
    case "not-base64":
      return { rule: "media-data", found: `the data of the ${name} is not valid base64`, reason: "its data is not valid base64" }
    case "unreadable": {
      const what = mediaType === undefined ? `are not a readable ${name}` : `end within the header of ${mediaType}`
      return { rule: "media-data", found: `the bytes of the ${name} ${what}`, reason: `it is not a readable ${name}` }
    }
    default:
      return undefined
  }
}

const typeFault = (actual: string | undefined, kind: MediaKind, types: readonly string[] | undefined): MediaFault | undefined => {
  if (types === undefined || actual === undefined || types.includes(actual)) return undefined
  const accepted = types.length === 0 ? `no ${nameOf(kind)}s are accepted` : `accepted are ${types.join(", ")}`
  const reason = types.length === 0 ? `${nameOf(kind)}s are not accepted` : `${actual} is not accepted`
  return { rule: "media-type", found: `the ${nameOf(kind)} is ${actual}; ${accepted}`, reason }
}

const addressFault = (kind: MediaKind): MediaFault => ({
  rule: "media-type",
  found: `the ${nameOf(kind)} is given by its address; only its data is accepted`,
  reason: "only its address is known",
})

const sizeFault = (kind: MediaKind, facts: MediaFacts, limits: ImageLimits & DocumentLimits): MediaFault | undefined => {
  const name = nameOf(kind)
  const limit = (found: string, reason: string): MediaFault => ({ rule: "media-limit", found, reason })
  const { bytes, measure = "encoded", side, pixels, pages, encrypted } = limits
  const size = measure === "encoded" ? facts.encodedBytes : facts.bytes
  const unit = measure === "encoded" ? "bytes as base64" : "bytes"
  if (bytes !== undefined && size > bytes) {
    return limit(
      `the ${name} has ${grouped(size)} ${unit}; at most ${grouped(bytes)} are accepted`,
      `it has more than ${grouped(bytes)} ${unit}`,
    )
  }
  const { width = 0, height = 0 } = facts
  const shown = `the ${name} is ${width} × ${height} pixels`
  if (side !== undefined && Math.max(width, height) > side) {
    return limit(`${shown}; at most ${side} per side are accepted`, `it has more than ${side} pixels per side`)
  }
  if (pixels !== undefined && width * height > pixels) {
    return limit(`${shown}; at most ${grouped(pixels)} in all are accepted`, `it has more than ${grouped(pixels)} pixels`)
  }
  if (pages !== undefined && (facts.pages ?? 0) > pages) {
    return limit(`the PDF has ${facts.pages} pages; at most ${pages} are accepted`, `it has more than ${pages} pages`)
  }
  return encrypted === "reject" && facts.encrypted ? limit("the PDF is encrypted", "it is encrypted") : undefined
}

export const judgeMedia = (block: MediaBlock, media: MediaLimits): MediaVerdict => {
  if (block.kind !== "image" && block.kind !== "document") return { type: "fine", facts: undefined }
  const facts = readMedia(block)
  const declared = block.mediaType
  const actual = facts?.mediaType ?? (declared === undefined ? undeclared[block.kind] : plainMediaType(declared))
  const kind = (facts?.mediaType === undefined ? undefined : kindOf(facts.mediaType)) ?? block.kind
  const limits: ImageLimits & DocumentLimits = media[kind]
  const closed = limits.types?.length === 0 ? typeFault(actual, kind, limits.types) : undefined
  if (closed) return { type: "refused", fault: closed }
  if (facts === undefined) {
    const isAddress = block.source.type === "url" && limits.addresses === "reject"
    return isAddress ? { type: "refused", fault: addressFault(kind) } : { type: "fine", facts }
  }
  const fault = dataFault(kind, facts) ?? typeFault(actual, kind, limits.types) ?? sizeFault(kind, facts, limits)
  if (fault) return { type: "refused", fault }
  const isDeclared = kind === block.kind && (declared === actual || (declared === undefined && actual === undeclared[kind]))
  const isSpelt = block.source.type !== "base64" || block.source.data === facts.data
  if (isDeclared && isSpelt) return { type: "fine", facts }
  // What its format said of it says the old type and text.
  const { native: _, ...plain } = block
  const corrected: MediaBlock = {
    ...plain,
    kind,
    ...(actual !== undefined && { mediaType: actual }),
    source: { type: "base64", data: facts.data },
  }
  const found = isDeclared
    ? `the base64 of the ${nameOf(kind)} has white space, a prefix or no padding`
    : `the ${nameOf(block.kind)} is declared as ${declared ?? undeclared[block.kind]} and is ${actual}`
  return { type: "corrected", facts, block: corrected, fault: { rule: isDeclared ? "media-data" : "media-type", found, reason: "" } }
}
