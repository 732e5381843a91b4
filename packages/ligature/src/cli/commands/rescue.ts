/** `ligature rescue`: one session that does not go on, made to go on. Diagnosed, repaired, compacted where it is too large, in its own format. */
import { readdir, rename, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { decode, findCodec, fileValueOf, isSessionCodec, repair as repairValue } from "../../convert/index.ts"
import { LigatureError, phrase, type ReportEntry, shellFile, shellOption, translated } from "../../model/index.ts"
import { settle } from "../../rules/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import { isDatabase } from "../../files/open-file.ts"
import { whyBusy } from "../../files/disk/read-bytes.ts"
import type { SessionPlace } from "../../formats/engine/session.ts"
import { compactSession, loadSession } from "../compact/compact-session.ts"
import { tokensOf, usualMost } from "../sessions/next-request.ts"
import { budgetOf } from "../compact/compact-options.ts"
import { type Command, type Context, type ExitCode, dryRunOption, folderOption, jsonOption, policyOption } from "../frame/command.ts"
import type { Io } from "../frame/io.ts"
import { policiesOf } from "../frame/settings.ts"
import { count, hang, pad, wrap } from "../frame/text.ts"
import { UsageError } from "../frame/usage-error.ts"
import { modeOfSources } from "../input/files.ts"
import { Source } from "../input/source.ts"
import { fileText } from "../output/file-text.ts"
import { countedByRule } from "../output/report.ts"
import { assertNotBusy, replaceFile } from "../output/replace-file.ts"
import { printJson } from "../print/json.ts"
import { printResume } from "../print/session-place.ts"
import { type ChosenSession, chosenSession, onlySession } from "../output/chosen-session.ts"
import { copyOf, outlineOf, placeInDatabase, placeOf } from "../sessions/examine.ts"
import { installSession, pathOnThisMachine, placeHere } from "../sessions/install-session.ts"
import { nearPath, shortPath } from "../sessions/session-files.ts"
import { inFolder } from "../sessions/session-folder.ts"

/** One thing that is done, and how. `write` is called with --apply only, in order; it returns what was written. */
interface Step {
  readonly name: string
  readonly what: string
  readonly write?: () => Promise<string>
}

interface Diagnosis {
  readonly steps: readonly Step[]
  readonly before: number
  readonly after: number
  readonly place: SessionPlace | undefined
}

const mostOf = ({ arguments: given }: Context): number => {
  const text = given.text("most")
  if (text === undefined) return usualMost
  const most = /^(\d+)k?$/.exec(text)
  if (most) return Number(most[1]) * (text.endsWith("k") ? 1000 : 1)
  throw new UsageError(phrase`--most is a number of tokens, not ${text}`, phrase`For example: ${"--most 150k"}`)
}

const budgetFor = (context: Context): number => {
  const budget = budgetOf(context, { container: "session" })
  if (typeof budget === "number") return budget
  throw new UsageError(phrase`--budget of rescue is a number of tokens`)
}

class Rescue {
  readonly #context: Context
  readonly #chosen: ChosenSession
  readonly #steps: Step[] = []
  /** Tokens that are sent after a repair. */
  #sent: number | undefined

  constructor(context: Context, chosen: ChosenSession) {
    this.#context = context
    this.#chosen = chosen
  }

  /** A session that is too large is rewritten, and what is damaged in it is repaired on the way. */
  async diagnose(): Promise<Diagnosis> {
    const { io } = this.#context
    const { file, path } = this.#chosen
    const budget = budgetFor(this.#context)
    const loaded = await loadSession(file, budget, this.#context)
    const before = loaded.tokens
    const codec = findCodec(loaded.format)
    if (codec === undefined || !isSessionCodec(codec))
      throw new LigatureError("cannot-read", phrase`${file} is not the session of an agent.`)
    const folder = this.#folder(loaded.writing.folder)
    if (before <= mostOf(this.#context) && !loaded.isShortened) {
      const place = await this.#repair(loaded.writing.folder)
      return { steps: this.#steps, before, after: this.#sent ?? before, place }
    }
    if (codec.session.writes !== "any") {
      const what = phrase`${count(before, "token")} are too many, but new ${codec.session.agent} sessions cannot be written. ligature move continues it in another agent.`
      this.#steps.push({ name: phrase`compact`, what })
      return { steps: this.#steps, before, after: before, place: undefined }
    }
    const made = compactSession(loaded, { budget, to: codec.format, ...(folder !== undefined && { folder }) })
    if (made.plan.outcome === "refused") throw new LigatureError("cannot-write", phrase`No view fits: ${made.plan.reason ?? ""}`)
    const text = fileText(made.value, codec)
    const newPlace = codec.session.place?.(fileValueOf(codec, made.value))
    const after = tokensOf(made.view)
    this.#steps.push({
      name: phrase`compact`,
      what: phrase`${count(before, "token")} become ${count(after, "token")}, in a new session; the original stays at ${shellFile(shortPath(path, io))}`,
      ...(newPlace && {
        write: async () => {
          const { path: written } = await installSession(newPlace, text, await modeOfSources([path]), io, false)
          return phrase`Written to ${shortPath(written, io)}`
        },
      }),
    })
    await this.#checkFolder(loaded.writing.folder)
    return { steps: this.#steps, before, after, place: newPlace && placeHere(newPlace, io) }
  }

  #folder(own: string | undefined): string | undefined {
    const named = this.#context.arguments.text("folder")
    return named === undefined ? own : resolve(this.#context.io.cwd, named)
  }

  /** A session of a folder that is gone is not listed by agents that go by folders. */
  async #checkFolder(folder: string | undefined): Promise<void> {
    if (folder === undefined || this.#context.arguments.flag("folder")) return
    if ((await stat(folder).catch(() => undefined)) !== undefined) return
    const { file, found } = this.#chosen
    const command = `ligature rescue ${shellFile(found?.session.id ?? file)} --folder DIR --apply`
    this.#steps.push({ name: phrase`folder`, what: phrase`${folder} does not exist here. If the project is in DIR now: ${command}` })
  }

  /** Returns where the repaired session is opened. */
  async #repair(folder: string | undefined): Promise<SessionPlace | undefined> {
    const { io } = this.#context
    const { file } = this.#chosen
    const source = await Source.read(file, {}, io, { onProgress: () => {} })
    const part = onlySession(source, file)
    const place = await this.#repairPart(source, part)
    if (canMove(part, io)) await this.#checkFolder(folder)
    return place
  }

  async #repairPart(source: Source, part: DocumentPart): Promise<SessionPlace | undefined> {
    const { io, arguments: given } = this.#context
    const { path } = this.#chosen
    const codec = findCodec(part.format)
    if (codec !== undefined && isSessionCodec(codec) && codec.session.writes === "none") {
      const { report } = settle(source.transcript(part), { tip: "closed" })
      const what = phrase`sessions of ${codec.session.agent} are only read. ligature move continues it in another agent.`
      if (report.entries.length > 0) this.#steps.push({ name: phrase`repair`, what })
      return placeInDatabase(part)
    }
    const { value, report } = repairValue(part.value, {
      ...source.decodeOptions(part),
      policies: policiesOf(this.#context),
      from: part.format,
    })
    const folder = given.text("folder")
    const moved = folder === undefined ? value : inFolder(part, value, folder, io)
    const isRepaired = report.entries.length > 0 || source.isTorn || source.isPartial
    if (isRepaired)
      this.#sent = tokensOf(settle(decode(part.format, value, { ...source.decodeOptions(part), view: "effective" })).conversation)
    if (source.derived !== undefined) {
      return isRepaired || moved !== part.value ? this.#copy(source.derived, part, moved, report.entries) : placeInDatabase(part)
    }
    if (!isRepaired && moved === part.value) return placeOf(part, part.value)
    const content = source.rebuilt(new Map([[part, moved]]))
    source.assertReads(content)
    const place = placeOf(part, moved)
    if (isRepaired) {
      const changes = phrase`${count(report.entries.length, "change")} (${countedByRule(report.entries)})`
      const damaged = source.isTorn ? phrase`damaged lines are left out` : phrase`what can be read of the file is kept`
      this.#steps.push({ name: phrase`repair`, what: report.entries.length === 0 ? damaged : changes })
    }
    const after = moved === value ? undefined : outlineOf({ ...part, value: moved })?.folder
    if (after !== undefined) this.#steps.push({ name: phrase`folder`, what: phrase`the session belongs to ${after} from now on` })
    const last = this.#steps.at(-1)
    const write = async (): Promise<string> => {
      const elsewhere = after !== undefined && place && this.#chosen.found ? pathOnThisMachine(place, io) : undefined
      if (place && elsewhere !== undefined && elsewhere !== path) {
        await installSession(place, source.output(content), await modeOfSources([path]), io, false)
        return phrase`Written to ${shortPath(elsewhere, io)}; the original stays at ${shortPath(path, io)}`
      }
      const backup = await replaceFile(path, path, source.output(content), source.original)
      return phrase`${shortPath(path, io)}: repaired; the original is ${basename(backup)}`
    }
    if (last) this.#steps[this.#steps.length - 1] = { ...last, write }
    return place
  }

  /** A database is only read: the repaired session becomes one more in it, where its agent imports sessions. */
  #copy(derived: string, part: DocumentPart, value: unknown, entries: readonly ReportEntry[]): SessionPlace | undefined {
    const { io } = this.#context
    const copied = copyOf(part, value)
    if (copied === undefined) {
      const what = phrase`it is ${derived}, which is only read. ligature move continues it in another agent.`
      this.#steps.push({ name: phrase`repair`, what })
      return placeInDatabase(part)
    }
    const place = placeOf(part, copied)
    const rules = entries.length === 0 ? phrase`folder` : countedByRule(entries)
    this.#steps.push({
      name: phrase`repair`,
      what: phrase`${count(entries.length, "change")} (${rules}), in a new session: it is ${derived}, which is only read`,
      ...(place && {
        write: async () => {
          const { path: written } = await installSession(place, `${JSON.stringify(copied, null, 2)}\n`, 0o600, io, false)
          return phrase`Written to ${shortPath(written, io)}`
        },
      }),
    })
    return place && placeHere(place, io)
  }
}

/** Whether the session can be filed under another folder. */
const canMove = (part: DocumentPart, io: Io): boolean => {
  const codec = findCodec(part.format)
  if (codec === undefined || !isSessionCodec(codec) || codec.session.writes === "none") return false
  try {
    inFolder(part, part.value, "ligature-elsewhere", io)
    return true
  } catch (error) {
    if (LigatureError.is(error)) return false
    throw error
  }
}

/** `FILE.bak`, or the newest of several. */
const newestBackup = async (path: string): Promise<string | undefined> => {
  const name = basename(path)
  const copies = (await readdir(dirname(path))).flatMap((each) => {
    const rest = each.startsWith(`${name}.bak`) ? /^(?:\.(\d+))?$/.exec(each.slice(name.length + 4)) : null
    return rest ? [{ each, number: Number(rest[1] ?? 0) }] : []
  })
  const newest = copies.sort((left, right) => right.number - left.number)[0]
  return newest && join(dirname(path), newest.each)
}

const undo = async ({ path }: ChosenSession, { arguments: given, err, io, out }: Context): Promise<ExitCode> => {
  const backup = await newestBackup(path)
  const shown = shortPath(path, io)
  if (backup === undefined) {
    const what = phrase`There is no backup of ${shown}. A rescue that compacts or moves a session leaves the original as it is and writes another file.`
    throw new LigatureError("cannot-read", what)
  }
  await assertClosed(path, shown)
  const isDry = given.flag("dry-run")
  if (!isDry) await rename(backup, path)
  if (given.flag("json")) printJson("rescue", 0, { file: nearPath(path, io), undone: !isDry, backup: nearPath(backup, io) }, out)
  else if (isDry) err.line(phrase`${shown} would be what ${basename(backup)} is`)
  else err.line(`${err.palette.good("✓")} ${phrase`${shown} is again what ${basename(backup)} was`}`)
  return 0
}

/** The rescue itself changed the file a moment ago: only a program that has it open speaks against undoing it. */
const assertClosed = async (path: string, name: string): Promise<void> => {
  const busy = await whyBusy(path, Number.POSITIVE_INFINITY)
  if (busy !== undefined)
    throw new LigatureError("cannot-write", phrase`${name} was not changed: ${translated(busy)}. Close the session and try again.`)
}

const print = ({ steps, before, after }: Diagnosis, { err }: Context): void => {
  const column = Math.max(0, ...steps.map(({ name }) => [...name].length)) + 4
  steps.forEach(({ name, what }, index) => {
    for (const line of hang(`  ${err.palette.accent(String(index + 1))}  ${pad(name, column)}`, what, err.width)) err.line(line)
  })
  const sent = phrase`What is sent next: ${count(before, "token")} before, ${count(after, "token")} after (estimated, without tools and system prompt)`
  for (const line of wrap(sent, err.width)) err.line(line)
}

/** The same command again, with everything that was chosen. */
const commandFor = ({ file, found }: ChosenSession, { arguments: given }: Context): string => {
  const options = ["folder", "most", "budget"].flatMap((name) => {
    const value = given.text(name)
    return value === undefined ? [] : [shellOption(`--${name}`, value)]
  })
  return ["ligature rescue", shellFile(found?.session.id ?? file), ...options, "--apply"].join(" ")
}

const run = async (context: Context): Promise<ExitCode> => {
  const { arguments: given, err, io } = context
  const chosen = await chosenSession(context, { picks: false })
  if (given.flag("undo")) return undo(chosen, context)
  const isApplied = given.flag("apply") && !given.flag("dry-run")
  // A database is only read, and what is repaired of it is written beside it.
  const isReplaced = !(await isDatabase(chosen.path))
  if (isApplied && isReplaced) await assertNotBusy(chosen.path, shortPath(chosen.path, io))
  const diagnosis = await new Rescue(context, chosen).diagnose()
  const { steps, place } = diagnosis
  const work = steps.filter(({ write }) => write !== undefined)
  const isDone = isApplied && work.length > 0
  const code: ExitCode = steps.length > 0 && !isDone ? 1 : 0
  const resumes = place && (isApplied ? isDone : steps.length === 0) ? place : undefined
  const busy = isReplaced && !isApplied && work.length > 0 ? await whyBusy(chosen.path, Date.now()) : undefined
  if (!given.flag("json")) print(diagnosis, context)
  const done: string[] = []
  if (isApplied) for (const { write } of work) done.push((await write?.()) ?? "")
  if (given.flag("json")) {
    printRescue({ diagnosis, chosen, done, code, resumes, ...(busy && { busy: translated(busy) }) }, context)
    return code
  }
  if (steps.length === 0) err.line(`${err.palette.good("✓")} ${phrase`Nothing to repair: the session can be resumed as it is.`}`)
  else if (work.length === 0) err.line(phrase`Nothing can be repaired without that.`)
  else if (!isApplied) {
    if (busy !== undefined) err.line(`${err.palette.warning("!")} ${phrase`Not now: ${translated(busy)}`}`)
    const command = commandFor(chosen, context)
    const line = phrase`Nothing was written. To do it: ${command}`
    if (err.fits(line)) err.line(line)
    else {
      err.line(phrase`Nothing was written. To do it: ${""}`.trimEnd())
      err.whole(`  ${err.palette.accent(command)}`)
    }
  }
  for (const what of done) err.line(`${err.palette.good("✓")} ${what}`)
  if (resumes) printResume(resumes, err)
  return code
}

interface Outcome {
  readonly diagnosis: Diagnosis
  readonly chosen: ChosenSession
  readonly done: readonly string[]
  readonly code: ExitCode
  readonly resumes: SessionPlace | undefined
  readonly busy?: string
}

const printRescue = ({ diagnosis, chosen, done, code, resumes, busy }: Outcome, { io, out }: Context): void => {
  const { steps, before, after } = diagnosis
  const shown = {
    file: nearPath(chosen.path, io),
    steps: steps.map(({ name, what, write }) => ({ name, what, writes: write !== undefined })),
    tokens: { before, after },
    applied: done.length > 0,
    done,
    ...(busy !== undefined && { busy }),
    ...(resumes && { resume: resumes.resume }),
  }
  printJson("rescue", code, shown, out)
}

export const rescue: Command = {
  summary: "make a session that does not go on continue: repair, compact, media, folder",
  usage: "[latest|ID|FILE] [--apply] [--folder DIR] [--undo] [OPTIONS]",
  help: `Finds out why a session cannot be resumed, and shows what would help, step by step, with the tokens that the agent sends
next, before and after. Nothing is written without --apply.

repair makes the history valid again, and replaces images and documents that the provider rejects; the original is kept as
FILE.bak. compact writes a session that is too large to resume as a smaller one in the agent's own format, with the agent's own
compaction entry where it has one; the original stays where it is. folder is for a project that was renamed or comes from
another machine. While the agent has the session open, nothing is changed.

--undo puts the backup back.

Exit code 1: there is something to do, and --apply was not given.`,
  takesSessions: true,
  options: [
    { name: "apply", text: "do what is shown; originals are kept" },
    { name: "undo", text: "put the newest FILE.bak back" },
    folderOption,
    { name: "most", value: "N", text: "compact a session that sends more tokens than this (default 150k)" },
    { name: "budget", value: "N", text: "tokens of a compacted session (default 64k)" },
    policyOption,
    dryRunOption,
    jsonOption,
  ],
  examples: [
    ["ligature rescue", "what would help the newest session of this project"],
    ["ligature rescue latest --apply", "do it"],
    ["ligature rescue 3f2a9c1b --folder ~/new-name --apply", "a session whose project was renamed"],
    ["ligature rescue latest --undo", "put the original back"],
  ],
  run,
}
