/** `ligature recall`: reads content that a compaction elided. */
import { recall as readRecall } from "../../compact/index.ts"
import { isCompactedView } from "../../compact/internal.ts"
import { settle } from "../../rules/index.ts"
import { LigatureError, phrase } from "../../model/index.ts"
import { branchOption, type Command, type Context, type ExitCode, fromOption, jsonOption, viewOption } from "../frame/command.ts"
import { assertNoStore } from "../input/own-store.ts"
import { printFailure, printProblems } from "../print/problem.ts"
import { warnAlreadyCompacted } from "../compact/view-made.ts"
import { type AskedRecall, askedRecall, numberOf, printRecalled, recallOptions } from "../compact/recall-options.ts"
import { count } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { readingOf } from "../output/visit-sources.ts"

const recallFromFile = async (asked: AskedRecall, context: Context): Promise<ExitCode> => {
  const { arguments: given, io, err } = context
  const chosen = numberOf(context, "conversation", 1)
  await assertNoStore(asked.from, "ligature log recall ID HANDLE", io)
  const source = await Source.read(asked.from, readingOf(context), io)
  printProblems(source, err, { withNotes: false })
  const many = source.parts.length
  // The problem was printed above.
  if (many === 0 && source.problems.length > 0) return 2
  const part = source.parts[chosen - 1]
  if (part === undefined) {
    const what =
      many === 0
        ? phrase`The file has no conversation.`
        : phrase`The file has ${count(many, "conversation")}, so there is no conversation ${chosen}.`
    throw new LigatureError("cannot-read", what)
  }
  if (many > 1 && !given.flag("conversation")) {
    const text = phrase`${source.name} has ${count(many, "conversation")}; this is the first. --conversation N reads another.`
    err.line(`${err.palette.accent("note")}: ${text}`)
  }
  const { conversation } = settle(source.transcript(part), { tip: "open" })
  if (isCompactedView(conversation)) warnAlreadyCompacted(source.labelOf(chosen - 1), err)
  const { request, limitCharacters } = asked
  const recalled = readRecall.read(conversation, request, { limitCharacters })
  return printRecalled("recall", { file: source.name }, asked, recalled, context)
}

const run = async (context: Context): Promise<ExitCode> => {
  const asked = askedRecall(context, "recall", "FILE")
  try {
    return await recallFromFile(asked, context)
  } catch (error) {
    if (!LigatureError.is(error)) throw error
    printFailure(asked.from, error, context.err)
    return 2
  }
}

export const recall: Command = {
  summary: "read content that a compaction elided, by handle or by search",
  usage: "FILE HANDLE | FILE --search TEXT",
  help: `A compacted view refers to elided content by handles: #12 is the twelfth item of the history, #12.2 the result of
its second tool call, #12.2:5-9 lines 5 to 9 of that result, #3-#7 the items from the third to the seventh, one at a time.
Give the original file and a handle. The # may be omitted, because most shells treat it as the beginning of a comment.

--search TEXT searches all content (messages, arguments, results) and prints one line per match, with the handle that shows
it. With a handle the search starts there. Exit code 1: nothing was found.

For conversations in a store use: ligature log recall ID HANDLE.

Images and files are only listed; --json contains those of a whole item or result under media, five at most.`,
  takesSessions: true,
  options: [
    ...recallOptions,
    { name: "conversation", value: "N", text: "in a file with several conversations, read the Nth (default 1)" },
    fromOption,
    branchOption,
    viewOption,
    jsonOption,
  ],
  examples: [
    ["ligature recall session.jsonl 12.2", "the result of the second tool call of the twelfth item"],
    ["ligature recall session.jsonl 12.2:100-140", "some lines of it"],
    ["ligature recall session.jsonl --search ECONNREFUSED", "every line that contains this text"],
  ],
  run,
}
