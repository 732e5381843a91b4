/** `ligature formats`: what can be read and written. */
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

const writing = { any: "read, write", own: "read, repair", none: "read" } as const

const print = ({ out }: Context): void => {
  out.line(out.palette.strong("Requests and message lists, read and written"))
  printTable(
    [{ title: "format" }, { title: "what it is" }, { title: "messages in" }, { title: "profiles", flexible: "end" }],
    wireFormats().map(({ format, title, list, profiles: names }) => [format, title, `{"${list}": […]}`, names.join(", ")]),
    out,
  )
  out.line()
  out.line(out.palette.strong("Sessions of agents"))
  printTable(
    [{ title: "format" }, { title: "what it is", flexible: "end" }, { title: "" }, { title: "also called" }],
    sessionFormats().map(({ format, title, writes, aliases }) => [format, title, writing[writes], aliases.join(", ")]),
    out,
  )
}

export const formats: Command = {
  summary: "list the formats that can be read and written",
  usage: "[--json]",
  help: `Requests and message lists of every format are read and written. Sessions are read; where it says write, the
sessions of other agents can be moved there; where it says repair, only its own can be written back. The format of a
file is seen from its content; --from and --to take these names.`,
  options: [jsonOption],
  examples: [["ligature formats", "the list"]],
  run: async (context): Promise<ExitCode> => {
    if (!context.arguments.flag("json")) print(context)
    else printJson("formats", 0, { formats: wireFormats(), sessions: sessionFormats() }, context.out)
    return 0
  },
}
