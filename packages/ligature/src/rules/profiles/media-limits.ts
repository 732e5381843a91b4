/**
 * How much media each provider accepts, as data. Sources: the providers' pages on images, files and request sizes, and
 * the refusals that the rule book quotes (`*-media-*`, `*-image-*`, `*-limits`). Where sources differ, the stricter value
 * is here: what is within it is accepted by all of them. Megabytes are powers of ten where nobody says otherwise.
 */
import type { DocumentLimits, ImageLimits, MediaLimits } from "./profile.ts"

const commonTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"]

const pdfOnly: readonly string[] = ["application/pdf"]

const officeTypes: readonly string[] = [
  ...pdfOnly,
  "text/csv",
  "text/html",
  "text/plain",
  "text/markdown",
  "application/msword",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]

/** Images guide: 20 MB each, 500 and 50 MB a request. Files guide: PDFs of up to 100 pages and 32 MB. */
const openaiImages: ImageLimits = { types: commonTypes, bytes: 20_000_000, measure: "decoded", count: 500 }
const openaiFiles: DocumentLimits = { pages: 100, bytes: 32_000_000, measure: "decoded" }

export const mediaLimits = {
  /**
   * Vision guide: 8000 pixels, 2000 with more than 20 images; 100 images for models with 200k tokens of context, pages of
   * PDFs counting like images ("Too much media: 3 document pages + 98 images > 100"). The 5 MB are of base64 text.
   */
  anthropic: {
    image: { types: commonTypes, bytes: 5_242_880, side: 8000, many: { above: 20, side: 2000 } },
    document: { types: pdfOnly, pages: 100, encrypted: "reject" },
    imagesAndPages: 100,
    requestBytes: 32_000_000,
  },
  openai: {
    image: openaiImages,
    document: { ...openaiFiles, types: pdfOnly },
    requestBytes: 50_000_000,
  },
  /** Reads office files and text files as well. */
  openaiResponses: { image: openaiImages, document: openaiFiles, requestBytes: 50_000_000 },
  /** Quotas page: 50 images of 20 MB a request. */
  azure: {
    image: { ...openaiImages, count: 50 },
    document: { ...openaiFiles, types: pdfOnly },
    requestBytes: 50_000_000,
  },
  /** Image guide: no GIF; inline data makes requests of at most 20 MB. Document guide: 1000 pages, 50 MB. */
  gemini: {
    image: { types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"], count: 3000 },
    document: { pages: 1000, bytes: 50_000_000, measure: "decoded" },
    requestBytes: 20_000_000,
  },
  /** API reference, Message: 20 images of 3.75 MB and 8000 pixels, 5 documents of 4.5 MB. Claude: 100 pages, 20 MB. */
  bedrock: {
    image: { types: commonTypes, bytes: 3_750_000, measure: "decoded", side: 8000, count: 20 },
    document: { types: officeTypes, bytes: 4_500_000, measure: "decoded", count: 5, pages: 100 },
    requestBytes: 20_000_000,
  },
  /** Vision guide: 8 images of 10 MB. */
  mistral: { image: { types: commonTypes, bytes: 10_000_000, measure: "decoded", count: 8 }, document: {} },
  /** Vision guide: images as data or as ids of files, in requests of at most 100 MB. */
  kimi: { image: { types: commonTypes, addresses: "reject" }, document: {}, requestBytes: 100_000_000 },
  /** Vision guide: 5 images of 33 megapixels, and 4 MB for a request with images in it. */
  groq: {
    image: { types: commonTypes, count: 5, pixels: 33_177_600 },
    document: {},
    requestBytes: 4_000_000,
  },
  /** Image guide: JPEG and PNG; 10 MiB in its older version. */
  xai: { image: { types: ["image/png", "image/jpeg"], bytes: 10_485_760, measure: "decoded" }, document: {} },
  /** Gateways and servers of which only the types are known. */
  compatible: { image: { types: commonTypes }, document: {} },
} as const satisfies Readonly<Record<string, MediaLimits>>

/** For targets whose messages are plain text: media is described in it. */
export const describedMedia: MediaLimits = { image: { types: [] }, document: { types: [] } }
