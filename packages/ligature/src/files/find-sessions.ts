/**
 * The files that may hold sessions: in the homes of all known agents, or under given paths. Folders are walked in the
 * order of their names, so that two runs list the same files in the same order; links are not followed into circles.
 */
import type { Dirent } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { agentHomes, type Machine, maybeSession } from "./agents.ts"
import { isEventFile } from "./session-folders.ts"

export interface FoundFile {
  readonly path: string
  readonly bytes: number
  /** Whose home it lies in, where that is known. */
  readonly agent?: string
}

/** Folders that hold no sessions and may be vast. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "Cache", "CachedData", "blobs", "snapshot", "log"])

const byName = (left: Dirent, right: Dirent): number => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)

async function* filesBelow(folder: string): AsyncGenerator<{ readonly path: string; readonly name: string }> {
  // A folder that may not be read holds nothing for us; the others go on.
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  for (const entry of entries.sort(byName)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* filesBelow(path)
    } else if (entry.isFile()) yield { path, name: entry.name }
  }
}

/** Events in a folder are one session: the first of them stands for all. */
const isLaterEvent = (path: string, name: string, seen: Set<string>): boolean => {
  if (!isEventFile(name)) return false
  const folder = dirname(path)
  if (seen.has(folder)) return true
  seen.add(folder)
  return false
}

const withSize = async (path: string, agent: string | undefined): Promise<FoundFile | undefined> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return undefined
  return { path: isEventFile(path) ? dirname(path) : path, bytes: found.size, ...(agent !== undefined && { agent }) }
}

export async function* findInHomes(machine: Machine): AsyncGenerator<FoundFile> {
  const seen = new Set<string>()
  for (const { agent, folders, files } of agentHomes(machine)) {
    for (const folder of folders) {
      for await (const { path, name } of filesBelow(folder)) {
        if (isLaterEvent(path, name, seen)) continue
        const found = files.test(name) ? await withSize(path, agent) : undefined
        if (found) yield found
      }
    }
  }
}

/** A file is taken by its word; below a folder, names decide what is looked at. */
export async function* findUnder(path: string): AsyncGenerator<FoundFile> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) {
    const file = await withSize(path, undefined)
    if (file) yield file
    return
  }
  const seen = new Set<string>()
  for await (const { path: inside, name } of filesBelow(path)) {
    if (isLaterEvent(inside, name, seen)) continue
    const file = maybeSession.test(name) ? await withSize(inside, undefined) : undefined
    if (file) yield file
  }
}
