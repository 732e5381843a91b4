/** `ligature formats`: what can be read and written. */
import { codecs, features } from "../../codecs/index.ts"
import { requestListKey } from "../../codecs/document/index.ts"
import { profiles } from "../../laws/index.ts"
import { type Command, type ExitCode, jsonOption } from "../command.ts"
import { printJson } from "../print/json.ts"
import { printTable } from "../print/table.ts"

const listKeys: Readonly<Record<string, string>> = requestListKey

export const formats: Command = {
  summary: "list the formats that can be read and written",
  usage: "[--json]",
  help: `Every format is read and written. The format of a file is seen from its content; --from and --to take these
names.`,
  options: [jsonOption],
  examples: [["ligature formats", "the list"]],
  run: async ({ arguments: given, out }): Promise<ExitCode> => {
    const all = Object.values(codecs).map((codec) => ({
      format: codec.format,
      title: codec.title,
      list: listKeys[codec.format] ?? "messages",
      profiles: Object.values(profiles).flatMap(({ name, format }) => (format === codec.format ? [name] : [])),
      noHomeFor: Object.entries(codec.capabilities.homes).flatMap(([feature, home]) =>
        home === "none" ? [features[feature as keyof typeof features]] : [],
      ),
    }))
    if (given.flag("json")) printJson("formats", 0, { formats: all }, out)
    else {
      printTable(
        [
          { title: "format" },
          { title: "what it is" },
          { title: "messages in" },
          { title: "profiles", flexible: "end" },
        ],
        all.map(({ format, title, list, profiles: names }) => [format, title, `{"${list}": […]}`, names.join(", ")]),
        out,
      )
    }
    return 0
  },
}
