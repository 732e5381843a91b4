/** `ligature resume`: the valid request for the next turn of a stored conversation. */
import { resolve } from "node:path"
import { resume as resumeConversation, type Resumed } from "../../loop/resume/index.ts"
import { type Command, type Context, type ExitCode, jsonOption, outOption, policyOption } from "../command.ts"
import { pretty } from "../output/file-text.ts"
import { writeOutput } from "../input/files.ts"
import { printJson } from "../print/json.ts"
import { printPlan } from "../print/recovery.ts"
import { printLosses } from "../print/summary.ts"
import { count } from "../print/text.ts"
import { countedByRule, traceReport } from "../output/report.ts"
import { policiesOf, styleOf } from "../settings.ts"
import { type OpenedStore, storeOption } from "../store/store-location.ts"
import { targetOf } from "../target.ts"
import { UsageError } from "../usage-error.ts"
import { withStore, wordsOf } from "../store/with-store.ts"
import { entryPlaces } from "./log/entry-places.ts"
import { pathOf, pathOptions } from "./log/show.ts"

const waitingOf = ({ arguments: given }: Context): "refuse" | "close" => {
  const waiting = given.text("waiting") ?? "refuse"
  if (waiting === "refuse" || waiting === "close") return waiting
  throw new UsageError(`--waiting is refuse or close, not ${waiting}`)
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
    ...(ready && { request: resumed.request }),
  }
}

/** The last turn is finished: a request that ends there asks for nothing. */
const isUsersTurn = ({ conversation }: Resumed): boolean => {
  const last = conversation.items.at(-1)
  return last?.role === "exchange" && (last.reply !== undefined || last.outcomes.length === 0)
}

const tell = (resumed: Resumed, written: number, { err }: Context): void => {
  printPlan(resumed.plan, err)
  const { entries, losses } = resumed.report
  if (entries.length > 0) err.line(`  ${count(entries.length, "change")} for the request: ${countedByRule(entries)}`)
  printLosses(losses, err)
  if (resumed.ready && isUsersTurn(resumed)) {
    err.line(err.palette.quiet("  The last turn is finished: --user TEXT says what comes next."))
  }
  if (written > 0) err.line(`${err.palette.good("✓")} appended ${count(written, "entry", "entries")}`)
  else if (resumed.append.length > 0) {
    const what = `The request says ${count(resumed.append.length, "thing")} the log does not say yet`
    err.line(err.palette.quiet(`  ${what}: --append writes ${resumed.append.length === 1 ? "it" : "them"} too.`))
  }
}

const run = async (id: string, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, io, arguments: given } = context
  const { to, profile, session } = targetOf(context, "resume")
  if (session !== undefined) {
    const wayOut = `ligature log export ${id} --to ${to} writes that file.`
    throw new UsageError(`${to} is a file of an agent, not a request`, wayOut)
  }
  const style = styleOf(context)
  const user = given.text("user")
  const tools = given.list("tool")
  const resumed = await resumeConversation(store, id, {
    format: to,
    ...(profile && { profile }),
    ...(style && { style }),
    ...(user !== undefined && { user }),
    ...(tools.length > 0 && { tools }),
    ...pathOf(context),
    waiting: waitingOf(context),
    policies: policiesOf(context),
  })
  const { append, loaded } = resumed
  if (resumed.conversation.items.length === 0) {
    throw new UsageError(`Nothing was said in ${id} yet, so there is nothing to send`, "Give --user TEXT.")
  }
  // What the request says must be in the log before anybody can send it.
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
    if (file === undefined || file === "-") out.write(pretty(resumed.request))
    else await writeOutput(resolve(io.cwd, file), pretty(resumed.request))
  }
  tell(resumed, writes ? append.length : 0, context)
  if (!resumed.ready) {
    const call = resumed.waiting[0]?.id ?? "CALL"
    context.err.line(`  ligature log append ${id} --result ${call}=TEXT, or --deny ${call}, or resume --waiting close`)
  }
  return code
}

export const resume: Command = {
  summary: "print the valid request for the next turn of a stored conversation",
  usage: "ID --to FORMAT [--for PROFILE] [--style xml|json] [--user TEXT] [OPTIONS]",
  help: `Opens a conversation after whatever happened to it. The request goes to stdout, and how the conversation is goes
to stderr: clean, with open calls (which become interrupted: nobody knows how far they got), or damaged, with what was
salvaged, what was invented and whether to look before going on.

The request is what the provider takes: settled, in one style of calls throughout (--style xml: as text in tags), with
the fields an import kept from the same format. Results that were finished before a crash are in it.

Calls that wait for approval stop it: nothing is printed and the exit code is 1, because a provider takes no request with
an unanswered call. Answer them (ligature log append ID --result CALL=TEXT or --deny CALL), or say --waiting close: then
the model is told that they never ran.

Nothing is written, unless --append is given: then the outcomes of open calls and the user's message are in the log
before the request is printed.`,
  options: [
    { name: "to", value: "FORMAT", text: "the format of the request; the name of a profile will do as well" },
    { name: "for", value: "PROFILE", text: "the provider it goes to (default: the one the format is named after)" },
    { name: "style", value: "STYLE", text: "calls as blocks (json, default) or as text in tags (xml), all alike" },
    { name: "user", value: "TEXT", text: "what the user says next" },
    { name: "waiting", value: "WHAT", text: "calls that wait for approval: refuse (default), or close them as never run" },
    { name: "append", text: "also write what the request says beyond the log" },
    { name: "tool", value: "NAME", repeatable: true, text: "a tool there is: finds calls of it stored as text; may be repeated" },
    ...pathOptions,
    outOption,
    policyOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature resume ID --to anthropic --user 'Go on.' > request.json", "the next request"],
    ["ligature resume ID --to mistral --user 'Go on.' --append", "and keep what it says"],
    ["ligature resume ID --to openai-chat --style xml", "for a model that calls tools in text"],
    ["ligature resume ID --to gemini --json", "the plan and the request as one JSON object"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "resume", ["ID"] as const)
    return withStore(context, (opened) => run(id, opened, context))
  },
}
