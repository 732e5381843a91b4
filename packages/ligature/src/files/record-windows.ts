/**
 * A file of JSON lines, however long, as a row of documents that each hold a stretch of it: read once from front to
 * back, with no more than one stretch in memory. A stretch ends where a user's word starts and no call is open, so that
 * each is judged as in the whole file; only calls that repeat an id of an earlier stretch go unnoticed.
 */
import { isUtf8 } from "node:buffer"
import { open, stat } from "node:fs/promises"
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Document, OpenOptions } from "../document/index.ts"
import { openRecords } from "../document/open-document.ts"
import { pulseOf, RecordStretch } from "../document/record-stretch.ts"
import { isOfLines } from "../json/split-values.ts"
import { assertFits } from "./disk/read-bytes.ts"

// Garbage, collected when there is a lot of it. V8 waits until the heap is several times what is alive in it, which is
// right for speed and wrong for a reader that promises to stay small: it kept 15 MB alive and let 290 MB pile up.

const mostBytes = 64 << 20

let collect: (() => void) | undefined

const exposed = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}

/** Call it where little is alive: the pause is then a few milliseconds. */
const collectGarbage = (): void => {
  if (getHeapStatistics().used_heap_size < mostBytes) return
  collect ??= exposed()
  collect()
}

interface WindowOptions extends OpenOptions {
  /** Bytes after which a good place to end the stretch is looked for, and after which any place will do. */
  readonly bytes?: number
  readonly mostBytes?: number
}

const lineFeed = 0x0a

/** From here on a file of lines is read in stretches. */
const longFile = 64 << 20

/** Whether a file is so long that it is to be read in stretches, and has the lines for that. */
export const isLongFile = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size < longFile) return false
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1 << 20), 0, 1 << 20, 0)
    return isOfLines(buffer.toString("utf8", 0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * The lines of a file, without their line breaks. All of them are views into one buffer that is read again and again:
 * a buffer per chunk would be garbage that the collector sees too late. Look at a line before you ask for the next.
 */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
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

export async function* recordWindows(path: string, options: WindowOptions = {}): AsyncGenerator<Document> {
  const { bytes = 256 << 10, mostBytes = 32 << 20, ...opening } = options
  let stretch = new RecordStretch()
  let line = 0
  let pulse: ReturnType<typeof pulseOf> | undefined
  const open = new Set<string>()
  for await (const raw of linesOf(path)) {
    line += 1
    for (const unit of stretch.read(raw.toString("utf8"), line, isUtf8(raw))) {
      pulse ??= stretch.bytes > bytes ? pulseOf(stretch.split, opening) : undefined
      if (pulse !== undefined) {
        const { starts, calls, results } = pulse(unit.value)
        if ((starts === true && open.size === 0 && stretch.bytes > bytes) || stretch.bytes > mostBytes) {
          yield openRecords(stretch.split, opening)
          stretch = new RecordStretch()
          open.clear()
          collectGarbage()
        }
        for (const id of calls ?? []) open.add(id)
        for (const id of results ?? []) open.delete(id)
      }
      stretch.add(unit, raw.length)
    }
  }
  if (stretch.split.units.length + stretch.split.problems.length > 0) yield openRecords(stretch.split, opening)
}
