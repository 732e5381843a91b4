/**
 * Where repair, convert and compact write to: stdout, one file, a folder, or the input itself. Decided and checked
 * before anything is read, so that a mistake on the command line has no effect.
 */
import { resolve } from "node:path"
import { LigatureError, phrase } from "../../model/index.ts"
import { type AbridgedFile, restored } from "../../files/abridged/abridged-file.ts"
import type { Context } from "../frame/command.ts"
import { type Content, identityOf, makeFolder, modeOfSources, type Original, stdinLabel, writeOutput } from "../input/files.ts"
import { filePart } from "../input/source.ts"
import { OutputNames } from "./output-names.ts"
import { assertNotBusy, replaceFile } from "./replace-file.ts"
import { UsageError } from "../frame/usage-error.ts"

type Kind = "stdout" | "file" | "folder" | "in-place"

interface Target {
  readonly kind: Kind
  /** As given, for messages. */
  readonly name: string
  readonly path: string
}

/** What an output may be, beyond what options say. */
interface DestinationOptions {
  /** What to do when the output is the input. */
  readonly instead?: string
  /** Sessions that were named by their ids are replaced where they are, unless another place is given. */
  readonly replacesSessions?: boolean
}

const targetOf = ({ arguments: given, io, sessions }: Context, files: readonly string[], replacesSessions: boolean): Target => {
  const out = given.text("out")
  const folder = given.text("out-dir")
  const isElsewhere = out !== undefined || folder !== undefined
  const inPlace = given.flag("in-place") || (replacesSessions && !isElsewhere && files.every((file) => sessions.has(file)))
  if ([out !== undefined, folder !== undefined, inPlace].filter(Boolean).length > 1) {
    throw new UsageError(phrase`Give only one of -o, --out-dir and --in-place`)
  }
  if (inPlace) {
    if (files.includes("-")) {
      throw new UsageError(phrase`stdin cannot be repaired in place`, phrase`Omit --in-place: the result goes to stdout.`)
    }
    return { kind: "in-place", name: "", path: "" }
  }
  if (folder !== undefined) return { kind: "folder", name: folder, path: resolve(io.cwd, folder) }
  if (out === undefined || out === "-") return { kind: "stdout", name: "", path: "" }
  if (files.length > 1) {
    throw new UsageError(phrase`-o takes one input, got ${files.length}`, phrase`Use --out-dir DIR: one output per input.`)
  }
  return { kind: "file", name: out, path: resolve(io.cwd, out) }
}

/** A second output: a report, or statistics. */
interface Aside {
  readonly option: string
  readonly name: string
  readonly path: string
}

const asideOf = ({ arguments: given, io }: Context): Aside | undefined => {
  for (const option of ["report", "stats"]) {
    const name = given.text(option)
    if (name !== undefined) return { option, name, path: resolve(io.cwd, name) }
  }
  return undefined
}

export class Destination {
  readonly kind: Kind
  /** Nothing is written: `--dry-run`. */
  readonly isDry: boolean
  readonly #target: Target
  readonly #names: OutputNames
  readonly #context: Context
  readonly #files: readonly string[]
  readonly #report: Aside | undefined
  #hasFolder = false

  private constructor(target: Target, names: OutputNames, context: Context, files: readonly string[]) {
    this.kind = target.kind
    this.#files = files
    this.#target = target
    this.#names = names
    this.#context = context
    this.#report = asideOf(context)
    this.isDry = context.arguments.flag("dry-run")
  }

  static async of(context: Context, files: readonly string[], options: DestinationOptions = {}): Promise<Destination> {
    const { instead = phrase`Use repair --in-place, which keeps a .bak.`, replacesSessions = false } = options
    const target = targetOf(context, files, replacesSessions)
    const names = await OutputNames.besides(
      files.map((file) => filePart(file, context.io.cwd)),
      context.io.cwd,
    )
    const destination = new Destination(target, names, context, files)
    if (target.kind === "file" && (await names.isInput(target.path))) {
      throw new UsageError(phrase`-o ${target.name} is the input itself`, instead)
    }
    const report = destination.#report
    if (report?.name === "-") {
      const wayOut = report.option === "stats" ? phrase`--json prints the same to stdout.` : phrase`Give another file.`
      throw new UsageError(phrase`${`--${report.option}`} takes a file, not stdout`, wayOut)
    }
    if (report === undefined) return destination
    const isOutput = target.path !== "" && (await identityOf(report.path)) === (await identityOf(target.path))
    if (isOutput || (await names.isInput(report.path))) {
      throw new UsageError(phrase`${`--${report.option} ${report.name}`} is also an input or the output`, phrase`Give another file.`)
    }
    names.reserve(report.path)
    return destination
  }

  /** Throws when an input has more conversations than can be written, before any of them is processed. */
  assertTakes(input: string, conversations: number): void {
    if (this.kind !== "file" || conversations <= 1) return
    const what = phrase`${shown(input)} contains ${conversations} conversations, but -o takes one. Use --out-dir DIR: one file for each.`
    throw new LigatureError("cannot-write", what)
  }

  /**
   * Writes the conversations of one input; returns the paths, as a person would name them. An undefined one is not
   * written but keeps its number. For stdout the caller prints: how depends on all files.
   */
  async write(
    input: string,
    contents: readonly (Content | undefined)[],
    extension?: string,
    original?: Original,
  ): Promise<readonly string[]> {
    const { kind, name, path } = this.#target
    const first = contents.find((content) => content !== undefined)
    if (first === undefined || kind === "stdout") return []
    if (kind === "in-place") return this.replace(input, first, original)
    if (kind === "file") {
      this.assertTakes(input, contents.length)
      if (!this.isDry) await writeOutput(path, first, await this.#modeOf([input]))
      return [name]
    }
    if (!this.#hasFolder && !this.isDry) await makeFolder(path, await this.#modeOf(this.#files))
    this.#hasFolder = true
    const { paths, renamed } = await this.#names.claim(path, input, contents.length, extension)
    const written = paths.filter((_, index) => contents[index] !== undefined)
    const mode = await this.#modeOf([input])
    for (const [index, content] of contents.entries()) {
      if (content !== undefined && !this.isDry) await writeOutput(paths[index] ?? "", content, mode, { isOurs: true })
    }
    const names = written.map((each) => `${name.replace(/[/\\]+$/, "")}/${each.slice(path.length + 1)}`)
    if (renamed) {
      const { err } = this.#context
      const note = err.palette.warning("note")
      err.line(`${note}: ${phrase`${shown(input)} is written to ${names[0] ?? ""}, because its own name is taken`}`)
    }
    return names
  }

  /** Writes into the input itself and keeps the original beside it; returns both names. `original`: what was read of it. */
  async replace(input: string, content: Content, original?: Original): Promise<readonly string[]> {
    const { io, sessions } = this.#context
    const name = filePart(input, io.cwd)
    const path = resolve(io.cwd, name)
    // Whoever names a session by its id expects that it is somebody's who may be at work.
    if (sessions.has(input)) await assertNotBusy(path, name)
    const copy = this.isDry ? `${path}.bak` : await replaceFile(path, name, content, original)
    return [name, `${name}${copy.slice(path.length)}`]
  }

  /** `abridged`: files with long texts of which the report has only both ends. */
  async writeReport(report: unknown, abridged: readonly AbridgedFile[] = []): Promise<void> {
    if (this.#report === undefined || this.isDry) return
    const text = `${JSON.stringify(report, undefined, 2)}\n`
    const content = abridged.length === 0 ? text : { pieces: () => restored(text, abridged) }
    await writeOutput(this.#report.path, content, await this.#modeOf(this.#files))
  }

  #modeOf(inputs: readonly string[]): Promise<number> {
    return modeOfSources(inputs.map((name) => (name === "-" ? name : resolve(this.#context.io.cwd, name))))
  }
}

const shown = (input: string): string => (input === "-" ? stdinLabel : input)
