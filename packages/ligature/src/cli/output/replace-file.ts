/** Puts new content into a file that may be somebody else's: with a copy of the original beside it, and not while it changes. */
import { LigatureError, phrase, translated } from "../../model/index.ts"
import { whyBusy } from "../../files/disk/read-bytes.ts"
import { type Content, holds, keepCopy, modeOfSources, type Original, removeFile, writeOutput } from "../input/files.ts"

/**
 * Returns the path of the copy. `original`: what was read of the file. An agent may have written to it in the meantime, and that must
 * not be overwritten.
 */
export const replaceFile = async (path: string, name: string, content: Content, original?: Original): Promise<string> => {
  const copy = await keepCopy(path)
  if (original !== undefined && !(await holds(copy, original))) {
    await removeFile(copy)
    throw new LigatureError(
      "cannot-write",
      phrase`${name} changed while it was read, so nothing was written. Try again when no process is writing to it.`,
    )
  }
  await writeOutput(path, content, await modeOfSources([path]))
  return copy
}

/** Throws while an agent may be writing its session. */
export const assertNotBusy = async (path: string, name: string): Promise<void> => {
  const busy = await whyBusy(path, Date.now())
  if (busy !== undefined)
    throw new LigatureError("cannot-write", phrase`${name} was not changed: ${translated(busy)}. Close the session and try again.`)
}
