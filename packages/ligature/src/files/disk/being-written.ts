/**
 * Is somebody writing this file? No agent locks its sessions, so two signs are looked at: a program that has the file
 * open for writing (where the system shows that), and a change a moment ago, because most agents open, append and close.
 */
import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises"

/** A session that was changed this recently may get its next line any moment. */
const restMs = 60_000

/** The programs that have the file open for writing, as far as this system tells; Linux does. */
const writersOf = async (path: string): Promise<readonly number[]> => {
  const processes = await readdir("/proc").catch((): string[] => [])
  const writers: number[] = []
  for (const name of processes) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    // Other people's processes may not be looked into; ours is the folder, so ours are the writers.
    const handles = await readdir(`/proc/${name}/fd`).catch((): string[] => [])
    for (const handle of handles) {
      const target = await readlink(`/proc/${name}/fd/${handle}`).catch(() => "")
      if (target !== path) continue
      const flags = /^flags:\s*(\d+)/m.exec(await readFile(`/proc/${name}/fdinfo/${handle}`, "utf8").catch(() => ""))?.[1]
      // The two lowest bits: 0 reads only, 1 writes, 2 does both.
      if (flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0) writers.push(Number(name))
    }
  }
  return writers
}

/** A sentence that says why the file must be left alone; undefined when it may be replaced. */
export const whyBusy = async (path: string, now: number): Promise<string | undefined> => {
  const file = await realpath(path).catch(() => path)
  const writers = await writersOf(file)
  if (writers.length > 0) return `process ${writers.join(", ")} has it open for writing`
  const found = await stat(file).catch(() => undefined)
  if (found !== undefined && now - found.mtimeMs < restMs) return "it was changed less than a minute ago"
  return undefined
}
