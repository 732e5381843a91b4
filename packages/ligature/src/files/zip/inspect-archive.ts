/**
 * A log of Inspect AI as `.eval`: a zip archive of what the same log as JSON has in one value. `header.json` is written at the
 * end, so that a run that goes on or died has only the start in its journal.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { readZip, type ZipEntry } from "./read-zip.ts"

const sample = /^samples\/.+\.json$/

const parsed = (entry: ZipEntry | undefined): Wire => {
  if (entry === undefined) return {}
  try {
    const value: unknown = JSON.parse(entry.bytes().toString("utf8"))
    return isWire(value) ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The log as JSON text; undefined for an archive of anything else. */
export const inspectArchive = (input: Uint8Array, most: number): Buffer | undefined => {
  const entries = readZip(input, most)
  const named = (name: string): ZipEntry | undefined => entries.find((entry) => entry.name === name)
  const header = named("header.json")
  const start = named("_journal/start.json")
  if (!header && !start) return undefined
  const about = parsed(header ?? start)
  if (!isWire(about["eval"])) return undefined
  const { samples: _, ...rest } = about
  const texts = entries.filter(({ name }) => sample.test(name)).map((entry) => entry.bytes().toString("utf8"))
  // A sample that was being written when the run died.
  const whole = texts.filter(isJson)
  const head = JSON.stringify({ ...(!header && { status: "started" }), ...rest })
  return Buffer.from(`${head.slice(0, -1)},"samples":[${whole.join(",")}]}`)
}
