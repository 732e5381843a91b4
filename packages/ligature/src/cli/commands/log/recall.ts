/** `ligature log recall`: reads back from a stored conversation what a compaction took out of its view. */
import { recall as readRecall } from "../../../compact/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { type AskedRecall, askedRecall, printRecalled, recallOptions } from "../../compact/recall-options.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { withStore } from "../../store/with-store.ts"

const run = async (asked: AskedRecall, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const { from, request, limitCharacters } = asked
  const recalled = await readRecall.read(store, from, request, { limitCharacters })
  return printRecalled("log recall", { conversation: from }, asked, recalled, context)
}

export const recall: Command = {
  summary: "read content that a compaction elided, by handle or by search",
  usage: "ID HANDLE | ID --search TEXT",
  help: `Gives the same answers as the recall tool of an agent: handles count all items of the path, including those compacted
since. #12 is the twelfth item, #12.2 the result of its second call, #12.2:5-9 lines 5 to 9 of that result, #3-#7 the
items from the third to the seventh, one at a time. The # may be left out.

--search TEXT prints one line per match, with its handle; with a handle the search starts there. Entries hidden by a person
stay hidden. Exit code 1: nothing was found.

Images and files are named; --json has those of a complete item or result under media, at most five.`,
  options: [...recallOptions, storeOption, jsonOption],
  examples: [
    ["ligature log recall ID 12.2", "the result of the second call of the twelfth item"],
    ["ligature log recall ID --search ECONNREFUSED", "every line with this text"],
  ],
  run: async (context) => {
    const asked = askedRecall(context, "log recall", "ID")
    return withStore(context, (opened) => run(asked, opened, context))
  },
}
