/**
 * What a process that died while it removed a conversation leaves beside its log: the lease file, the checkpoint, and locks.
 * They have no contents of the conversation, but its name and who worked on it. Each is taken away under the conversation's lock and only
 * while there is no log, so that a conversation of the same name that is made meanwhile keeps its lease.
 */
import { join } from "node:path"
import type { FileLocks } from "./file-lock.ts"
import { attempt, type Files } from "./files.ts"
import { logSuffix } from "./folder-index.ts"

/** The name of a conversation's files without what says which of them it is: `<name>.lease`, `<name>.lock.<badge>`, … */
const leftover = /^(?<name>.+?)\.(?:lease|index|lock|lock\.(?:[0-9a-z]{20}|unreadable))$/

export const sweepLeftovers = async (files: Files, folder: string, locks: FileLocks): Promise<void> => {
  const names = files.names(folder)
  const logs = new Set(names.filter((name) => name.endsWith(logSuffix)))
  const orphans = new Map<string, string[]>()
  for (const file of names) {
    const name = leftover.exec(file)?.groups?.["name"]
    if (name === undefined || logs.has(`${name}${logSuffix}`)) continue
    const others = orphans.get(name)
    if (others) others.push(file)
    else orphans.set(name, [file])
  }
  for (const [name, left] of orphans) {
    const lock = join(folder, `${name}.lock`)
    // One that somebody holds is not left over.
    if (!(await takes(locks, lock))) continue
    try {
      if (files.exists(join(folder, `${name}${logSuffix}`))) continue
      for (const file of left) if (file !== `${name}.lock`) attempt(() => files.unlink(join(folder, file)))
    } finally {
      locks.release(lock)
    }
  }
}

const takes = async (locks: FileLocks, path: string): Promise<boolean> => {
  try {
    await locks.acquire(path)
    return true
  } catch {
    return false
  }
}
