/**
 * Finds the one bit that was flipped in a line. Bits flip on disks and in memories, and a CRC-32 says more than that
 * something is wrong: the sum of a line with one wrong bit differs from the right one by a value that belongs to that bit
 * alone. So a line with its sum can be read as it was written.
 *
 * Other damage may look like a flipped bit by chance, the more likely the longer the line is; beyond a length nobody tries.
 */
import { crc32 } from "node:zlib"

/** At this length, one other damage in 30,000 would be taken for a flipped bit. */
const longest = 1 << 14

/** By how much a wrong byte changes the sum, if it is the last one. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/** The byte whose entry in the table has this highest byte; there is one for each. */
const byHighest = new Uint8Array(256)
for (const [byte, sum] of table.entries()) byHighest[sum >>> 24] = byte

const bitOfLast = new Map(Array.from({ length: 8 }, (_, bit) => [table[1 << bit] ?? 0, bit]))

/** Where a single wrong bit changes the sum of so many bytes by `change`; undefined: nowhere. */
export const bitThatChanges = (change: number, length: number): { readonly byte: number; readonly bit: number } | undefined => {
  let difference = change | 0
  for (let byte = length - 1; byte >= 0; byte--) {
    const bit = bitOfLast.get(difference)
    if (bit !== undefined) return { byte, bit }
    // What the difference was before the byte behind it was added.
    const added = byHighest[difference >>> 24] ?? 0
    difference = ((difference ^ (table[added] ?? 0)) << 8) | added
  }
  return undefined
}

const countOnes = (byte: number): number => byte.toString(2).replaceAll("0", "").length

/** How many bits differ; more than one are not counted to the end. */
const differingBits = (left: Buffer, right: Buffer): number => {
  let count = 0
  for (let index = 0; index < left.length && count < 2; index++) count += countOnes((left[index] ?? 0) ^ (right[index] ?? 0))
  return count
}

/** The line as it was before one bit of it flipped; undefined when that is not what happened to it. `head` is what stands before the summed bytes. */
export const withoutFlippedBit = (line: Buffer, headOf: (sum: number) => string): Buffer | undefined => {
  const { length: headLength } = headOf(0)
  if (line.length <= headLength || line.length > longest) return undefined
  const rest = line.subarray(headLength)
  const sum = crc32(rest)
  const right = Buffer.from(headOf(sum), "latin1")
  const head = line.subarray(0, headLength)
  if (differingBits(head, right) === 1) return Buffer.concat([right, rest])
  const said = Number.parseInt(head.toString("latin1", 8, 16), 16)
  if (Number.isNaN(said) || headOf(said) !== head.toString("latin1")) return undefined
  const place = bitThatChanges(sum ^ said, rest.length)
  if (!place) return undefined
  const healed = Buffer.from(line)
  healed[headLength + place.byte] = (healed[headLength + place.byte] ?? 0) ^ (1 << place.bit)
  return healed
}
