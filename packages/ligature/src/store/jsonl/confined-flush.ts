/**
 * Flushing under Node's permission model (`--permission`). It takes away every call that flushes an open file by its number,
 * and leaves those of file handles, which are opened by name and so are subject to its rules. Flushing any opening of a file
 * flushes all that was written to it, so the file is opened once more for the purpose.
 */
import { fstatSync } from "node:fs"
import { open } from "node:fs/promises"

export const isConfined = (): boolean => (process as { readonly permission?: unknown }).permission !== undefined

/** The names under which files were opened, by their numbers. Empty without the permission model: nobody asks then. */
const names = new Map<number, string>()

export const remember = (file: number, path: string): void => {
  if (isConfined()) names.set(file, path)
}

export const forget = (file: number): void => void names.delete(file)

/** Should handles lose their calls too, nothing can be promised any more, and nothing is. */
const explain = (error: unknown): unknown => {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_ACCESS_DENIED") return error
  const what = "Node's permission model does not let anything be flushed to the disk here"
  return Object.assign(new Error(`${what} (${error.message})`, { cause: error }), { code: error.code })
}

export const flushByName = async (file: number): Promise<void> => {
  const path = names.get(file) ?? ""
  const handle = await open(path, "r+").catch((error: unknown) => {
    throw explain(error)
  })
  try {
    const [named, opened] = [await handle.stat(), fstatSync(file)]
    if (named.ino !== opened.ino || named.dev !== opened.dev) throw new Error(`${path} was replaced while it was written`)
    await handle.datasync()
  } catch (error) {
    throw explain(error)
  } finally {
    await handle.close()
  }
}

export const flushFolderByName = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } catch (error) {
    throw explain(error)
  } finally {
    await handle.close()
  }
}
