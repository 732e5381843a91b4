/** `ligature completions`: what a shell completes, from the declarations that parsing and help use. */
import { formats } from "../../convert/index.ts"
import { languages } from "../../language/index.ts"
import { phrase } from "../../model/index.ts"
import { allSessions } from "../../registry/registry.ts"
import { policyNames, policyValues, profileNames } from "../../rules/index.ts"
import { strategyNames } from "../compact/compact-options.ts"
import { alwaysOptions, type OptionSpec } from "../frame/arguments.ts"
import type { Command, Commands, Context, ExitCode } from "../frame/command.ts"
import { UsageError } from "../frame/usage-error.ts"
import { writableNames } from "../output/target.ts"

interface Entry {
  /** `log show` */
  readonly name: string
  readonly command: Command
}

const entriesOf = async (all: Commands, above = ""): Promise<readonly Entry[]> => {
  const entries: Entry[] = []
  for (const [word, load] of Object.entries(all)) {
    const command = await load()
    const name = `${above}${word}`
    entries.push({ name, command })
    for (const each of await entriesOf(command.subcommands ?? {}, `${name} `)) entries.push(each)
  }
  return entries
}

const wordsOf = (options: readonly OptionSpec[]): readonly string[] =>
  options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])

const belowOf = ({ command }: Entry): readonly string[] => Object.keys(command.subcommands ?? {})

// What the values of options may be, by the word that the help has for them.

const formatWords = (): readonly string[] => [...formats, ...agentWords(), ...allSessions().map(({ format }) => format)]

const agentWords = (): readonly string[] => allSessions().flatMap(({ session }) => session.aliases)

const policyWords = (): readonly string[] => policyNames.flatMap((name) => policyValues[name].map((value) => `${name}=${value}`))

const styles: Readonly<Record<string, readonly string[]>> = { style: ["xml", "json"], "to-style": ["blocks", "xml"] }

/** Undefined: a file, or something that nobody can guess. */
const valuesOf = ({ name, value }: OptionSpec): readonly string[] | undefined => {
  if (name === "agent") return agentWords()
  if (name === "color") return ["auto", "always", "never"]
  if (name === "provider" || value === "PROFILE") return profileNames
  switch (value) {
    case "FORMAT":
      return [...new Set(formatWords())]
    case "AGENT":
      return writableNames()
    case "NAME=VALUE":
      return policyWords()
    case "LANGUAGE":
      return languages
    case "VIEW":
      return ["whole", "effective"]
    case "STYLE":
      return styles[name]
    case "S":
      return strategyNames
    default:
      return undefined
  }
}

/** `move --to|rescue --folder`: each command with each of these options, as shells write alternatives. */
const patternOf = (places: readonly string[]): string => places.map((place) => `"${place}"`).join("|")

interface Values {
  /** `convert --to` */
  readonly places: readonly string[]
  readonly words: string
}

/** Options with values, those with the same words together. */
const valuesIn = (entries: readonly Entry[]): readonly Values[] => {
  const places = new Map<string, string[]>()
  for (const { name, command } of entries) {
    for (const option of [...command.options, ...alwaysOptions]) {
      if (option.value === undefined) continue
      const words = (valuesOf(option) ?? []).join(" ")
      const flags = [`--${option.name}`, ...(option.short === undefined ? [] : [`-${option.short}`])]
      places.set(words, [...(places.get(words) ?? []), ...flags.map((flag) => `${name} ${flag}`)])
    }
  }
  return [...places].map(([words, at]) => ({ words, places: at }))
}

/** What may follow a command besides files. */
const following = (entry: Entry): string =>
  [
    ...belowOf(entry),
    ...(entry.command.words?.() ?? []),
    ...(entry.command.takesSessions === true ? ["latest"] : []),
    ...wordsOf([...entry.command.options, ...alwaysOptions]),
  ].join(" ")

const topOf = (entries: readonly Entry[]): string =>
  entries
    .filter(({ name }) => !name.includes(" "))
    .map(({ name }) => name)
    .join(" ")

const bash = (entries: readonly Entry[]): string => `# ligature completions bash > ~/.local/share/bash-completion/completions/ligature
_ligature() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words
  [[ $COMP_CWORD -gt 2 && $command == log ]] && command="log \${COMP_WORDS[2]}"
  case "$command $previous" in
${valuesIn(entries)
  .map(
    ({ places, words }) =>
      `    ${patternOf(places)}) COMPREPLY=($(compgen ${words === "" ? "-f" : `-W "${words}"`} -- "$current")); return ;;`,
  )
  .join("\n")}
  esac
  if [[ $COMP_CWORD -eq 1 || $command == help ]]; then words="${topOf(entries)} --help --version"
  else case "$command" in
${entries.map((entry) => `    "${entry.name}") words="${following(entry)}" ;;`).join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $COMP_CWORD -gt 1 && $current != -* ]] && COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _ligature ligature
`

/** Between single quotes, on one line. */
const quoted = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("'", "'\\''")

const zsh = (entries: readonly Entry[]): string => `#compdef ligature
# ligature completions zsh > a folder of $fpath, as _ligature
_ligature() {
  local name="\${words[2]}"
  [[ $CURRENT -gt 3 && $name == log ]] && name="log \${words[3]}"
  if (( CURRENT == 2 )); then
    local -a commands=(
${entries
  .filter(({ name }) => !name.includes(" "))
  .map(({ name, command }) => `      '${name}:${quoted(command.summary).replaceAll(":", "\\:")}'`)
  .join("\n")}
    )
    _describe command commands
    return
  fi
  case "$name \${words[CURRENT-1]}" in
${valuesIn(entries)
  .map(({ places, words }) => `    ${patternOf(places)}) ${words === "" ? "_files" : `compadd -- ${words}`}; return ;;`)
  .join("\n")}
  esac
  case "$name" in
${entries.map((entry) => `    '${entry.name}') compadd -- ${following(entry)} ;;`).join("\n")}
  esac
  _files
}
_ligature "$@"
`

const fish = (entries: readonly Entry[]): string => {
  const lines = ["# ligature completions fish > ~/.config/fish/completions/ligature.fish"]
  for (const { name, command } of entries) {
    const words = name.split(" ")
    const before = words.length === 1 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${words[0]}`
    lines.push(`complete -c ligature -n '${before}' -f -a ${words.at(-1)} -d '${quoted(command.summary)}'`)
    const own = command.words?.().join(" ") ?? ""
    if (own !== "") lines.push(`complete -c ligature -n '__fish_seen_subcommand_from ${words.at(-1)}' -f -a '${own}'`)
    for (const spec of [...command.options, ...alwaysOptions]) {
      const { name: option, short, value, text } = spec
      const choice = valuesOf(spec)
      const after = value === undefined ? "" : choice === undefined ? " -r" : ` -x -a '${choice.join(" ")}'`
      const flags = `-l ${option}${short === undefined ? "" : ` -s ${short}`}${after}`
      lines.push(`complete -c ligature -n '__fish_seen_subcommand_from ${words.at(-1)}' ${flags} -d '${quoted(text)}'`)
    }
  }
  return `${lines.join("\n")}\n`
}

const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1")
    // Formatters read bytes.
    .replaceAll(/[^\0-\x7f]/gu, (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`)

const man = (entries: readonly Entry[]): string => {
  const section = ({ name, command }: Entry): string => {
    const options = command.options.map(
      ({ name: option, short, value, text }) =>
        `.TP\n.B ${roff(`${short === undefined ? "" : `-${short}, `}--${option}`)}${value === undefined ? "" : ` \\fI${value}\\fR`}\n${roff(text)}`,
    )
    const help = command.help
      .split("\n\n")
      .map((paragraph) => (paragraph.startsWith("  ") ? `.nf\n${roff(paragraph)}\n.fi` : roff(paragraph)))
    return [`.SS ${roff(`ligature ${name} ${command.usage}`)}`, help.join("\n.PP\n"), ...options].join("\n")
  }
  return `${[
    '.TH LIGATURE 1 "" "ligature" "User Commands"',
    ".SH NAME",
    roff("ligature - validates, repairs and converts the histories of tool-calling agents"),
    ".SH SYNOPSIS",
    ".B ligature\nCOMMAND [FILE...] [OPTIONS]",
    ".SH COMMANDS",
    ...entries.map(section),
    ".SH OPTIONS OF EVERY COMMAND",
    ...alwaysOptions.map(
      ({ name, short, value, text }) =>
        `.TP\n.B ${roff(`${short === undefined ? "" : `-${short}, `}--${name}`)}${value === undefined ? "" : ` \\fI${value}\\fR`}\n${roff(text)}`,
    ),
    ".SH EXIT STATUS",
    "0 fine, 1 findings, 2 something could not be read, written or understood.",
  ].join("\n")}\n`
}

const writers = { bash, zsh, fish, man } as const

const run = async ({ arguments: given, commands, out }: Context): Promise<ExitCode> => {
  const [kind, ...more] = given.positionals
  const write = kind !== undefined && Object.hasOwn(writers, kind) ? writers[kind as keyof typeof writers] : undefined
  if (write === undefined || more.length > 0)
    throw new UsageError(phrase`Give bash, zsh, fish or man`, phrase`See: ${"ligature completions --help"}`)
  out.write(write(await entriesOf(commands)))
  return 0
}

export const completions: Command = {
  summary: "print completions for bash, zsh or fish, or the man page",
  usage: "bash | zsh | fish | man",
  words: () => Object.keys(writers),
  help: `Prints a script that completes commands, options and their values, or a man page. They are made from the same declarations as the help, so
that they never disagree with what is accepted.`,
  options: [],
  examples: [
    ["ligature completions bash > ~/.local/share/bash-completion/completions/ligature", "for bash"],
    ["ligature completions fish > ~/.config/fish/completions/ligature.fish", "for fish"],
    ["ligature completions man | man -l -", "read the man page"],
  ],
  run,
}
