/** `ligature formats`: the formats that can be read and written. */
import { phrase } from "../../model/index.ts"
import { codecs, features } from "../../convert/index.ts"
import { sessionCodecs } from "../../registry/sessions.ts"
import { listKeyOf } from "../../document/index.ts"
import { profiles } from "../../rules/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { printTable } from "../print/table.ts"

const noHomeFor = (homes: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(homes).flatMap(([feature, home]) => (home === "none" ? [features[feature as keyof typeof features]] : []))

const wireFormats = () =>
  Object.values(codecs).map(({ format, title, capabilities }) => ({
    format,
    title,
    list: listKeyOf(format),
    profiles: Object.values(profiles).flatMap((profile) => (profile.format === format ? [profile.name] : [])),
    noHomeFor: noHomeFor(capabilities.homes),
  }))

const sessionFormats = () =>
  Object.values(sessionCodecs).map(({ format, title, capabilities, session }) => ({
    format,
    title,
    agent: session.agent,
    writes: session.writes,
    aliases: session.aliases,
    noHomeFor: noHomeFor(capabilities.homes),
  }))

/** Called when printed: the language is chosen by then. */
const support = {
  any: () => phrase`read, write`,
  own: () => phrase`read, repair`,
  none: () => phrase`read`,
} as const

const print = ({ out }: Context): void => {
  out.line(out.palette.strong(phrase`Requests and message lists: read and write`))
  printTable(
    [
      { title: phrase`format` },
      { title: phrase`title` },
      { title: phrase`messages`, isSpare: true },
      { title: phrase`profiles`, flexible: "end" },
    ],
    wireFormats().map(({ format, title, list, profiles: names }) => [format, title, `{"${list}": […]}`, names.join(", ")]),
    out,
  )
  out.line()
  out.line(out.palette.strong(phrase`Sessions of agents`))
  printTable(
    [{ title: phrase`format` }, { title: phrase`title`, flexible: "end" }, { title: "" }, { title: phrase`aliases`, isText: true }],
    sessionFormats().map(({ format, title, writes, aliases }) => [format, title, support[writes](), aliases.join(", ")]),
    out,
  )
}

export const formats: Command = {
  summary: "list the formats that can be read and written",
  usage: "[--json]",
  help: `Requests and message lists can be read and written in every format. Sessions can be read; "write" means that the
sessions of other agents can be converted to this format, "repair" that only its own sessions can be written. The format of
a file is detected from its content; --from and --to take these names.`,
  options: [jsonOption],
  examples: [["ligature formats", "the list"]],
  run: async (context): Promise<ExitCode> => {
    if (!context.arguments.flag("json")) print(context)
    else printJson("formats", 0, { formats: wireFormats(), sessions: sessionFormats() }, context.out)
    return 0
  },
}
