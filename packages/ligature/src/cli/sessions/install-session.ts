/** Puts a written session where its agent looks for it. Nothing that is there is ever overwritten. */
import { stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { LigatureError, phrase, shellFile } from "../../model/index.ts"
import type { SessionPlace } from "../../formats/engine/session.ts"
import { homeFolders } from "../../files/find-sessions.ts"
import type { Io } from "../frame/io.ts"
import { type Content, holds, makeFolder, writeOutput } from "../input/files.ts"
import { homeOf } from "./session-files.ts"

/** The path on this machine; undefined where a person has to fill something in. */
export const pathOnThisMachine = ({ path }: SessionPlace, io: Io): string | undefined => {
  if (path.includes("<")) return undefined
  if (!path.startsWith("~/")) return resolve(io.cwd, path)
  const below = path.slice(2)
  for (const [folder, variable] of homeFolders) {
    const moved = io.env[variable]
    if (moved !== undefined && moved !== "" && below.startsWith(`${folder}/`)) return join(moved, below.slice(folder.length + 1))
  }
  return join(homeOf(io), below)
}

export interface Installed {
  readonly path: string
  /** The same session was there already. */
  readonly wasThere: boolean
  /** Where it is, with a command that works in every folder. */
  readonly place: SessionPlace
}

/** A command that names a file of the current folder names it whole: it is often run in the folder of the session. */
const placeAt = (place: SessionPlace, path: string): SessionPlace =>
  isAbsolute(place.path) || place.path.startsWith("~/")
    ? place
    : { ...place, path, resume: place.resume.replace(place.path, () => shellFile(path)) }

/** The place as it will be once the session is installed. */
export const placeHere = (place: SessionPlace, io: Io): SessionPlace => placeAt(place, pathOnThisMachine(place, io) ?? place.path)

/** `mode`: the most permissive mode, see `modeOfSources`. With `isDry` nothing is written. */
export const installSession = async (place: SessionPlace, content: Content, mode: number, io: Io, isDry: boolean): Promise<Installed> => {
  const path = pathOnThisMachine(place, io)
  if (path === undefined)
    throw new LigatureError(
      "cannot-write",
      phrase`This agent's folder is not known here (${place.path}). ligature convert with -o FILE writes the file; put it there.`,
    )
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    if (await holds(path, content).catch(() => false)) return { path, wasThere: true, place: placeAt(place, path) }
    throw new LigatureError("cannot-write", phrase`${path} already exists and is not overwritten.`)
  }
  if (!isDry) {
    await makeFolder(dirname(path), mode)
    await writeOutput(path, content, mode, { isOurs: true })
    for (const [name, text] of Object.entries(place.beside?.(path) ?? {})) {
      // By its name alone: nothing leads out of the folder of the session.
      const beside = join(dirname(path), basename(name))
      if ((await stat(beside).catch(() => undefined)) === undefined) await writeOutput(beside, text, mode, { isOurs: true })
    }
  }
  return { path, wasThere: false, place: placeAt(place, path) }
}
