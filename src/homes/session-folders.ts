/**
 * Sessions that are spread over many files. OpenHands writes one file per event; older opencode one per message and one
 * per part of it. They are gathered into the one value that the agent's own export would hold.
 */
import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { isWire, type Wire } from "../model/index.ts"

const eventFile = /^event-\d+-.*\.json$/

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch((): string[] => [])).sort()

/** The events of a folder, in the order of their numbers, one per line; undefined where there are none. */
export const eventLines = async (folder: string): Promise<Uint8Array | undefined> => {
  const names = (await namesIn(folder)).filter((name) => eventFile.test(name))
  if (names.length === 0) return undefined
  const events: Buffer[] = []
  for (const name of names) {
    const text = await readFile(join(folder, name), "utf8")
    // An event that is printed over several lines has to stand on one.
    events.push(Buffer.from(`${text.trim().replaceAll(/\r?\n\s*/g, " ")}\n`))
  }
  return Buffer.concat(events)
}

/** Whether a file is one event of many, so that its folder is the session. */
export const isEventFile = (path: string): boolean => eventFile.test(basename(path))

const parsed = async (path: string): Promise<Wire | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"))
    return isWire(value) ? value : undefined
  } catch {
    // A file that was half-written when the machine went down; the others are whole.
    return undefined
  }
}

const valuesIn = async (folder: string, start: string): Promise<readonly Wire[]> => {
  const values: Wire[] = []
  for (const name of await namesIn(folder)) {
    const value = name.startsWith(start) && name.endsWith(".json") ? await parsed(join(folder, name)) : undefined
    if (value) values.push(value)
  }
  return values
}

/**
 * `storage/session/PROJECT/ses_X.json` with the messages and parts beside it, as an export says it; undefined where the
 * file is no such thing. Ids are sorted by time, and files are named by their ids.
 */
export const opencodeExport = async (path: string): Promise<Uint8Array | undefined> => {
  const session = basename(path, ".json")
  if (!session.startsWith("ses_")) return undefined
  const storage = dirname(dirname(dirname(path)))
  const infos = await valuesIn(join(storage, "message", session), "msg_")
  const info = infos.length === 0 ? undefined : await parsed(path)
  if (info === undefined) return undefined
  const messages: Wire[] = []
  for (const message of infos) {
    messages.push({ info: message, parts: await valuesIn(join(storage, "part", String(message["id"])), "prt_") })
  }
  return Buffer.from(JSON.stringify({ info, messages }))
}
