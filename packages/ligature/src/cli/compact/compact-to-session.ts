/** `ligature compact SESSION --to claude-code`: the compacted session in the place where its agent looks for it. */
import { resolve } from "node:path"
import { findCodec, fileValueOf, isSessionCodec, type SessionCodec } from "../../convert/index.ts"
import { LigatureError, phrase, shellFile } from "../../model/index.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { count } from "../frame/text.ts"
import { modeOfSources, writeOutput } from "../input/files.ts"
import { filePart } from "../input/source.ts"
import { fileText } from "../output/file-text.ts"
import { filesOf, formatNamed } from "../output/visit-sources.ts"
import { printResume, printSessionPlace } from "../print/session-place.ts"
import { installSession } from "../sessions/install-session.ts"
import { shortPath } from "../sessions/session-files.ts"
import { UsageError } from "../frame/usage-error.ts"
import { budgetOf, strategyOf, usualBudget } from "./compact-options.ts"
import { compactSession, loadSession, type LoadedSession } from "./compact-session.ts"

/** The session format that --to names, if it names one. */
export const sessionTarget = (context: Context): SessionCodec | undefined => {
  const named = context.arguments.text("to")
  const codec = named === undefined ? undefined : findCodec(named)
  return codec !== undefined && isSessionCodec(codec) ? codec : undefined
}

/** A format in which new sessions can be written. Default: that of the session. */
export const writableFor = ({ format }: LoadedSession, named: string | undefined): SessionCodec => {
  const codec = findCodec(formatNamed(named, "--to") ?? format)
  if (codec === undefined || !isSessionCodec(codec))
    throw new UsageError(phrase`${named ?? format} is not the session format of an agent`, phrase`For example: ${"--to claude-code"}`)
  if (codec.session.writes === "any") return codec
  throw new UsageError(phrase`${codec.title} sessions can be read but not written`, phrase`For example: ${"--to claude-code"}`)
}

const run = async (file: string, context: Context): Promise<ExitCode> => {
  const { arguments: given, err, io, sessions } = context
  const budget = budgetOf(context, { container: "session" })
  const strategy = strategyOf(context)
  const [goal, folder, out] = [given.text("goal"), given.text("folder"), given.text("out")]
  const isDry = given.flag("dry-run")
  const isMeant = given.flag("to") || given.flag("install")
  const loaded = await loadSession(file, typeof budget === "number" ? budget : usualBudget, context, (part) => {
    // Other files become requests, and these have no default.
    if (!isMeant) budgetOf(context, part)
  })
  const codec = writableFor(loaded, given.text("to"))
  const made = compactSession(loaded, {
    budget,
    to: codec.format,
    ...(strategy && { strategy }),
    ...(goal !== undefined && { goal }),
    folder: folder === undefined ? (loaded.writing.folder ?? io.cwd) : resolve(io.cwd, folder),
  })
  if (made.plan.outcome === "refused") throw new LigatureError("cannot-write", phrase`No view fits: ${made.plan.reason ?? ""}`)
  if (made.plan.outcome === "unchanged" && !loaded.isShortened && codec.format === loaded.format) {
    err.line(`${err.palette.good("✓")} ${phrase`It fits already, with ${count(made.before, "token")}: nothing was written.`}`)
    return 0
  }
  const text = fileText(made.value, codec)
  const source = resolve(io.cwd, filePart(file, io.cwd))
  const mode = await modeOfSources([source])
  const place = codec.session.place?.(fileValueOf(codec, made.value))
  const isInstalled = out === undefined && (given.flag("install") || sessions.has(file))
  if (isInstalled && place) {
    const { path, place: there } = await installSession(place, text, mode, io, isDry)
    err.line(isDry ? phrase`${shortPath(path, io)} would be written` : phrase`Written to ${shortPath(path, io)}`)
    printResume(there, err)
  } else {
    if (out === undefined || out === "-") {
      if (!isDry) context.out.write(text)
    } else if (!isDry) await writeOutput(resolve(io.cwd, out), text, mode)
    if (out !== undefined && out !== "-") err.line(isDry ? phrase`${out} would be written` : phrase`Written to ${out}`)
    if (place) printSessionPlace(place, err)
  }
  err.line(
    `${err.palette.good("✓")} ${phrase`${count(made.before, "token")} before, ${count(made.after, "token")} after (estimated); the original stays at ${shellFile(shortPath(source, io))}`}`,
  )
  return 0
}

/** Options about the request that a history becomes; a session has none of it. */
export const requestOptions: readonly string[] = [
  "explain",
  "json",
  "stats",
  "out-dir",
  "from",
  "branch",
  "view",
  "open-tip",
  "salvage",
  "for",
  "policy",
  "report",
]

export const compactToSession = async (context: Context): Promise<ExitCode> => {
  const files = filesOf(context, "compact")
  const [file] = files
  for (const option of requestOptions) {
    if (context.arguments.flag(option)) throw new UsageError(phrase`${`--${option}`} is for requests, and this writes a session`)
  }
  if (file === undefined || files.length > 1) throw new UsageError(phrase`Only one session can be compacted into a session at a time`)
  return run(file, context)
}
