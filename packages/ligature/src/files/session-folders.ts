/**
 * Sessions that are spread over many files. OpenHands writes one file per event; older opencode one per message and one
 * per part of it. They are gathered into the one value that the agent's own export would hold.
 */
import { readdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { isWire, type Wire } from "../model/index.ts"
import { assertFits, readTextFile } from "./disk/read-bytes.ts"

const eventFile = /^event-\d+-.*\.json$/

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch((): string[] => [])).sort()

/** The events of a folder, in the order of their numbers, one per line; undefined where there are none. */
export const eventLines = async (folder: string): Promise<Uint8Array | undefined> => {
  const names = (await namesIn(folder)).filter((name) => eventFile.test(name))
  if (names.length === 0) return undefined
  const events: Buffer[] = []
  let bytes = 0
  for (const name of names) {
    const text = await readTextFile(join(folder, name))
    if (text === undefined) continue
    // An event that is printed over several lines has to stand on one.
    const event = Buffer.from(`${text.trim().replaceAll(/\r?\n\s*/g, " ")}\n`)
    bytes += event.length
    assertFits(bytes, "The events of the session have at least")
    events.push(event)
  }
  return Buffer.concat(events)
}

/** Whether a file is one event of many, so that its folder is the session. */
export const isEventFile = (path: string): boolean => eventFile.test(basename(path))

/** Adds up what was read, and fails where it would be too much. */
type Count = (characters: number) => void

const parsed = async (path: string, count: Count): Promise<Wire | undefined> => {
  const text = (await readTextFile(path)) ?? ""
  count(text.length)
  try {
    const value: unknown = JSON.parse(text)
    return isWire(value) ? value : undefined
  } catch {
    // A file that was half-written when the machine went down; the others are whole.
    return undefined
  }
}

const valuesIn = async (folder: string, start: string, count: Count): Promise<readonly Wire[]> => {
  const values: Wire[] = []
  for (const name of await namesIn(folder)) {
    const value = name.startsWith(start) && name.endsWith(".json") ? await parsed(join(folder, name), count) : undefined
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
  let bytes = 0
  const count: Count = (more) => assertFits((bytes += more), "The messages of the session have at least")
  const infos = await valuesIn(join(storage, "message", session), "msg_", count)
  const info = infos.length === 0 ? undefined : await parsed(path, count)
  if (info === undefined) return undefined
  const messages: Wire[] = []
  for (const message of infos) {
    // An id that is no name of a folder would lead out of the session, into files of others.
    const id = String(message["id"])
    const parts = basename(id) === id && id !== ".." ? await valuesIn(join(storage, "part", id), "prt_", count) : []
    messages.push({ info: message, parts })
  }
  return Buffer.from(JSON.stringify({ info, messages }))
}
