/** The lines of a file of any length. */
import { open } from "node:fs/promises"
import { assertFits } from "./read-bytes.ts"

const lineFeed = 0x0a

/**
 * The lines of a file, without their line breaks. All of them are views into one buffer that is read again and again:
 * a buffer per chunk would be garbage that the collector sees too late. Look at a line before you ask for the next.
 */
export async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r")
  try {
    let buffer = Buffer.allocUnsafe(1 << 20)
    let filled = 0
    for (;;) {
      // A line longer than the buffer: the next one is twice as long.
      if (filled === buffer.length) {
        assertFits(filled * 2, "The file is long, and one of its lines has at least")
        buffer = Buffer.concat([buffer], buffer.length * 2)
      }
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled)
      if (bytesRead === 0) break
      const end = filled + bytesRead
      let start = 0
      for (let next = buffer.indexOf(lineFeed, filled); next !== -1 && next < end; next = buffer.indexOf(lineFeed, start)) {
        yield buffer.subarray(start, next)
        start = next + 1
      }
      buffer.copyWithin(0, start, end)
      filled = end - start
    }
    if (filled > 0) yield buffer.subarray(0, filled)
  } finally {
    await file.close()
  }
}
