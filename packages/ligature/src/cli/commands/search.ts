/** `ligature search`: a text in the sessions of all agents, newest first, each match with the handle that shows its surroundings. */
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { recall } from "../../compact/index.ts"
import { findUnder, type FoundFile } from "../../files/find-sessions.ts"
import { LigatureError, phrase, shellFile } from "../../model/index.ts"
import { settle } from "../../rules/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { count, cut } from "../frame/text.ts"
import { UsageError } from "../frame/usage-error.ts"
import { Source } from "../input/source.ts"
import { printJson } from "../print/json.ts"
import { Progress } from "../print/progress.ts"
import { describeSession } from "../print/session-lines.ts"
import { identityOfSession, outlineOf } from "../sessions/examine.ts"
import { nearPath, sessionsInHomes, shortPath } from "../sessions/session-files.ts"
import { filterOptions, SessionFilter } from "../sessions/session-filter.ts"
import { argumentFor, fileOf, namesIn, newestFirst } from "../sessions/session-name.ts"

const usualLimit = 10
/** Of each session, so many characters of matches are shown: `ligature recall` pages through all of them. */
const shownCharacters = 1200

const limitOf = ({ arguments: given }: Context): number => {
  const text = given.text("limit")
  if (text === undefined) return usualLimit
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new UsageError(phrase`--limit is a number of sessions, not ${text}`)
}

/**
 * A part of the text that is in a file as it is, whatever escapes the file uses; undefined where nothing is sure. Files that
 * do not have it need not be read as sessions.
 */
const surePart = (text: string): string | undefined =>
  text
    .match(/[A-Za-z0-9_]{2,}/g)
    ?.reduce((longest, each) => (each.length > longest.length ? each : longest), "")
    .toLowerCase()

const chunkBytes = 4 << 20

/** Whether a plain file has the part somewhere; of other files (databases, packed ones, many in one) nothing is known, so they may. */
const mayHave = async (file: FoundFile, part: string | undefined): Promise<boolean> => {
  if (part === undefined || file.isGathered || !/\.(?:jsonl?|ndjson)$/.test(file.path)) return true
  const opened = await open(file.path, "r")
  try {
    const buffer = Buffer.alloc(Math.min(chunkBytes, Math.max(file.bytes, 1)) + part.length)
    let kept = 0
    for (;;) {
      const { bytesRead } = await opened.read(buffer, kept, buffer.length - kept, null)
      if (bytesRead === 0) return false
      const end = kept + bytesRead
      if (buffer.toString("latin1", 0, end).toLowerCase().includes(part)) return true
      // The part may lie across two reads.
      kept = Math.min(part.length - 1, end)
      buffer.copy(buffer, 0, end - kept, end)
    }
  } finally {
    await opened.close()
  }
}

interface Hit {
  readonly found: FoundSession
  readonly text: string
  /** Where to go on in this session. */
  readonly next?: string
}

const hitsIn = async (file: FoundFile, text: string, filter: SessionFilter, { io }: Context): Promise<readonly Hit[]> => {
  const source = await Source.read(file.path, {}, io)
  return source.parts.flatMap((part): readonly Hit[] => {
    const session = identityOfSession(part, outlineOf(part))
    if (session.isSubagent === true || !filter.takes(session)) return []
    const { conversation } = settle(source.transcript(part), { tip: "open" })
    const recalled = recall.read(conversation, { search: text }, { limitCharacters: shownCharacters })
    if (!recalled.found) return []
    const found = { file, session, isOneOfMany: source.parts.length > 1 }
    return [{ found, text: recalled.text, ...(recalled.next !== undefined && { next: recalled.next }) }]
  })
}

const filesFor = async ({ arguments: given, io }: Context): Promise<readonly FoundFile[]> => {
  const folders = given.list("in")
  if (folders.length === 0) return sessionsInHomes(io)
  const found: FoundFile[] = []
  for (const path of folders) for await (const file of findUnder(resolve(io.cwd, path))) found.push(file)
  return found
}

const run = async (context: Context): Promise<ExitCode> => {
  const { out, err, io, status, arguments: given } = context
  const text = given.positionals.join(" ")
  if (text.trim() === "") throw new UsageError(phrase`search needs a text`, phrase`For example: ${"ligature search ECONNREFUSED"}`)
  const filter = new SessionFilter(context)
  const limit = limitOf(context)
  const all = await filesFor(context)
  const files = all.filter((file) => filter.admits(file)).toSorted((left, right) => newestFirst({ file: left }, { file: right }))
  const part = surePart(text)
  const progress = new Progress(status, files.length)
  let hits: readonly Hit[] = []
  let looked = 0
  let unreadable = 0
  for (const file of files) {
    if (hits.length >= limit) break
    progress.show(looked++, shortPath(file.path, io))
    try {
      if (await mayHave(file, part)) hits = [...hits, ...(await hitsIn(file, text, filter, context))].slice(0, limit)
    } catch (error) {
      // One file that cannot be read (too large, gone, damaged) must not hide what is in the others.
      if (!LigatureError.is(error) && !(error instanceof Error && "code" in error)) throw error
      unreadable++
    }
  }
  status.clear()
  const left = files.length - looked
  const code: ExitCode = hits.length > 0 ? 0 : 1
  if (given.flag("json")) {
    const sessions = hits.map(({ found: { file, session }, text: matches, next }) => ({
      file: nearPath(file.path, io),
      modified: new Date(file.modified).toISOString(),
      ...session,
      matches: matches.split("\n"),
      ...(next !== undefined && { next }),
    }))
    printJson("search", code, { text, sessions, files: looked, unreadable, left }, out)
    return code
  }
  const names = all.map((file) => namesIn(file))
  for (const { found, text: matches } of hits) {
    const path = nearPath(fileOf(found), io)
    const name = given.list("in").length === 0 ? argumentFor(found, names, shellFile(path)) : shellFile(path)
    out.line(out.palette.strong(cut(describeSession(found, io), out.width)))
    for (const line of matches.split("\n")) out.line(cut(`  ${line}`, out.width))
    out.whole(`  ${out.palette.accent(`ligature recall ${name} --search ${shellFile(text)}`)}`)
    out.line()
  }
  if (hits.length === 0) out.line(phrase`No session has this text.`)
  const notes = [
    ...(left > 0 ? [phrase`${count(left, "older file")} not looked at; --limit N shows more sessions`] : []),
    ...(unreadable > 0 ? [phrase`${count(unreadable, "file")} could not be read: ${"ligature doctor"}`] : []),
  ]
  for (const note of notes) err.line(err.palette.quiet(note))
  return code
}

export const search: Command = {
  summary: "find a text in the sessions of all agents",
  usage: "TEXT [--agent NAME] [--since WHEN] [--project DIR] [--in PATH]… [--limit N] [--json]",
  help: `Searches messages, arguments and results of tool calls, ignoring case, newest sessions first. Each match has a handle:
ligature recall SESSION HANDLE reads its surroundings. Exit code 1: nothing was found.`,
  options: [
    ...filterOptions,
    { name: "in", value: "PATH", repeatable: true, text: "search this file or folder instead of the homes of agents; repeatable" },
    { name: "limit", value: "N", text: "show at most N sessions (default 10)" },
    jsonOption,
  ],
  examples: [
    ["ligature search ECONNREFUSED", "where did this error occur before?"],
    ['ligature search "npm publish" --agent claude-code --since 4w', "of one agent, of four weeks"],
  ],
  run,
}
