/** `ligature recall`: reads back what a compaction elided. */
import { recall as recallFrom } from "../../compact/recall/index.ts"
import { settle } from "../../laws/index.ts"
import { LigatureError } from "../../model/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  viewOption,
} from "../command.ts"
import { printFailure, printProblems } from "../print/problem.ts"
import { printJson } from "../print/json.ts"
import { Source } from "../source.ts"
import { UsageError } from "../usage-error.ts"
import { readingOf } from "../visit-sources.ts"

const wholeNumber = (given: string, name: string): number => {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new UsageError(`--${name} is a number from 1 on, not ${given}`)
}

const run = async (context: Context): Promise<ExitCode> => {
  const { arguments: given, io, out, err } = context
  const [file, handle, ...more] = given.positionals
  const search = given.text("search")
  if (file === undefined || more.length > 0 || (handle === undefined && search === undefined)) {
    throw new UsageError("recall takes FILE HANDLE, or FILE --search TEXT", "See: ligature recall --help")
  }
  const chosen = wholeNumber(given.text("conversation") ?? "1", "conversation")
  const limitCharacters = wholeNumber(given.text("limit") ?? "1000000", "limit")
  try {
    const source = await Source.read(file, readingOf(context), io)
    printProblems(source, err, { withNotes: false })
    const part = source.parts[chosen - 1]
    if (part === undefined) {
      const many = source.parts.length
      throw new LigatureError(
        "cannot-read",
        many === 0 ? "There is no conversation in it." : `It holds ${many} conversations, not ${chosen}.`,
      )
    }
    const { conversation } = settle(source.transcript(part), { tip: "open" })
    const request = { ...(handle !== undefined && { handle }), ...(search !== undefined && { search }) }
    const recalled = recallFrom(conversation, request, { limitCharacters })
    const code: ExitCode = recalled.found ? 0 : 1
    if (given.flag("json")) printJson("recall", code, { file: source.name, ...request, ...recalled }, out)
    else (recalled.found ? out : err).line(recalled.text)
    return code
  } catch (error) {
    if (!LigatureError.is(error)) throw error
    printFailure(file, error, err)
    return 2
  }
}

export const recall: Command = {
  summary: "read back what a compaction elided, by handle or by search",
  usage: "FILE HANDLE | FILE --search TEXT",
  help: `A compacted view names what it left out by handles: #12 is the twelfth item of the history, #12.2 the result of
its second call, #12.2:5-9 lines 5 to 9 of that result. Give the file the view was made from, and a handle. The # may
be left out, because most shells take it for the beginning of a comment.

--search TEXT looks through everything that was said (messages, arguments, results) and prints one line per match, with
the handle that shows it. With a handle it starts there. Exit code 1: nothing was found.

Images and files are named; --json holds those of a whole item or result under media, five at most.`,
  options: [
    { name: "search", value: "TEXT", text: "find this text, upper and lower case alike" },
    { name: "conversation", value: "N", text: "of a file with several conversations, the Nth (default 1)" },
    { name: "limit", value: "CHARACTERS", text: "print at most so many; the last line names the handle that goes on" },
    fromOption,
    branchOption,
    viewOption,
    jsonOption,
  ],
  examples: [
    ["ligature recall session.jsonl 12.2", "the result of the second call of the twelfth item"],
    ["ligature recall session.jsonl 12.2:100-140", "some lines of it"],
    ["ligature recall session.jsonl --search ECONNREFUSED", "every line that says so"],
  ],
  run,
}
