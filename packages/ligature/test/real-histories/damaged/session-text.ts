/**
 * A session file taken apart into the texts of its records (JSON lines) or messages (one JSON value), so that damage
 * can be done to single ones and everybody knows afterwards which are still whole.
 */

export interface Entry {
  /** What is before the record: the key, where messages are members of an object. */
  readonly lead: string
  readonly text: string
  /** The text is whole JSON and is where a reader can get at it. */
  readonly whole: boolean
  /** What is after it: a line break, or nothing where two lines are glued. Of JSON lines only. */
  readonly after: string
}

export interface SessionText {
  readonly kind: "lines" | "value"
  readonly head: string
  readonly entries: readonly Entry[]
  readonly tail: string
}

type Json = Readonly<Record<string, unknown>>

/** Stands for bytes that are no UTF-8, until the text becomes bytes. */
export const invalidBytes = "\uE0FF"

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where the messages are, by folder of the corpus. */
const listPaths: Readonly<Record<string, readonly (string | number)[]>> = {
  "cline-api": [],
  continue: ["history"],
  "gemini-cli": ["messages"],
  "opencode-export": ["messages"],
  "swe-agent": ["history"],
  "tau-bench": [0, "traj"],
  tau2: ["simulations", 0, "messages"],
  "open-webui": ["history", "messages"],
}

const sessionsKept = 2

/** Benchmarks hold dozens of sessions in one file; two show whatever damage to one of them can do to another. */
const withFewSessions = (folder: string, root: unknown): unknown => {
  if (folder === "tau-bench" && Array.isArray(root)) return root.slice(0, sessionsKept)
  if (folder !== "tau2" || !isObject(root) || !Array.isArray(root["simulations"])) return root
  return { ...root, simulations: root["simulations"].slice(0, sessionsKept) }
}

const at = (root: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[key], root)

const placed = (root: unknown, path: readonly (string | number)[], value: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (Array.isArray(root)) {
    return root.map((element: unknown, index) => (index === key ? placed(element, rest, value) : element))
  }
  return { ...(root as Json), [key]: placed((root as Json)[key], rest, value) }
}

const mark = "\uE000list\uE000"

const takenApart = (folder: string, root: unknown): SessionText | undefined => {
  // A simulation may be a file of its own.
  const path = folder === "tau2" && isObject(root) && Array.isArray(root["messages"]) ? ["messages"] : listPaths[folder]
  if (path === undefined) return undefined
  const list = at(root, path)
  if (typeof list !== "object" || list === null) return undefined
  const [head = "", tail = ""] = JSON.stringify(placed(root, path, mark), undefined, 1).split(JSON.stringify(mark))
  const entry = (value: unknown, lead = ""): Entry => ({ lead, text: JSON.stringify(value), whole: true, after: "" })
  if (Array.isArray(list)) {
    return { kind: "value", head: `${head}[\n`, entries: list.map((value) => entry(value)), tail: `\n]${tail}` }
  }
  const entries = Object.entries(list).map(([key, value]) => entry(value, `${JSON.stringify(key)}: `))
  return { kind: "value", head: `${head}{\n`, entries, tail: `\n}${tail}` }
}

export const takeApart = (folder: string, text: string): SessionText | undefined => {
  const root = parsed(text)
  if (isObject(root) || Array.isArray(root)) {
    const value = takenApart(folder, withFewSessions(folder, root))
    if (value !== undefined) return value
  }
  const entries = text
    .split("\n")
    .flatMap((line): Entry[] => (line.trim() === "" ? [] : [{ lead: "", text: line, whole: isObject(parsed(line)), after: "\n" }]))
  return entries.some(({ whole }) => whole) ? { kind: "lines", head: "", entries, tail: "" } : undefined
}

export const textOf = ({ kind, head, entries, tail }: SessionText): string =>
  kind === "lines"
    ? `${head}${entries.map(({ text, after }) => text + after).join("")}${tail}`
    : `${head}${entries.map(({ lead, text }) => lead + text).join(",\n")}${tail}`

export const bytesOf = (session: SessionText): Uint8Array => {
  const pieces = textOf(session).split(invalidBytes)
  const between = Buffer.from([0xc3, 0x28, 0xff])
  return Buffer.concat(pieces.flatMap((piece, index) => (index > 0 ? [between] : []).concat(Buffer.from(piece))))
}

/** The line on which each entry starts, one-based. */
export const linesOf = ({ kind, head, entries }: SessionText): readonly number[] => {
  let line = head.split("\n").length
  return entries.map(({ text, after }) => {
    const here = line + (/^[\s\0\uFEFF]*/.exec(text)?.[0].split("\n").length ?? 1) - 1
    line += text.split("\n").length - 1 + (kind === "lines" ? after.split("\n").length - 1 : 1)
    return here
  })
}
