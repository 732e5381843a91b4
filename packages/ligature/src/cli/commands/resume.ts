/** `ligature resume`: the valid request for the next turn of a stored conversation. */
import { phrase, shellNames, shellOption } from "../../model/index.ts"
import { resolve } from "node:path"
import { resume as resumeConversation, type Resumed } from "../../agent/resume/index.ts"
import { type Command, type Context, type ExitCode, jsonOption, outOption, policyOption } from "../frame/command.ts"
import { pretty } from "../output/file-text.ts"
import type { WireFormat } from "../../convert/index.ts"
import { privateMode, writeOutput } from "../input/files.ts"
import { printJson } from "../print/json.ts"
import { printPlan } from "../print/recovery.ts"
import { printLosses } from "../output/summary.ts"
import { count } from "../frame/text.ts"
import { countedByRule, traceReport } from "../output/report.ts"
import { policiesOf, styleOf } from "../frame/settings.ts"
import { type OpenedStore, storeOption } from "../store/store-location.ts"
import { targetOf } from "../output/target.ts"
import { UsageError } from "../frame/usage-error.ts"
import { withStore, wordsOf } from "../store/with-store.ts"
import { entryPlaces } from "./log/entry-places.ts"
import { pathOf, pathOptions } from "./log/show.ts"

const waitingOf = ({ arguments: given }: Context): "refuse" | "close" => {
  const waiting = given.text("waiting") ?? "refuse"
  if (waiting === "refuse" || waiting === "close") return waiting
  throw new UsageError(phrase`--waiting is refuse or close, not ${waiting}`)
}

const asJson = (resumed: Resumed, tip: string | null): object => {
  const { plan, loaded, format, profile, style, append, ready, report } = resumed
  return {
    conversation: loaded.id,
    ready,
    to: format,
    ...(profile !== undefined && { profile }),
    style,
    plan,
    append,
    tip,
    report,
    ...(ready && { request: resumed.value }),
  }
}

/** The last turn is finished: a request that ends there asks the model for nothing. */
const isUsersTurn = ({ conversation }: Resumed): boolean => {
  const last = conversation.items.at(-1)
  return last?.role === "exchange" && (last.reply !== undefined || last.outcomes.length === 0)
}

const printOutcome = (resumed: Resumed, written: number, { err }: Context): void => {
  printPlan(resumed.plan, err)
  const { entries, losses } = resumed.report
  if (entries.length > 0) err.line(`  ${phrase`${count(entries.length, "change")} for the request: ${countedByRule(entries)}`}`)
  printLosses(losses, err)
  if (resumed.ready && isUsersTurn(resumed)) {
    err.line(err.palette.quiet(`  ${phrase`The last turn is finished: --user TEXT adds the next user message.`}`))
  }
  if (written > 0) err.line(`${err.palette.good("✓")} ${phrase`appended ${count(written, "entry", "entries")}`}`)
  else if (resumed.append.length > 0) {
    const missing = count(resumed.append.length, "entry", "entries")
    err.line(
      err.palette.quiet(`  ${phrase`The request contains ${missing} that the log does not have yet; --append writes to the log too.`}`),
    )
  }
}

const trimOf = (given: string | undefined): number | undefined => {
  if (given === undefined) return undefined
  const tokens = Number(given)
  if (given.trim() !== "" && Number.isInteger(tokens) && tokens >= 0) return tokens
  throw new UsageError(phrase`--trim is a number of tokens, not ${given}`, phrase`0 shows every result in full.`)
}

const run = async (id: string, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, io, arguments: given } = context
  const { to, profile, session } = targetOf(context, "resume")
  if (session !== undefined) {
    const wayOut = phrase`To write a session file: ${`ligature log export --to ${to} ${shellNames(id)}`}`
    throw new UsageError(phrase`resume writes requests, but ${to} is a session format`, wayOut)
  }
  const style = styleOf(context)
  const user = given.text("user")
  const tools = given.list("tool")
  const trim = trimOf(given.text("trim"))
  const resumed = await resumeConversation(store, id, {
    format: to as WireFormat,
    ...(profile && { profile }),
    ...(style && { style }),
    ...(user !== undefined && { user }),
    ...(tools.length > 0 && { tools }),
    ...(trim !== undefined && { trimResultTokens: trim }),
    ...pathOf(context),
    waiting: waitingOf(context),
    policies: policiesOf(context),
  })
  const { append, loaded } = resumed
  if (resumed.conversation.items.length === 0) {
    throw new UsageError(phrase`Conversation ${id} is empty, so there is nothing to send`, phrase`Give --user TEXT.`)
  }
  // The content of the request must be in the log before anybody can send it.
  const writes = given.flag("append") && append.length > 0
  const tip = writes ? (await store.append(id, append, { expectedTip: loaded.tip, durable: true })).tip : loaded.tip
  const code = resumed.ready ? 0 : 1
  traceReport(id, resumed.report, entryPlaces(loaded.sources), context)
  if (given.flag("json")) {
    printJson("resume", code, asJson(resumed, tip), out)
    return code
  }
  if (resumed.ready) {
    const file = given.text("out")
    if (file === undefined || file === "-") out.write(pretty(resumed.value))
    else await writeOutput(resolve(io.cwd, file), pretty(resumed.value), privateMode)
  }
  printOutcome(resumed, writes ? append.length : 0, context)
  if (!resumed.ready) {
    const call = resumed.waiting[0]?.id ?? "CALL"
    const [result, deny] = [shellOption("--result", call), shellOption("--deny", call)]
    const answer = `ligature log append ${result}=TEXT ${shellNames(id)}`
    context.err.line(`  ${phrase`${answer}, or ${deny} instead of --result, or resume --waiting close`}`)
  }
  return code
}

export const resume: Command = {
  summary: "print the valid request for the next turn of a stored conversation",
  usage: "ID --to FORMAT [--for PROFILE] [--style xml|json] [--user TEXT] [OPTIONS]",
  help: `Opens a conversation in any state, also after a crash. The request goes to stdout, and the state of the
conversation to stderr: clean, with open tool calls (which become interrupted, since their progress is unknown), or damaged,
with what was salvaged, what was generated, and whether to check before continuing.

The request is valid for the provider, has one style of tool calls, and keeps the fields of an import from the same format.
The style is that of the conversation so far; --style changes it, and --append keeps the change. Results that were complete
before a crash are included.

Tool calls that wait for approval prevent it: nothing is printed and the exit code is 1, because providers reject a request
with an unanswered tool call. Answer them (ligature log append ID --result CALL=TEXT or --deny CALL), or use --waiting close:
then the model is told that they never ran.

--policy unansweredCall=drop-message (or drop-call) omits open tool calls from the request instead of telling the model that
they were interrupted, and --append removes them from the active path of the log; they stay there as a branch.

Nothing is written unless --append is given: then the results of open tool calls and the user message are in the log before
the request is printed.

A very large new result is shortened to its beginning and end (--trim), and the model is told so; with --tool recall also
how to read the rest. The log keeps the full result.`,
  options: [
    { name: "to", value: "FORMAT", text: "format of the request, or the name of a profile" },
    { name: "for", value: "PROFILE", text: "target provider (default: the one the format is named after)" },
    {
      name: "style",
      value: "STYLE",
      text: "write all tool calls as blocks (json) or as text in tags (xml) (default: as in the conversation so far)",
    },
    { name: "user", value: "TEXT", text: "the next user message" },
    { name: "waiting", value: "WHAT", text: "tool calls that wait for approval: refuse (default), or close them as never run" },
    { name: "append", text: "also append to the log what only the request contains" },
    {
      name: "trim",
      value: "TOKENS",
      text: "shorten new results that are larger than this to their beginning and end (default 20,000; 0: never)",
    },
    { name: "tool", value: "NAME", repeatable: true, text: "name of a tool whose calls to find in stored text; repeatable" },
    ...pathOptions,
    outOption,
    policyOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature resume ID --to anthropic --user 'Go on.' > request.json", "the next request"],
    ["ligature resume ID --to mistral --user 'Go on.' --append", "and append the new entries to the log"],
    ["ligature resume ID --to openai-chat --style xml", "for a model that writes tool calls as text"],
    ["ligature resume ID --to gemini --json", "the plan and the request as one JSON object"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "resume", ["ID"] as const)
    return withStore(context, (opened) => run(id, opened, context))
  },
}
