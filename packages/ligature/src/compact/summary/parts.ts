/** A history too long for one request in consecutive parts: how many, and where they are cut. */
import { pushAll } from "../../model/index.ts"
import { leastLength, type Piece } from "./material.ts"

/** Room in characters. The first part also holds the summary made before. */
interface PartRoom {
  readonly first: number
  readonly other: number
}

/** Each result shows about this many characters in a part. */
const usualShare = 600

/** Consecutive pieces in as many groups as needed, items kept together. */
const groupsOf = (pieces: readonly Piece[], room: PartRoom): readonly (readonly Piece[])[] => {
  const groups: Piece[][] = [[]]
  let used = 0
  for (let at = 0; at < pieces.length; ) {
    const item = pieces[at]?.item
    let end = at
    while (end < pieces.length && pieces[end]?.item === item) end++
    const own = pieces.slice(at, end)
    const size = leastLength(own, usualShare)
    if (used > 0 && used + size > (groups.length === 1 ? room.first : room.other)) {
      groups.push([])
      used = 0
    }
    pushAll(groups.at(-1) ?? [], own)
    used += size
    at = end
  }
  return groups
}

interface Parts {
  readonly groups: readonly (readonly Piece[])[]
  /** How many there may be, by which their answers are measured. */
  readonly most: number
}

/**
 * The fewest parts that hold everything. The more there are, the shorter their answers, since all of them are read
 * together; so the room depends on how many there may be. Where the most are too few, each takes more and shows less of it.
 */
export const partsOf = (pieces: readonly Piece[], most: number, roomOf: (parts: number) => PartRoom): Parts => {
  for (let parts = 2; parts <= most; parts++) {
    const groups = groupsOf(pieces, roomOf(parts))
    if (groups.length <= parts) return { groups, most: parts }
  }
  const { first, other } = roomOf(most)
  for (let larger = 1.1; ; larger *= 1.1) {
    const groups = groupsOf(pieces, { first: Math.max(1, first) * larger, other: Math.max(1, other) * larger })
    if (groups.length <= most) return { groups, most }
  }
}
