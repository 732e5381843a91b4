/**
 * The CLI as a function of its arguments and the outside world: finds the command, passes it its context, and turns every
 * error into one clear message and an exit code. The library is loaded only with the command that needs it.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import "../runtime/index.ts"
import { findLanguage, type Language, languageHint, languageOf, loadCatalogue } from "../language/index.ts"
import { phrase, useCatalogue } from "../model/index.ts"
import { wantsTopic } from "../debug/wants-topic.ts"
import { parseArguments } from "./frame/arguments.ts"
import type { Command, Commands, Context, ExitCode } from "./frame/command.ts"
import { commandNames, commands, meant } from "./commands/index.ts"
import type { Io } from "./frame/io.ts"
import { suggestion } from "../model/nearest.ts"
import { paged, unpaged } from "./frame/pager.ts"
import { type ColorChoice, plainPalette } from "./frame/palette.ts"
import { type Printer, printerFor, StatusLine } from "./frame/printer.ts"
import { hang } from "./frame/text.ts"
import { UsageError } from "./frame/usage-error.ts"
import { type FoundSession, mayNameSession } from "./frame/named-session.ts"
import { version } from "../files/package-file.ts"

const colorChoice = (given: string | undefined): ColorChoice => {
  if (given === undefined || given === "auto") return "auto"
  if (given === "always" || given === "never") return given
  throw new UsageError(phrase`--color is auto, always or never, not ${given}`)
}

/** The command that the first arguments name, and its name: a command may have subcommands. */
const findCommand = async (
  words: readonly string[],
  all: Commands = commands,
  above: readonly string[] = [],
): Promise<{ readonly name: readonly string[]; readonly command: Command }> => {
  const [word = ""] = words
  const load = Object.hasOwn(all, word) ? all[word] : undefined
  if (!load) {
    const program = ["ligature", ...above].join(" ")
    const names = above.length === 0 ? commandNames : Object.keys(all)
    throw new UsageError(
      above.length === 0 ? phrase`Unknown command ${word}` : phrase`Unknown command ${`${above.join(" ")} ${word}`}`,
      (above.length === 0 && Object.hasOwn(meant, word) ? phrase`Did you mean ${`ligature ${meant[word] ?? ""}`}?` : undefined) ??
        suggestion(word, names) ??
        phrase`Commands: ${names.join(", ")}. See: ${`${program} --help`}`,
    )
  }
  const command = await load()
  const name = [...above, word]
  const [, next] = words
  if (!command.subcommands || next === undefined || next.startsWith("-")) return { name, command }
  return findCommand(words.slice(1), command.subcommands, name)
}

/** Of `--quiet`: errors that end the program are still reported. */
const silent: Printer = {
  line: () => {},
  whole: () => {},
  hint: () => {},
  json: () => {},
  write: () => {},
  raw: () => {},
  palette: plainPalette,
  width: 100,
  fits: () => true,
}

const contextFor = (name: string, given: readonly string[], command: Command, io: Io, language: Language): Context => {
  const parsed = parseArguments(name, given, command.options)
  const choice = parsed.flag("no-color") ? "never" : colorChoice(parsed.text("color"))
  const status = new StatusLine(io.stderr)
  const err = parsed.flag("quiet") ? silent : printerFor(io.stderr, choice, io.env, status)
  return {
    arguments: parsed,
    sessions: new Map(),
    commands,
    run,
    io,
    language,
    out: printerFor(io.stdout, choice, io.env, status),
    err,
    status,
    debug: (topic, text) => {
      if (parsed.flag("verbose") || wantsTopic(io.env["DEBUG"], topic)) err.line(`${err.palette.quiet(`ligature:${topic}`)} ${text()}`)
    },
  }
}

const loadAll = (all: Commands): Promise<readonly (readonly [string, Command])[]> =>
  Promise.all(Object.entries(all).map(async ([name, load]) => [name, await load()] as const))

const printHelp = async (words: readonly string[], io: Io): Promise<ExitCode> => {
  const { printCommandHelp, printGeneralHelp } = await import("./print/help.ts")
  const out = printerFor(io.stdout, "auto", io.env)
  if (words.length > 0) {
    const { name, command } = await findCommand(words)
    printCommandHelp(name.join(" "), command, await loadAll(command.subcommands ?? {}), out)
    return 0
  }
  printGeneralHelp(await loadAll(commands), out)
  return 0
}

const dispatch = async (argv: readonly string[], io: Io, language: Language): Promise<ExitCode> => {
  const [first, ...rest] = argv
  if (first === "--version" || first === "-V" || first === "-v" || first === "version") {
    printerFor(io.stdout, "auto", io.env).line(version())
    return 0
  }
  if (first === "--help" || first === "-h" || first === "help") return printHelp(rest, io)
  if (first === undefined || first.startsWith("-")) {
    const { tour } = await import("./commands/tour.ts")
    return tour.run(contextFor("", argv, tour, io, language))
  }
  const options = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined)
  if (options.includes("--help") || options.includes("-h")) {
    return printHelp(
      argv.filter((word) => word !== "--help" && word !== "-h"),
      io,
    )
  }
  const { name, command } = await findCommand(argv)
  const given = argv.slice(name.length)
  const wantsPager = command.pages === true && !options.includes("--no-pager") && !options.includes("--json")
  const { io: shown, end } = wantsPager ? paged(io) : unpaged(io)
  try {
    const context = contextFor(name.join(" "), given, command, shown, language)
    return await command.run(command.takesSessions === true ? await withSessions(context) : context)
  } finally {
    await end()
  }
}

/** Sessions that are named by their ids, as the files they are in. What was found is said, so that nobody works on another one. */
const withSessions = async (context: Context): Promise<Context> => {
  const { arguments: given, io, err } = context
  const sessions = new Map<string, FoundSession>()
  const positionals: string[] = []
  for (const word of given.positionals) {
    if (!mayNameSession(word) || existsSync(resolve(io.cwd, word))) {
      positionals.push(word)
      continue
    }
    const { fileOf, sessionNamed } = await import("./sessions/session-name.ts")
    const found = await sessionNamed(word, io)
    if (found === undefined) {
      positionals.push(word)
      continue
    }
    const { describeSession } = await import("./print/session-lines.ts")
    err.hint(`${word}: ${describeSession(found, io)}`)
    const { nearPath } = await import("./sessions/session-files.ts")
    const file = nearPath(fileOf(found), io)
    sessions.set(file, found)
    positionals.push(file)
  }
  return sessions.size === 0 ? context : { ...context, arguments: given.withPositionals(positionals), sessions }
}

const report = (error: unknown, io: Io): void => {
  const err = printerFor(io.stderr, "auto", io.env)
  const message = error instanceof Error ? error.message : String(error)
  const label = `${err.palette.error("ligature:")} `
  for (const line of io.stderr.isTerminal ? hang(label, message, err.width) : [`${label}${message}`]) err.line(line)
  if (error instanceof UsageError) {
    for (const line of error.wayOut?.split("\n") ?? []) err.line(`  ${line}`)
    return
  }
  const isOurs = error instanceof Error && (error.name === "LigatureError" || error.name === "StoreError")
  if (wantsTopic(io.env["DEBUG"], "trace") && error instanceof Error) for (const line of (error.stack ?? "").split("\n")) err.line(line)
  else if (!isOurs) err.line(`  ${phrase`This is a bug. DEBUG=ligature:* shows the trace.`}`)
}

/**
 * The language that `--lang` names, else that of the environment, and the arguments without it: help and errors are made before options
 * are parsed. Output for programs is English unless a language is named.
 */
const languageFor = (argv: readonly string[], env: Io["env"]): { readonly language: Language; readonly rest: readonly string[] } => {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length
  const at = argv.slice(0, end).findIndex((word) => word === "--lang" || word.startsWith("--lang="))
  if (at < 0) return { language: argv.includes("--json") ? "en" : languageOf(env), rest: argv }
  const isInline = argv[at] !== "--lang"
  const name = isInline ? (argv[at] ?? "").slice("--lang=".length) : (argv[at + 1] ?? "")
  const language = findLanguage(name)
  if (language === undefined)
    throw new UsageError(
      name === "" ? phrase`${"--lang"} needs a value: ${"--lang LANGUAGE"}` : phrase`Unknown language ${name}`,
      languageHint(name),
    )
  return { language, rest: argv.toSpliced(at, isInline ? 1 : 2) }
}

/** Never throws. `argv` has the arguments after the program's name. */
export const run = async (argv: readonly string[], io: Io): Promise<ExitCode> => {
  try {
    // An unknown --lang is reported in the language of the environment.
    useCatalogue(await loadCatalogue(languageOf(io.env)))
    const { language, rest } = languageFor(argv, io.env)
    useCatalogue(await loadCatalogue(language))
    return await dispatch(rest, io, language)
  } catch (error) {
    report(error, io)
    return 2
  } finally {
    useCatalogue({})
  }
}
