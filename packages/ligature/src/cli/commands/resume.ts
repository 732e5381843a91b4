/** `ligature resume`: the valid request for the next turn of a stored conversation. */
import { shellNames, shellOption } from "../../model/index.ts"
import { resolve } from "node:path"
import { resume as resumeConversation, type Resumed } from "../../agent/resume/index.ts"
import { type Command, type Context, type ExitCode, jsonOption, outOption, policyOption } from "../frame/command.ts"
import { pretty } from "../output/file-text.ts"
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

const trimOf = (given: string | undefined): number | undefined => {
  if (given === undefined) return undefined
  const tokens = Number(given)
  if (given.trim() !== "" && Number.isInteger(tokens) && tokens >= 0) return tokens
  throw new UsageError(`--trim is a number of tokens, not ${given}`, "0 shows every result whole.")
}

const run = async (id: string, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, io, arguments: given } = context
  const { to, profile, session } = targetOf(context, "resume")
  if (session !== undefined) {
    const wayOut = `ligature log export --to ${to} ${shellNames(id)} writes that file.`
    throw new UsageError(`${to} is a file of an agent, not a request`, wayOut)
  }
  const style = styleOf(context)
  const user = given.text("user")
  const tools = given.list("tool")
  const trim = trimOf(given.text("trim"))
  const resumed = await resumeConversation(store, id, {
    format: to,
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
    else await writeOutput(resolve(io.cwd, file), pretty(resumed.request), privateMode)
  }
  tell(resumed, writes ? append.length : 0, context)
  if (!resumed.ready) {
    const call = resumed.waiting[0]?.id ?? "CALL"
    const [result, deny] = [shellOption("--result", call), shellOption("--deny", call)]
    context.err.line(`  ligature log append ${result}=TEXT ${shellNames(id)}, or ${deny} instead of --result, or resume --waiting close`)
  }
  return code
}

export const resume: Command = {
  summary: "print the valid request for the next turn of a stored conversation",
  usage: "ID --to FORMAT [--for PROFILE] [--style xml|json] [--user TEXT] [OPTIONS]",
  help: `Opens a conversation after whatever happened to it. The request goes to stdout, and how the conversation is goes
to stderr: clean, with open calls (which become interrupted: nobody knows how far they got), or damaged, with what was
salvaged, what was invented and whether to look before going on.

The request is what the provider takes: settled, in one style of calls throughout, with the fields an import kept from the
same format. The style is that of the conversation so far; --style changes it, and --append keeps the change. Results that were finished before a crash are in it.

Calls that wait for approval stop it: nothing is printed and the exit code is 1, because a provider takes no request with
an unanswered call. Answer them (ligature log append ID --result CALL=TEXT or --deny CALL), or say --waiting close: then
the model is told that they never ran.

--policy unansweredCall=drop-message (or drop-call) leaves open calls out of the request instead of telling the model
that they were interrupted, and --append takes them off the path of the log; they stay there as a branch.

Nothing is written, unless --append is given: then the outcomes of open calls and the user's message are in the log
before the request is printed.

A new result that is very large is shown with head and tail (--trim), and the model is told so; with --tool recall also how
to read the rest. The log keeps it whole.`,
  options: [
    { name: "to", value: "FORMAT", text: "the format of the request; the name of a profile will do as well" },
    { name: "for", value: "PROFILE", text: "the provider it goes to (default: the one the format is named after)" },
    { name: "style", value: "STYLE", text: "calls as blocks (json) or as text in tags (xml), all alike (default: as in the conversation so far)" },
    { name: "user", value: "TEXT", text: "what the user says next" },
    { name: "waiting", value: "WHAT", text: "calls that wait for approval: refuse (default), or close them as never run" },
    { name: "append", text: "also write what the request says beyond the log" },
    { name: "trim", value: "TOKENS", text: "show new results that are larger with head and tail (default 20,000; 0: show all whole)" },
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
