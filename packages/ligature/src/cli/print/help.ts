/** Help pages: made from what commands declare about themselves, so that they cannot disagree with what is parsed. */
import { alwaysOptions, type OptionSpec } from "../frame/arguments.ts"
import type { Command, Printer } from "../frame/command.ts"
import { pad, wrap } from "../frame/text.ts"

const spelling = ({ name, short, value }: OptionSpec): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`

const printOptions = (options: readonly OptionSpec[], out: Printer): void => {
  const column = Math.max(...options.map((option) => spelling(option).length)) + 2
  for (const option of options) {
    const lines = wrap(option.text, Math.max(30, out.width - column - 2))
    lines.forEach((line, index) => {
      out.line(`  ${out.palette.accent(pad(index === 0 ? spelling(option) : "", column))}${line}`)
    })
  }
}

const printExamples = (examples: Command["examples"], out: Printer): void => {
  const { accent, quiet } = out.palette
  for (const [command, what] of examples) {
    out.line(`  ${quiet(`# ${what}`)}`)
    out.line(`  ${accent(command)}`)
  }
}

export const printCommandHelp = (
  name: string,
  command: Command,
  below: readonly (readonly [name: string, command: Command])[],
  out: Printer,
): void => {
  const { strong } = out.palette
  out.line(`${strong(`ligature ${name}`)}: ${command.summary}`)
  out.line()
  out.line(`${strong("Usage")}  ligature ${name} ${command.usage}`.trimEnd())
  out.line()
  for (const paragraph of command.help.split("\n\n")) {
    const isTable = paragraph.startsWith("  ")
    const lines = isTable ? paragraph.split("\n") : wrap(paragraph.replaceAll("\n", " "), out.width)
    for (const line of lines) out.line(line)
    out.line()
  }
  if (below.length > 0) {
    out.line(strong("Commands"))
    for (const [each, { summary }] of below) out.line(`  ${out.palette.accent(pad(each, 10))}${summary}`)
    out.line()
  }
  out.line(strong("Options"))
  printOptions([...command.options, ...alwaysOptions], out)
  if (command.examples.length === 0) return
  out.line()
  out.line(strong("Examples"))
  printExamples(command.examples, out)
}

export const printGeneralHelp = (all: readonly (readonly [name: string, command: Command])[], out: Printer): void => {
  const { strong, accent } = out.palette
  out.line(`${strong("ligature")}: keeps tool-calling conversations valid, for every provider`)
  out.line()
  const intro =
    "A provider refuses a history in which a call and its result have come apart. Ligature reads any such history, " +
    "says what is wrong and where, repairs it with a report of everything it did, and writes it for any provider."
  for (const line of wrap(intro, out.width)) out.line(line)
  out.line()
  out.line(`${strong("Usage")}  ligature COMMAND [FILE…] [OPTIONS]`)
  out.line("       ligature                      a tour: damaged histories, before and after")
  out.line()
  out.line(strong("Commands"))
  for (const [name, command] of all) out.line(`  ${accent(pad(name, 10))}${command.summary}`)
  out.line()
  out.line(strong("Files"))
  const files =
    "A request body, a list of messages, JSON lines of either, or a log around them. The format is seen from the " +
    "content; --from names it. A dash reads stdin. Inputs are never overwritten, except by repair --in-place, which " +
    "keeps a .bak."
  for (const line of wrap(files, out.width - 2)) out.line(`  ${line}`)
  out.line()
  out.line(strong("Exit codes"))
  out.line("  0  fine     1  findings     2  something could not be read, written or understood")
  out.line()
  out.line(strong("Examples"))
  printExamples(
    [
      ["ligature check request.json", "what is wrong with it, and where"],
      ["ligature repair request.json -o repaired.json", "the same request, lawful"],
      ["ligature convert request.json --to openai-chat", "as a request for another provider"],
      ["pbpaste | ligature classify --history request.json", "what a provider's error means, and where"],
    ],
    out,
  )
  out.line()
  out.line(`${strong("ligature COMMAND --help")} explains one command; ${strong("--version")} prints the version.`)
}
