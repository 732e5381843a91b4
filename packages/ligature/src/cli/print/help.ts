/** Help pages: made from what commands declare about themselves, so that they cannot disagree with what is parsed. */
import { phrase, translated } from "../../model/index.ts"
import { alwaysOptions, type OptionSpec } from "../frame/arguments.ts"
import type { Command, Printer } from "../frame/command.ts"
import { hang, pad, wrap } from "../frame/text.ts"

const spelling = ({ name, short, value }: OptionSpec): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`

const printOptions = (options: readonly OptionSpec[], out: Printer): void => {
  const column = Math.max(...options.map((option) => spelling(option).length)) + 2
  for (const option of options) {
    const lines = wrap(translated(option.text), Math.max(30, out.width - column - 2))
    lines.forEach((line, index) => {
      out.line(`  ${out.palette.accent(pad(index === 0 ? spelling(option) : "", column))}${line}`)
    })
  }
}

const printCommands = (commands: readonly (readonly [name: string, command: Command])[], out: Printer): void => {
  const column = Math.max(...commands.map(([name]) => name.length)) + 2
  for (const [name, { summary }] of commands) {
    for (const line of hang(`  ${out.palette.accent(pad(name, column))}`, translated(summary), out.width)) out.line(line)
  }
}

const printExamples = (examples: Command["examples"], out: Printer): void => {
  const { accent, quiet } = out.palette
  for (const [command, what] of examples) {
    out.line(`  ${quiet(`# ${translated(what)}`)}`)
    out.whole(`  ${accent(command)}`)
  }
}

export const printCommandHelp = (
  name: string,
  command: Command,
  below: readonly (readonly [name: string, command: Command])[],
  out: Printer,
): void => {
  const { strong } = out.palette
  out.line(`${strong(`ligature ${name}`)}: ${translated(command.summary)}`)
  out.line()
  // Brackets are not broken.
  const usage = command.usage.replaceAll(/\[[^\]]*\]/g, (group) => group.replaceAll(" ", "\u00a0"))
  const lines = hang(`${strong(phrase`Usage`)}  `, `ligature ${name} ${usage}`.trimEnd(), out.width)
  for (const line of lines) out.line(line.replaceAll("\u00a0", " "))
  out.line()
  for (const paragraph of translated(command.help).split("\n\n")) {
    const isTable = paragraph.startsWith("  ")
    const lines = isTable ? paragraph.split("\n") : wrap(paragraph.replaceAll("\n", " "), out.width)
    for (const line of lines) out.line(line)
    out.line()
  }
  if (below.length > 0) {
    out.line(strong(phrase`Commands`))
    printCommands(below, out)
    out.line()
  }
  out.line(strong(phrase`Options`))
  printOptions([...command.options, ...alwaysOptions], out)
  if (command.examples.length === 0) return
  out.line()
  out.line(strong(phrase`Examples`))
  printExamples(command.examples, out)
}

export const printGeneralHelp = (all: readonly (readonly [name: string, command: Command])[], out: Printer): void => {
  const { strong } = out.palette
  out.line(`${strong("ligature")}: ${phrase`validates, repairs and converts the histories of tool-calling agents`}`)
  out.line()
  const intro = phrase`Providers reject a history in which a tool call and its result have come apart. Ligature reads any such history, reports what is wrong and where, repairs it with a report of every change, and converts it for any provider.`
  for (const line of wrap(intro, out.width)) out.line(line)
  out.line()
  out.line(`${strong(phrase`Usage`)}  ligature COMMAND [FILE…] [OPTIONS]`)
  out.line(`       ligature                      ${phrase`a tour: damaged histories, before and after`}`)
  out.line()
  out.line(strong(phrase`Commands`))
  printCommands(all, out)
  out.line()
  out.line(strong(phrase`Files`))
  const files = phrase`A request body, a list of messages, JSON lines of either, or a log that contains them. The format is detected; --from names it. A dash reads stdin. Where a FILE is expected, a session of an agent may be named: by its id, a part of the id, or latest. Inputs are never overwritten, except where a command says so; then a .bak is kept.`
  for (const line of wrap(files, out.width - 2)) out.line(`  ${line}`)
  out.line()
  out.line(strong(phrase`Exit codes`))
  for (const line of phrase`0  fine     1  findings     2  something could not be read, written or understood`.split("     "))
    out.line(`  ${line}`)
  out.line()
  out.line(strong(phrase`Examples`))
  printExamples(
    [
      ["ligature doctor", phrase`which sessions of my agents are damaged`],
      ["ligature rescue latest", phrase`my newest session does not continue`],
      ["ligature move latest --to codex", phrase`continue it in another agent`],
      ["ligature check request.json", phrase`what is wrong with it, and where`],
      ["ligature repair request.json -o repaired.json", phrase`the same request, valid`],
      ["ligature convert request.json --to openai-chat", phrase`as a request for another provider`],
      ["pbpaste | ligature classify --history request.json", phrase`what a provider's error means, and where`],
    ],
    out,
  )
  out.line()
  out.line(phrase`${strong("ligature COMMAND --help")} explains one command; ${strong("--version")} prints the version.`)
}
