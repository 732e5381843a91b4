/** What a reader sees where the media itself cannot go. */
import type { MediaBlock } from "./block.ts"

export const mediaNote = (block: MediaBlock): string => {
  const bytes = block.source.type === "base64" ? `, ${Math.floor((block.source.data.length * 3) / 4)} bytes` : ""
  const where = block.source.type === "url" ? `, ${block.source.url}` : ""
  const name = block.name === undefined ? "" : ` ${block.name}`
  return `[${block.kind}${name}: ${block.mediaType ?? "unknown type"}${bytes}${where}]`
}
