/** `ligature move`: a session continues in another agent. Converted, put where that agent looks for it, and read back to prove that all is there. */
import { spawn } from "node:child_process"
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { convert, fileValueOf, isSessionCodec, resolveCodec } from "../../convert/index.ts"
import { canonicalJson, LigatureError, phrase, shellFile, type Transcript } from "../../model/index.ts"
import {
  type Command,
  type Context,
  dryRunOption,
  type ExitCode,
  folderOption,
  jsonOption,
  openTipOption,
  policyOption,
} from "../frame/command.ts"
import { tokensOf, usualMost } from "../sessions/next-request.ts"
import { count, hang } from "../frame/text.ts"
import { policiesOf, tipOf } from "../frame/settings.ts"
import { modeOfSources } from "../input/files.ts"
import { Source } from "../input/source.ts"
import { fileText } from "../output/file-text.ts"
import { printLosses } from "../output/summary.ts"
import { agentTarget } from "../output/target.ts"
import { printJson } from "../print/json.ts"
import { Progress } from "../print/progress.ts"
import { printResume } from "../print/session-place.ts"
import { chosenSession, onlySession } from "../output/chosen-session.ts"
import { outlineOf } from "../sessions/examine.ts"
import { installSession } from "../sessions/install-session.ts"
import { nearPath, shortPath } from "../sessions/session-files.ts"
import { UsageError } from "../frame/usage-error.ts"

/** What must arrive: each call with its arguments, each text of the user; how often each. */
const contentOf = ({
  messages,
}: Transcript): { readonly calls: ReadonlyMap<string, number>; readonly texts: ReadonlyMap<string, number> } => {
  const calls = new Map<string, number>()
  const texts = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const { role, blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "call") add(calls, `${block.name} ${canonicalJson(block.arguments)}`)
      else if (block.type === "text" && role === "user" && block.text.trim() !== "") add(texts, block.text.trim())
    }
  }
  return { calls, texts }
}

interface Share {
  readonly found: number
  readonly of: number
}

const shareOf = (wanted: ReadonlyMap<string, number>, there: ReadonlyMap<string, number>): Share => {
  let found = 0
  let of = 0
  for (const [key, times] of wanted) {
    of += times
    found += Math.min(times, there.get(key) ?? 0)
  }
  return { found, of }
}

/** The written text as its new agent would read it, compared with the source. */
const proofOf = (before: Transcript, text: string | Uint8Array, format: string): { readonly calls: Share; readonly texts: Share } => {
  const again = Source.of("-", text, { from: format as never })
  const [part] = again.parts
  if (part === undefined)
    throw new LigatureError("cannot-write", phrase`The new session would not be readable, so nothing was written. Please report this file.`)
  const [wanted, there] = [contentOf(before), contentOf(again.transcript(part))]
  return { calls: shareOf(wanted.calls, there.calls), texts: shareOf(wanted.texts, there.texts) }
}

/** Runs the agent's own command in the session's folder, on this terminal. */
const start = (command: string, cwd: string): Promise<ExitCode> =>
  new Promise((done) => {
    const child = spawn(command, { shell: true, stdio: "inherit", cwd })
    child.on("error", () => done(2))
    child.on("exit", (code) => done(code === 0 ? 0 : 2))
  })

const run = async (context: Context): Promise<ExitCode> => {
  const { arguments: given, err, out, io } = context
  const { to, session: target } = agentTarget(context)
  const { file, path, found } = await chosenSession(context, { picks: true })
  const progress = new Progress(context.status, 1)
  const source = await Source.read(file, {}, io, { onProgress: (share) => progress.showShare(share, file) })
  context.status.clear()
  const part = onlySession(source, file, err)
  const named = given.text("folder")
  if (part.format === target.format) {
    const options = ["--folder", shellFile(named ?? "DIR"), given.flag("dry-run") ? [] : "--apply"].flat()
    throw new UsageError(
      phrase`This is a session of ${target.session.agent} already`,
      phrase`In another project folder: ${["ligature rescue", shellFile(found?.session.id ?? file), ...options].join(" ")}`,
    )
  }
  const folder = named === undefined ? (outlineOf(part)?.folder ?? io.cwd) : resolve(io.cwd, named)
  const { value, transcript, report, conversation } = convert(part.value, {
    ...source.decodeOptions(part),
    from: part.format,
    to: resolveCodec(to),
    tip: tipOf(context),
    policies: policiesOf(context),
    session: { folder },
  })
  const text = fileText(value, target)
  const place = target.session.place?.(fileValueOf(target, value))
  if (place === undefined || !isSessionCodec(target))
    throw new LigatureError("cannot-write", phrase`It is not known where ${target.session.agent} keeps its sessions. Use -o FILE.`)
  const proof = proofOf(transcript, source.abridged ? Buffer.from(text) : text, to)
  const isDry = given.flag("dry-run")
  const { path: written, wasThere, place: there } = await installSession(place, source.output(text), await modeOfSources([path]), io, isDry)
  const isComplete = proof.calls.found === proof.calls.of && proof.texts.found === proof.texts.of
  const code: ExitCode = isComplete ? 0 : 1
  if (given.flag("json")) {
    printJson(
      "move",
      code,
      {
        file: nearPath(path, io),
        from: part.format,
        to,
        written,
        dryRun: isDry,
        resume: there.resume,
        folder,
        ...proof,
        losses: report.losses,
      },
      out,
    )
    return code
  }
  const shown = shortPath(written, io)
  err.line(wasThere ? phrase`${shown} is there already` : isDry ? phrase`${shown} would be written` : phrase`Written to ${shown}`)
  const mark = isComplete ? err.palette.good("✓") : err.palette.warning("!")
  err.line(
    `${mark} ${phrase`Read back: ${proof.calls.found} of ${proof.calls.of} calls, ${proof.texts.found} of ${proof.texts.of} user texts`}`,
  )
  const sent = tokensOf(conversation)
  if (sent > usualMost) {
    const advice = `ligature compact ${shellFile(found?.session.id ?? file)} --to ${to}`
    for (const line of hang(
      `${err.palette.warning("!")} `,
      phrase`${count(sent, "token")} may be too many to resume. Smaller: ${advice}`,
      err.width,
    ))
      err.line(line)
  }
  if (named === undefined && (await stat(folder).catch(() => undefined)) === undefined) {
    for (const line of hang(
      `${err.palette.warning("!")} `,
      phrase`${folder} does not exist here. ${"--folder DIR"} names where the project is now.`,
      err.width,
    ))
      err.line(line)
  }
  printLosses(report.losses, err)
  printResume(there, err)
  if (isDry || !given.flag("start")) return code
  const started = await start(there.resume, folder)
  return started === 0 ? code : started
}

export const move: Command = {
  summary: "continue a session in another agent",
  usage: "[latest|ID|FILE] --to AGENT [--folder DIR] [--start] [--dry-run]",
  help: `Converts a session, puts it where the other agent looks for it, and proves that everything arrived: the new file is read
back and compared with the source, call by call and text by text. The command that resumes it is printed; --start runs it. The
source is never changed.

Without a name, a list of the newest sessions is shown to choose from, those of this project first; where nobody can be asked,
the newest session of this project is taken.

Exit code 1: something is missing in the new session.`,
  takesSessions: true,
  options: [
    { name: "to", value: "AGENT", text: "claude-code, codex, pi, … (ligature formats lists them)" },
    folderOption,
    { name: "start", text: "run the command that resumes the session" },
    openTipOption,
    policyOption,
    dryRunOption,
    jsonOption,
  ],
  examples: [
    ["ligature move --to codex", "choose a session and continue it in Codex"],
    ["ligature move latest --to claude-code --folder .", "the newest session, in this folder"],
    ["ligature move 3f2a9c1b --to pi --dry-run", "only show what would be written"],
  ],
  run,
}
