/** Media sources as formats write them: data URLs on one side, type + base64 on the other. */
import { type Block, type MediaBlock, mediaNote, type MediaKind, type MediaSource } from "../../model/index.ts"

export { mediaNote }

/** `data:image/png;base64,AAAA` → its media type and data. Anything else is a plain URL. */
export const readUrl = (url: string): { readonly source: MediaSource; readonly mediaType?: string } => {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  const head = comma > 0 ? url.slice(5, comma) : ""
  if (!head.endsWith(";base64")) return { source: { type: "url", url } }
  const mediaType = head.slice(0, -";base64".length)
  const source = { type: "base64", data: url.slice(comma + 1) } as const
  return mediaType === "" ? { source } : { source, mediaType }
}

/** The source as one URL; a file id has none. */
export const writeUrl = (block: MediaBlock): string | undefined => {
  const { source } = block
  if (source.type === "url") return source.url
  if (source.type === "file") return undefined
  return `data:${block.mediaType ?? "application/octet-stream"};base64,${source.data}`
}

/** What media is most likely to be where nothing says its type. */
export const usualMediaTypes: Readonly<Record<MediaKind, string>> = {
  image: "image/png",
  document: "application/pdf",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream",
}

export const kindOfMediaType = (mediaType: string): MediaKind => {
  const family = mediaType.slice(0, mediaType.indexOf("/"))
  if (family === "image" || family === "audio" || family === "video") return family
  return mediaType === "application/pdf" || family === "text" ? "document" : "file"
}

/** A block as text, for formats that have no other place for it. */
export const shownText = (block: Block): string => {
  if (block.type === "text" || block.type === "opaque") return block.text
  return block.type === "media" ? mediaNote(block) : ""
}
