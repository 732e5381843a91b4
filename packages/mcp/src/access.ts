/**
 * Which files may be read. A session is named by its id, a part of it, or `latest`: those are looked up in the homes of agents. A path
 * must lead into one of the allowed folders, links followed: the model that asks may be doing what a file it has read told it to.
 */
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { isAbsolute, relative, resolve } from "node:path"
import { type McpOptions, ToolError } from "./options.ts"

const sessionName = /^[A-Za-z0-9][\w-]{3,}$/

const isWithin = (path: string, folder: string): boolean => {
  const below = relative(folder, path)
  return below === "" || (!below.startsWith("..") && !isAbsolute(below))
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)

const allowedPath = async (path: string, { folders, cwd }: McpOptions): Promise<string> => {
  const real = await realOf(resolve(cwd, path))
  // What is not there and what may not be seen get the same answer.
  for (const folder of real === undefined ? [] : folders) {
    const root = await realOf(folder)
    if (real !== undefined && root !== undefined && isWithin(real, root)) return real
  }
  throw new ToolError(
    `No session at this path, or not in an allowed folder. Name a session by its id (list and search give ids), by "latest", ` +
      `or by a path in the home of an agent or in a folder that the server was started with (--allow DIR).`,
  )
}

/** The argument for the command line that reads this session. */
export const sessionArgument = async (given: string, options: McpOptions): Promise<string> => {
  if (sessionName.test(given) && !existsSync(resolve(options.cwd, given))) return given
  if (given.startsWith("-")) throw new ToolError("A session is an id, a unique part of one, latest, or a path.")
  // FILE#ID: one session of a file with several.
  const at = given.lastIndexOf("#")
  if (at > 0 && !existsSync(resolve(options.cwd, given))) {
    return `${await allowedPath(given.slice(0, at), options)}${given.slice(at)}`
  }
  return allowedPath(given, options)
}

export const folderArgument = allowedPath
