/** The media of what a handle names: all of an item or a result, or the one that a line of it names. */
import type { MediaBlock } from "../../model/index.ts"
import { sizeOfMedia } from "../meter/media-size.ts"
import { type Reference, writeHandle } from "../text/handles.ts"
import { type PlacedPassage, textOfBlock } from "../text/item-text.ts"

export interface PlacedMedia {
  /** The line of the text at which it is named, from one. */
  readonly line: number
  readonly block: MediaBlock
}

/** Its native value belongs to its old place, and would be wrong where it is shown again. */
const withoutNative = (block: MediaBlock): MediaBlock => {
  const { native: _, ...plain } = block
  return plain
}

/** The media in the passages of a text, in order. */
export const mediaIn = (passages: readonly Pick<PlacedPassage, "blocks" | "line">[]): readonly PlacedMedia[] =>
  passages.flatMap(({ blocks, line: first }) => {
    let line = first
    return blocks.flatMap((block) => {
      const named = line
      const words = textOfBlock(block)
      if (words !== "") line += words.split("\n").length
      return block.type === "media" ? [{ line: named, block: withoutNative(block) }] : []
    })
  })

interface MediaLimit {
  readonly count: number
  readonly bytes: number
}

/** As many from the front as the limit allows; the first in any case, or reading on would never end. */
const upTo = (placed: readonly PlacedMedia[], { count, bytes }: MediaLimit): readonly MediaBlock[] => {
  const media: MediaBlock[] = []
  let left = bytes
  for (const { block } of placed.slice(0, count)) {
    left -= sizeOfMedia(block).bytes
    if (left < 0 && media.length > 0) break
    media.push(block)
  }
  return media
}

/** The media to return, and a note where there are more. */
export const mediaFor = (
  placed: readonly PlacedMedia[],
  reference: Reference,
  limit: MediaLimit,
): { readonly media: readonly MediaBlock[]; readonly more: string } => {
  const { item, call, from, to, skip } = reference
  const isOneLine = from !== undefined && from === to && skip === undefined
  const asked = from === undefined ? placed : placed.filter(({ line }) => isOneLine && line === from)
  const media = upTo(asked, limit)
  const left = asked[media.length]
  if (left === undefined || media.length === 0) return { media, more: "" }
  const handle = writeHandle({ item, ...(call !== undefined && { call }), from: left.line, to: left.line })
  const others = `the others come with the lines that name them, the next with ${handle}`
  return { media, more: `\n[media: ${media.length} of ${asked.length}; ${others}]` }
}
