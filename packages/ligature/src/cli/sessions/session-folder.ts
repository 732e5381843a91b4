/**
 * A session in another project folder: renamed, or from another machine. Agents note the folder in many records, by names that differ little;
 * what names the old folder, or a folder in it, names the new one. Whether it worked is what the session's own reader says.
 */
import { resolve } from "node:path"
import { isWire, LigatureError, phrase } from "../../model/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { Io } from "../frame/io.ts"
import { outlineOf } from "./examine.ts"

const fields: ReadonlySet<string> = new Set(["cwd", "directory", "folder", "workspaceDirectory", "working_dir", "workdir", "root"])

/** record → payload → path → cwd */
const deepest = 4

const moved = (value: unknown, from: string, to: string, depth: number): unknown => {
  if (depth > deepest) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => moved(item, from, to, depth))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isWire(value)) return value
  let changed: Record<string, unknown> | undefined
  for (const [key, field] of Object.entries(value)) {
    const isInside = typeof field === "string" && fields.has(key) && (field === from || field.startsWith(`${from}/`))
    const after = isInside ? `${to}${field.slice(from.length)}` : moved(field, from, to, depth + 1)
    if (after !== field) (changed ??= { ...value })[key] = after
  }
  return changed ?? value
}

/** The same value where the session is in that folder already. */
export const inFolder = (part: DocumentPart, value: unknown, folder: string, io: Io): unknown => {
  const from = outlineOf({ ...part, value })?.folder
  const to = resolve(io.cwd, folder)
  if (from === to) return value
  const after = from === undefined ? value : moved(value, from, to, 0)
  if (outlineOf({ ...part, value: after })?.folder === to) return after
  throw new LigatureError(
    "cannot-write",
    phrase`${part.format} does not say which folder a session belongs to, so --folder changes nothing.`,
  )
}
