/** `ligature log export`: a conversation as a file of any format. */
import { phrase } from "../../../model/index.ts"
import { resolve } from "node:path"
import { fileValueOf } from "../../../convert/index.ts"
import { exportFrom } from "../../../agent/resume/index.ts"
import { type Command, type Context, type ExitCode, outOption, policyOption, reportOption } from "../../frame/command.ts"
import { fileText, pretty } from "../../output/file-text.ts"
import { privateMode, writeOutput } from "../../input/files.ts"
import { jsonVersion } from "../../print/json.ts"
import { printSessionPlace } from "../../print/session-place.ts"
import { printLosses } from "../../output/summary.ts"
import { count } from "../../frame/text.ts"
import { countedByRule, traceReport } from "../../output/report.ts"
import { policiesOf, styleOf } from "../../frame/settings.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { targetOf } from "../../output/target.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"
import { entryPlaces } from "./entry-places.ts"
import { pathOf, pathOptions } from "./show.ts"

const run = async (id: string, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, err, io, arguments: given } = context
  const { to, profile, session } = targetOf(context, "log export")
  const style = styleOf(context)
  const loaded = await store.load(id, pathOf(context))
  const { value, list, report } = exportFrom(loaded, {
    format: to,
    ...(profile && { profile }),
    ...(style && { style }),
    show: given.flag("all") ? "all" : "compacted",
    policies: policiesOf(context),
  })
  const text = list === undefined ? fileText(value, session) : pretty(list)
  const file = given.text("out")
  const isFile = file !== undefined && file !== "-"
  if (isFile) await writeOutput(resolve(io.cwd, file), text, privateMode)
  const reportFile = given.text("report")
  if (reportFile !== undefined) {
    const target = { to, ...(profile && { profile: profile.name }) }
    const told = { version: jsonVersion, command: "log export", conversation: id, ...target, ...report }
    await writeOutput(resolve(io.cwd, reportFile), pretty(told), privateMode)
  }
  if (!isFile) out.write(text)
  traceReport(id, report, entryPlaces(given.flag("all") ? [] : loaded.sources), context)
  const { entries, losses } = report
  const changed = `${count(entries.length, "change")} (${countedByRule(entries)})`
  const changes = entries.length === 0 ? phrase`nothing had to be changed` : changed
  err.line(`${err.palette.good("✓")} ${phrase`exported ${id} to ${to}`}${isFile ? ` (${file})` : ""}: ${changes}`)
  printLosses(losses, err)
  const place = session?.session.place?.(fileValueOf(session, value))
  if (place) printSessionPlace(place, err)
  return 0
}

export const exportConversation: Command = {
  summary: "write a conversation as a file of any format",
  usage: "ID --to FORMAT [--for PROFILE] [-o OUT] [OPTIONS]",
  help: `Writes what a model would see (--all: every message of the path) as a request body, a list of messages, or a session file
that another agent opens. Undamaged content of that same format comes back equal, the fields around the messages included.
What the format cannot express is reported on stderr; --report writes the complete report as JSON.

The result is a file to keep or to open elsewhere. For the request of the next turn, with open calls closed and a user
message after them: ligature resume.`,
  options: [
    { name: "to", value: "FORMAT", text: "the format to write, or the name of a profile" },
    { name: "for", value: "PROFILE", text: "the provider whose requirements it must meet" },
    outOption,
    ...pathOptions,
    { name: "all", text: "also what was hidden or summarised" },
    { name: "style", value: "STYLE", text: "write all tool calls as blocks (json) or as text in tags (xml)" },
    policyOption,
    reportOption,
    storeOption,
  ],
  examples: [
    ["ligature log export ID --to anthropic -o request.json", "as a request body"],
    ["ligature log export ID --to codex -o rollout.jsonl", "as a session of another agent"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "log export", ["ID"] as const)
    return withStore(context, (opened) => run(id, opened, context))
  },
}
