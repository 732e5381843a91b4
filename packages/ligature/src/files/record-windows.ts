/**
 * A file of JSON lines, however long, as a row of documents that each hold a stretch of it: read once from front to
 * back, with no more than one stretch in memory. A stretch ends where a user's word starts and no call is open, so that
 * each is judged as in the whole file; only calls that repeat an id of an earlier stretch go unnoticed.
 */
import { isUtf8 } from "node:buffer"
import { open, stat } from "node:fs/promises"
import type { Document, OpenOptions } from "../document/index.ts"
import { openRecords } from "../document/open-document.ts"
import { pulseOf, RecordStretch } from "../document/record-stretch.ts"
import { isOfLines } from "../json/split-values.ts"
import { collectGarbage } from "./disk/collect-garbage.ts"
import { linesOf } from "./disk/lines-of.ts"

interface WindowOptions extends OpenOptions {
  /** Bytes after which a good place to end the stretch is looked for, and after which any place will do. */
  readonly bytes?: number
  readonly mostBytes?: number
}

/** From here on a file of lines is read in stretches. */
export const longFile = 64 << 20

/** Whether a file has at least as many bytes, and the lines for being read in stretches. */
export const isLongFile = async (path: string, fewest = longFile): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size < fewest) return false
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1 << 20), 0, 1 << 20, 0)
    return isOfLines(buffer.toString("utf8", 0, bytesRead))
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
