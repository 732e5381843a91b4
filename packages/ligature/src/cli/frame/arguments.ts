/**
 * Command line to values. Options are declared once as data: parsing, help and the suggestion for a mistyped name all
 * read the same declaration. node:util splits the arguments; validation is done here, because its messages do not name
 * a solution.
 */
import { parseArgs } from "node:util"
import { phrase } from "../../model/index.ts"
import { suggestion } from "../../model/nearest.ts"
import { UsageError } from "./usage-error.ts"

export interface OptionSpec {
  readonly name: string
  readonly short?: string
  /** What the value is, in capitals, for the help; absent for a flag. */
  readonly value?: string
  readonly repeatable?: true
  readonly text: string
}

/** Options that every command takes. */
export const alwaysOptions: readonly OptionSpec[] = [
  { name: "color", value: "WHEN", text: "auto (default), always or never; NO_COLOR is respected" },
  { name: "no-color", text: "the same as --color=never" },
  { name: "quiet", short: "q", text: "print only what was asked for and errors: no notes, no summaries on stderr" },
  { name: "lang", value: "LANGUAGE", text: "language of the output: en or zh-CN (default: LIGATURE_LANG or the locale)" },
  { name: "verbose", text: "print every repair and every change of the encoding to stderr, like DEBUG=ligature:*" },
  { name: "help", short: "h", text: "explain this command" },
]

export class Arguments {
  readonly positionals: readonly string[]
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(positionals: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.positionals = positionals
    this.#values = values
  }

  withPositionals(positionals: readonly string[]): Arguments {
    return new Arguments(positionals, this.#values)
  }

  flag(name: string): boolean {
    return this.#values.has(name)
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  list(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

const longNames = (specs: readonly OptionSpec[]): readonly string[] => specs.map(({ name }) => `--${name}`)

/** `command` is empty for the program itself. */
export const parseArguments = (command: string, given: readonly string[], own: readonly OptionSpec[]): Arguments => {
  const specs = [...own, ...alwaysOptions]
  const options = Object.fromEntries(
    specs.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short !== undefined && { short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true })
  const positionals: string[] = []
  const values = new Map<string, string[]>()
  const program = command === "" ? "ligature" : `ligature ${command}`
  const seeHelp = phrase`See: ${`${program} --help`}`
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value)
    if (token.kind !== "option") continue
    const spec = specs.find(({ name }) => name === token.name)
    if (spec === undefined) {
      throw new UsageError(
        phrase`${command === "" ? program : command} has no option ${token.rawName}`,
        suggestion(token.rawName, longNames(specs)) ?? seeHelp,
      )
    }
    if (spec.value === undefined) {
      if (token.value !== undefined) throw new UsageError(phrase`${token.rawName} takes no value`, seeHelp)
      values.set(spec.name, [])
      continue
    }
    const isMissing = token.value === undefined || token.value === ""
    // `--from --json`: the next option is not a value. A lone dash is one: it means stdin or stdout.
    if (isMissing || (token.inlineValue !== true && /^-./.test(token.value ?? ""))) {
      throw new UsageError(phrase`${token.rawName} needs a value: ${`${token.rawName} ${spec.value}`}`, seeHelp)
    }
    const before = values.get(spec.name)
    if (before !== undefined && spec.repeatable !== true) {
      throw new UsageError(phrase`${token.rawName} is given twice`, phrase`Give it once.`)
    }
    values.set(spec.name, [...(before ?? []), token.value ?? ""])
  }
  return new Arguments(positionals, values)
}
