/** Folders on the command line: the files in them that may contain a conversation, in a stable order. */
import { stat } from "node:fs/promises"
import { relative, resolve } from "node:path"
import { findUnder } from "../../files/find-sessions.ts"
import type { Io } from "../frame/io.ts"
import { isOwnStore } from "./own-store.ts"

export interface FoundFiles {
  readonly files: readonly string[]
  /** Whether the file was found in a folder, not named itself. */
  readonly isFound: (file: string) => boolean
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true

/** As short as a person would write it. */
const shown = (path: string, cwd: string): string => {
  const near = relative(cwd, path)
  return near.startsWith("..") ? path : near
}

/** Files of our own stores are skipped in a folder: they are read through the store. */
export const filesBelow = async (given: readonly string[], io: Io): Promise<FoundFiles> => {
  const files: string[] = []
  const found = new Set<string>()
  for (const name of given) {
    const path = resolve(io.cwd, name)
    if (name === "-" || !(await isFolder(path))) {
      files.push(name)
      continue
    }
    for await (const { path: inside } of findUnder(path)) {
      // A folder of events is one session: the folder itself is found then.
      const file = inside === path ? name : shown(inside, io.cwd)
      if (found.has(file) || (await isOwnStore(file, io))) continue
      found.add(file)
      files.push(file)
    }
  }
  return { files, isFound: (file) => found.has(file) }
}
