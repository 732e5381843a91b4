/** What a reader sees where the media itself cannot go. */
import type { MediaBlock } from "./block.ts"
import { elidedBytes } from "./elided.ts"

const sizeOf = (data: string): number => Math.floor(((data.length + elidedBytes(data)) * 3) / 4)

export const mediaNote = (block: MediaBlock): string => {
  const bytes = block.source.type === "base64" ? `, ${sizeOf(block.source.data)} bytes` : ""
  // A data URL is the media itself, not the place where it is.
  const where = block.source.type === "url" && !block.source.url.startsWith("data:") ? `, ${block.source.url}` : ""
  const name = block.name === undefined ? "" : ` ${block.name}`
  return `[${block.kind}${name}: ${block.mediaType ?? "unknown type"}${bytes}${where}]`
}
