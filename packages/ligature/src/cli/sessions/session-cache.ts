/**
 * What `doctor` and `list` found out about each file, kept in the user's cache folder, so that a second run reads only what changed. It
 * is a hint for what is shown: nothing is ever repaired or written because of it. It has titles of sessions, so only its owner may
 * read it. A cache that cannot be read or written is as good as none.
 */
import { type Stats, statSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { version } from "../../files/package-file.ts"
import type { Io } from "../frame/io.ts"

/** Raised when what is kept changes its meaning. */
const shape = 3

/** Files that are long gone are forgotten. */
const mostEntries = 20_000

const folderOf = ({ env }: Io, platform: NodeJS.Platform): string | undefined => {
  if (env["LIGATURE_CACHE"] === "off") return undefined
  if (env["LIGATURE_CACHE"] !== undefined) return env["LIGATURE_CACHE"]
  if (platform === "win32") return env["LOCALAPPDATA"] && join(env["LOCALAPPDATA"], "ligature", "cache")
  const home = env["HOME"]
  if (platform === "darwin") return home && join(home, "Library", "Caches", "ligature")
  return env["XDG_CACHE_HOME"] ? join(env["XDG_CACHE_HOME"], "ligature") : home && join(home, ".cache", "ligature")
}

interface Entry<Value> {
  readonly stamp: string
  readonly value: Value
}

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Changes when a file does. A database may have its newest rows in a second file. */
const stampOf = (path: string): string | undefined => {
  const found = statOf(path)
  if (found?.isFile() !== true) return undefined
  const log = statOf(`${path}-wal`)
  return [found.size, found.mtimeMs, found.ino, log?.size, log?.mtimeMs].join(":")
}

export class SessionCache<Value> {
  readonly #file: string | undefined
  readonly #entries: Map<string, Entry<Value>>
  #changed = false

  private constructor(file: string | undefined, entries: Map<string, Entry<Value>>) {
    this.#file = file
    this.#entries = entries
  }

  static async open<Value>(io: Io, platform = process.platform): Promise<SessionCache<Value>> {
    const folder = folderOf(io, platform)
    if (folder === undefined || folder === "") return new SessionCache<Value>(undefined, new Map())
    const file = join(folder, "sessions.json")
    try {
      const kept = JSON.parse(await readFile(file, "utf8")) as { readonly by?: string; readonly files?: Record<string, Entry<Value>> }
      if (kept.by === `${version()}/${shape}` && kept.files) return new SessionCache(file, new Map(Object.entries(kept.files)))
    } catch {
      // Missing, or not ours: it is rewritten.
    }
    return new SessionCache<Value>(file, new Map())
  }

  /** What is known about the file as it is now, or what `make` finds. */
  async get(path: string, make: () => Promise<Value>, keeps: (value: Value) => boolean): Promise<Value> {
    const stamp = this.#file === undefined ? undefined : stampOf(path)
    const kept = this.#entries.get(path)
    if (stamp !== undefined && kept?.stamp === stamp) return kept.value
    const value = await make()
    if (stamp !== undefined && keeps(value)) {
      this.#entries.delete(path)
      this.#entries.set(path, { stamp, value })
      this.#changed = true
    }
    return value
  }

  /** What is known, without looking into the file. */
  known(path: string): Value | undefined {
    const kept = this.#entries.get(path)
    return kept !== undefined && kept.stamp === stampOf(path) ? kept.value : undefined
  }

  async save(): Promise<void> {
    if (this.#file === undefined || !this.#changed) return
    const temporary = `${this.#file}.${process.pid}.tmp`
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await writeFile(
        temporary,
        JSON.stringify({ by: `${version()}/${shape}`, files: Object.fromEntries([...this.#entries].slice(-mostEntries)) }),
        { mode: 0o600 },
      )
      await rename(temporary, this.#file)
    } catch {
      // A read-only home: the next run reads the files again.
    }
  }
}
