/**
 * What media costs. Providers price it by pixels, pages and seconds, which cannot be seen without decoding it, so
 * these are flat or by bytes, on the high side: an image as the largest a provider keeps unscaled, a document by its
 * pages' usual bytes, sound and film by the usual bytes of a second. Bytes are exact: what is sent inline counts, a
 * reference does not.
 */
import type { MediaBlock, MediaKind } from "../../model/index.ts"
import type { Size } from "./size.ts"

interface Price {
  readonly least: number
  /** Bytes of one token, before base64. */
  readonly bytesPerToken: number
}

const prices: Readonly<Record<MediaKind, Price>> = {
  image: { least: 1600, bytesPerToken: Number.POSITIVE_INFINITY },
  document: { least: 1600, bytesPerToken: 25 },
  audio: { least: 400, bytesPerToken: 400 },
  video: { least: 2000, bytesPerToken: 800 },
  file: { least: 1600, bytesPerToken: 25 },
}

/** Plain text that travels as a file is read as text. */
const textPrice: Price = { least: 1, bytesPerToken: 3 }

const isText = (type: string | undefined): boolean =>
  type !== undefined && (type.startsWith("text/") || type === "application/json" || type === "application/xml")

export const sizeOfMedia = (block: MediaBlock): Size => {
  const { source } = block
  const written = source.type === "base64" ? source.data : source.type === "url" ? source.url : source.id
  const { least, bytesPerToken } = isText(block.mediaType) ? textPrice : prices[block.kind]
  const inline = source.type === "base64" || written.startsWith("data:")
  const decoded = inline ? Math.ceil((written.length * 3) / 4) : 0
  const tokens = Math.max(least, Math.ceil(decoded / bytesPerToken))
  return { tokens, bytes: written.length + (block.name?.length ?? 0) + 100 }
}
