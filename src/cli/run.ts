/**
 * The CLI as a function of its arguments and the world: finds the command, hands it its context, and turns whatever
 * goes wrong into one clear message and an exit code. The library is loaded only with the command that needs it.
 */
import { parseArguments } from "./arguments.ts"
import type { Command, Commands, Context, ExitCode, Printer } from "./command.ts"
import { commandNames, commands } from "./commands/index.ts"
import type { Io, Sink } from "./io.ts"
import { suggestion } from "./nearest.ts"
import { type ColorChoice, paletteFor } from "./print/palette.ts"
import { StatusLine } from "./print/progress.ts"
import { UsageError } from "./usage-error.ts"
import { version } from "./version.ts"

const widest = 120
const unknownWidth = 100

const printerFor = (sink: Sink, choice: ColorChoice, env: Io["env"], status?: StatusLine): Printer => {
  const write = (text: string): void => {
    status?.clear()
    sink.write(text)
  }
  return {
    line: (text = "") => write(`${text}\n`),
    write,
    palette: paletteFor(sink, choice, env),
    width: Math.max(40, Math.min(sink.columns ?? unknownWidth, widest)),
  }
}

const colorChoice = (given: string | undefined): ColorChoice => {
  if (given === undefined || given === "auto") return "auto"
  if (given === "always" || given === "never") return given
  throw new UsageError(`--color is auto, always or never, not ${given}`)
}

/** `DEBUG=ligature:*`, `DEBUG=*`, `DEBUG=ligature:settle,other`. */
const debugTopics = (env: Io["env"]): ((topic: string) => boolean) => {
  const names = (env["DEBUG"] ?? "").split(/[\s,]+/)
  return (topic) => names.some((name) => name === "*" || name === "ligature:*" || name === `ligature:${topic}`)
}

/** The command that the first words name, and those words: a command may have commands of its own. */
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
      above.length === 0 ? `There is no command ${word}` : `${above.join(" ")} has no command ${word}`,
      suggestion(word, names) ?? `Commands: ${names.join(", ")}. See: ${program} --help`,
    )
  }
  const command = await load()
  const name = [...above, word]
  const [, next] = words
  if (!command.subcommands || next === undefined || next.startsWith("-")) return { name, command }
  return findCommand(words.slice(1), command.subcommands, name)
}

const contextFor = (name: string, given: readonly string[], command: Command, io: Io): Context => {
  const parsed = parseArguments(name, given, command.options)
  const choice = colorChoice(parsed.text("color"))
  const isDebugged = debugTopics(io.env)
  const status = new StatusLine(io.stderr)
  const err = printerFor(io.stderr, choice, io.env, status)
  return {
    arguments: parsed,
    io,
    out: printerFor(io.stdout, choice, io.env, status),
    err,
    status,
    debug: (topic, text) => {
      if (parsed.flag("verbose") || isDebugged(topic)) err.line(`${err.palette.quiet(`ligature:${topic}`)} ${text()}`)
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

const dispatch = async (argv: readonly string[], io: Io): Promise<ExitCode> => {
  const [first, ...rest] = argv
  if (first === "--version" || first === "-V" || first === "-v" || first === "version") {
    io.stdout.write(`${version()}\n`)
    return 0
  }
  if (first === "--help" || first === "-h" || first === "help") return printHelp(rest, io)
  if (first === undefined || first.startsWith("-")) {
    const { tour } = await import("./commands/tour.ts")
    return tour.run(contextFor("", argv, tour, io))
  }
  const options = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined)
  if (options.includes("--help") || options.includes("-h")) {
    return printHelp(argv.filter((word) => word !== "--help" && word !== "-h"), io)
  }
  const { name, command } = await findCommand(argv)
  return command.run(contextFor(name.join(" "), argv.slice(name.length), command, io))
}

const report = (error: unknown, io: Io): void => {
  const { error: red } = paletteFor(io.stderr, "auto", io.env)
  const message = error instanceof Error ? error.message : String(error)
  io.stderr.write(`${red("ligature:")} ${message}\n`)
  if (error instanceof UsageError) {
    if (error.wayOut !== undefined) io.stderr.write(`  ${error.wayOut}\n`)
    return
  }
  const isOurs = error instanceof Error && (error.name === "LigatureError" || error.name === "StoreError")
  if (debugTopics(io.env)("trace") && error instanceof Error) io.stderr.write(`${error.stack ?? ""}\n`)
  else if (!isOurs) io.stderr.write("  This should not happen. DEBUG=ligature:* shows the trace.\n")
}

/** Never throws. `argv` is what stands behind the program's name. */
export const run = async (argv: readonly string[], io: Io): Promise<ExitCode> => {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    report(error, io)
    return 2
  }
}

