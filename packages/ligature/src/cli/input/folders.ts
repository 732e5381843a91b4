/** Folders among the files of a command line: what in them may hold a conversation, in a stable order. */
import { stat } from "node:fs/promises"
import { relative, resolve } from "node:path"
import { findUnder } from "../../files/find-sessions.ts"
import type { Io } from "../frame/io.ts"
import { isOwnStore } from "./own-store.ts"

export interface FoundFiles {
  readonly files: readonly string[]
  /** Whether nobody named the file: it was found in a folder. */
  readonly isFound: (file: string) => boolean
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true

/** As short as the person would name it. */
const shown = (path: string, cwd: string): string => {
  const near = relative(cwd, path)
  return near.startsWith("..") ? path : near
}

/** Files of our own stores are no histories of anybody else; in a folder they are left out. */
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
      // A folder of events is one session: then the folder itself is what was found.
      const file = inside === path ? name : shown(inside, io.cwd)
      if (found.has(file) || (await isOwnStore(file, io))) continue
      found.add(file)
      files.push(file)
    }
  }
  return { files, isFound: (file) => found.has(file) }
}
