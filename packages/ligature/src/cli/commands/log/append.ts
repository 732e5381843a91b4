/** `ligature log append`: writes messages after the tip. */
import { codecs, findCodec, isSessionCodec } from "../../../convert/index.ts"
import { withCallIds } from "../../../agent/resume/index.ts"
import { fieldsLeftOut, messageEntries } from "../../../agent/resume/imported.ts"
import { LigatureError, type Message, phrase, result, type ResultBlock, user } from "../../../model/index.ts"
import { type Loaded, type NewEntry } from "../../../store/index.ts"
import { recoveryPlan } from "../../../store/recovery.ts"
import { newId } from "../../../store/inputs.ts"
import { appendOptionsOf, expectTipOption, operationOption } from "../../store/append-options.ts"
import { type Command, type Context, type ExitCode, fromOption, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printProblems } from "../../print/problem.ts"
import { printPlan } from "../../print/recovery.ts"
import { count } from "../../frame/text.ts"
import { Source } from "../../input/source.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { readingOf } from "../../output/visit-sources.ts"
import { withStore } from "../../store/with-store.ts"

const open = async (file: string, context: Context): Promise<Source> => {
  try {
    return await Source.read(file, readingOf(context), context.io)
  } catch (error) {
    throw LigatureError.is(error) ? new LigatureError(error.code, `${file}: ${error.message}`, { cause: error }) : error
  }
}

const messagesOfFile = async (file: string, context: Context): Promise<readonly Message[]> => {
  const source = await open(file, context)
  printProblems(source, context.err, { withNotes: false })
  const [part, ...more] = source.parts
  if (source.isUnreadable || source.isPartial || !part) {
    throw new LigatureError("cannot-read", phrase`${source.name} could not be read as a whole, so nothing was appended`)
  }
  if (more.length > 0) {
    const what = phrase`${source.name} has ${source.parts.length} conversations, and append takes the messages of one`
    throw new UsageError(what, phrase`${"ligature log import"} makes a conversation of each.`)
  }
  const codec = findCodec(part.format)
  if (codec && isSessionCodec(codec)) {
    const what = phrase`${source.name} is a ${codec.title}, not a list of messages`
    throw new UsageError(what, phrase`${"ligature log import"} imports a session.`)
  }
  const transcript = source.transcript(part)
  const left = part.format in codecs ? Object.keys(fieldsLeftOut(transcript)) : []
  const { err } = context
  if (left.length > 0) err.line(err.palette.quiet(phrase`not kept, a log takes messages only: ${left.join(", ")}`))
  return transcript.messages
}

/** `CALL=TEXT`: a tool's answer. */
const resultNamed = (given: string): ResultBlock => {
  const at = given.indexOf("=")
  if (at < 1) throw new UsageError(phrase`--result is CALL=TEXT, not ${given}`, phrase`For example: ${"--result call_1='3 files'"}`)
  return result(given.slice(0, at), given.slice(at + 1))
}

const denial = (call: string): ResultBlock => ({
  ...result(call, "The user denied this call; it was not run."),
  error: true,
  denied: true,
})

const answersOf = ({ arguments: given }: Context): readonly ResultBlock[] => [
  ...given.list("result").map(resultNamed),
  ...given.list("deny").map(denial),
]

/** The calls that are answered must be there and open: a mistyped id would be an orphan for good. */
const insistOpen = (loaded: Loaded, answers: readonly ResultBlock[], operation: string | undefined): void => {
  if (answers.length === 0) return
  const open = recoveryPlan(loaded).openCalls.map((call) => call.id)
  const { messages } = loaded.transcript
  const made = messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "call" ? [block.id] : [])))
  // A write that is repeated finds its calls answered: by itself.
  const known = new Set(operation === undefined ? open : made)
  const wrong = answers.find(({ callId }) => !known.has(callId))
  if (wrong === undefined) return
  const wayOut = open.length === 0 ? phrase`No call is open.` : phrase`Open calls: ${open.join(", ")}`
  throw new UsageError(phrase`No call ${wrong.callId} is open`, wayOut)
}

const entriesOf = async (files: readonly string[], loaded: Loaded, context: Context): Promise<readonly NewEntry[]> => {
  const answers = answersOf(context)
  insistOpen(loaded, answers, context.arguments.text("operation"))
  const messages: Message[] = []
  for (const file of files) for (const message of await messagesOfFile(file, context)) messages.push(message)
  const { openCalls } = recoveryPlan(loaded)
  const open = openCalls.filter(({ id }) => !answers.some(({ callId }) => callId === id))
  const words = context.arguments.text("user")
  const entries: readonly NewEntry[] = [
    ...answers.map((answer) => ({ kind: "result" as const, result: answer })),
    ...messageEntries(withCallIds(messages, open, () => `call_${newId()}`)),
    ...(words === undefined ? [] : [{ kind: "message" as const, message: user(words) }]),
  ]
  if (entries.length > 0) return entries
  if (files.length > 0) throw new UsageError(phrase`Nothing to append: the input has no message`)
  throw new UsageError(phrase`Nothing to append: give FILE, - for stdin, or --user TEXT`, phrase`See: ${"ligature log append --help"}`)
}

const run = async (context: Context): Promise<ExitCode> => {
  const [id, ...files] = context.arguments.positionals
  if (id === undefined) throw new UsageError(phrase`${"log append"} needs ID`, phrase`See: ${"ligature log append --help"}`)
  return withStore(context, async ({ store }) => {
    const { out, err, arguments: given } = context
    const entries = await entriesOf(files, await store.load(id), context)
    const appended = await store.append(id, entries, appendOptionsOf(context))
    const plan = recoveryPlan(await store.load(id))
    if (given.flag("json")) {
      const { state, openCalls, reasons } = plan
      printJson("log append", 0, { conversation: id, ...appended, state, openCalls, reasons }, out)
      return 0
    }
    const what = count(appended.ids.length, "entry", "entries")
    const done = appended.repeated ? phrase`${what} had been written before` : phrase`appended ${what}`
    err.line(`${err.palette.good("✓")} ${done}; ${phrase`the tip is ${appended.tip ?? phrase`none`}`}`)
    if (plan.state === "damaged") printPlan(plan, err)
    else for (const call of plan.openCalls) err.line(err.palette.quiet(`  ${phrase`open: ${call.name} (${call.id})`}`))
    return 0
  })
}

export const append: Command = {
  summary: "append messages to a conversation",
  usage: "ID [FILE… | -] [--user TEXT] [--result CALL=TEXT] [--deny CALL] [OPTIONS]",
  help: `Reads messages of any format: a message, a list of messages, JSON lines, or the messages of a request. They are written
together or not at all, and are on disk when the command returns. Every message of the file is appended, so pass only the
new ones.

Messages need not form a valid history: the log keeps what happened, and every view of it is repaired. Open calls and
damage are reported on stderr.

--result answers an open call, --deny records that it must not run. With --expect-tip nothing is written if another
process wrote in the meantime; with --operation a repeated command writes nothing twice.`,
  options: [
    { name: "user", value: "TEXT", text: "a user message, appended after the files" },
    { name: "result", value: "CALL=TEXT", repeatable: true, text: "the result of an open call; may be repeated" },
    { name: "deny", value: "CALL", repeatable: true, text: "an open call was denied and never ran; may be repeated" },
    fromOption,
    expectTipOption,
    operationOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log append ID --user 'Go on.'", "a user message"],
    ["jq .choices[0].message reply.json | ligature log append ID -", "a model's answer"],
    ["ligature log append ID messages.json --expect-tip 4j2k8s0q1m3n", "only if nobody else wrote in the meantime"],
    ["ligature log append ID --deny call_7", "no, do not run it"],
  ],
  run,
}
