/** What a command is, and what it is handed when it runs. */
import type { Arguments, OptionSpec } from "./arguments.ts"
import type { Language } from "../../language/index.ts"
import type { Io } from "./io.ts"
import type { Printer, StatusLine } from "./printer.ts"
import type { FoundSession } from "./named-session.ts"

export type { Printer } from "./printer.ts"

export interface Context {
  readonly arguments: Arguments
  /** Sessions that were named by their ids, by the file that stands for them in the arguments. */
  readonly sessions: ReadonlyMap<string, FoundSession>
  readonly io: Io
  /** What texts for people are written in. */
  readonly language: Language
  /** All commands, for what is made from their declarations. */
  readonly commands: Commands
  /** What was asked for: stdout. */
  readonly out: Printer
  /** Messages about it: stderr. */
  readonly err: Printer
  readonly status: StatusLine
  /** Runs another command line, with streams of its own. */
  readonly run: (argv: readonly string[], io: Io) => Promise<ExitCode>
  /** Prints `ligature:topic …` to stderr when --verbose or DEBUG asks for it. */
  readonly debug: (topic: string, text: () => string) => void
}

/** 0 fine, 1 findings, 2 something could not be read, written or understood. */
export type ExitCode = 0 | 1 | 2

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  /** The arguments after the command's name. */
  readonly usage: string
  /** What it does, in a few sentences. */
  readonly help: string
  readonly options: readonly OptionSpec[]
  /** Its arguments are files, for which sessions may be named: by an id, a unique part of one, or `latest`. */
  readonly takesSessions?: true
  /** What its arguments may be, for completion. */
  readonly words?: () => readonly string[]
  /** What it prints is read from its beginning: long output goes through a pager. */
  readonly pages?: true
  readonly examples: readonly (readonly [command: string, what: string])[]
  readonly run: (context: Context) => Promise<ExitCode>
  /** Subcommands by name: `ligature log show`. `run` then handles the name alone. */
  readonly subcommands?: Commands
}

/** Each is loaded only when it is needed. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>

export const worse = (left: ExitCode, right: ExitCode): ExitCode => (left > right ? left : right)

/** Options that several commands share. */
export const fromOption: OptionSpec = {
  name: "from",
  value: "FORMAT",
  text: "read every file as this format (default: detected from the content; `ligature formats` lists them)",
}
export const branchOption: OptionSpec = {
  name: "branch",
  value: "ID",
  text: "read this branch of a session instead of the active one (`ligature show --all` lists them)",
}
export const viewOption: OptionSpec = {
  name: "view",
  value: "VIEW",
  text: "of a compacted session, read the full history (whole) or only what the agent would send next (effective)",
}
export const profileOption: OptionSpec = {
  name: "for",
  value: "PROFILE",
  text: "also apply the requirements of this provider (`ligature profiles` lists them)",
}
export const openTipOption: OptionSpec = {
  name: "open-tip",
  text: "allow unanswered tool calls in the last exchange: they are still running",
}
export const jsonOption: OptionSpec = { name: "json", text: "print JSON with a stable schema (docs/cli-json.md)" }
export const policyOption: OptionSpec = {
  name: "policy",
  value: "NAME=VALUE",
  repeatable: true,
  text: "choose a repair, e.g. unansweredCall=drop-message; repeatable",
}
export const reportOption: OptionSpec = {
  name: "report",
  value: "FILE",
  text: "write every change and every loss to this file, as JSON",
}
export const folderOption: OptionSpec = {
  name: "folder",
  value: "DIR",
  text: "the project folder that the session belongs to from now on, where it was renamed or comes from another machine",
}
export const dryRunOption: OptionSpec = { name: "dry-run", text: "only show what would be written; change nothing" }
export const outOption: OptionSpec = { name: "out", short: "o", value: "OUT", text: "write to this file (one conversation)" }
export const outDirOption: OptionSpec = {
  name: "out-dir",
  value: "DIR",
  text: "write one file per input into this folder",
}
export const salvageOption: OptionSpec = {
  name: "salvage",
  text: "write what could be read of a file that is truncated or contains invalid bytes",
}
