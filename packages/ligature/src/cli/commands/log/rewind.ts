/** `ligature log rewind`: the next entry goes after another one. Nothing is deleted. */
import { phrase, shellNames } from "../../../model/index.ts"
import { appendOptionsOf, entryNamed, expectTipOption, operationOption, rootName } from "../../store/append-options.ts"
import { type Command, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { storeOption } from "../../store/store-location.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"

export const rewind: Command = {
  summary: "go back to an entry, or switch to another branch",
  usage: `ID ENTRY|${rootName} [--reason TEXT] [OPTIONS]`,
  help: `Moves the tip: the next entry goes after ENTRY, and a model sees the path that ends there. Later entries stay as a branch
(ligature log branch lists them), and rewinding to the tip of that branch brings them back. Entries that a summary after
ENTRY covered are visible again too. ${rootName} starts over.`,
  options: [
    { name: "reason", value: "TEXT", text: "a note that is stored with the move" },
    expectTipOption,
    operationOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log show ID --entries", "list the entries"],
    ["ligature log rewind ID 4j2k8s0q1m3n", "go back to one of them"],
  ],
  run: (context) => {
    const [id, entry] = wordsOf(context, "log rewind", ["ID", "ENTRY"] as const)
    const { out, err, arguments: given } = context
    const reason = given.text("reason")
    return withStore(context, async ({ store }) => {
      const before = (await store.load(id, { last: 1 })).tip
      const to = entryNamed(entry)
      const move = { kind: "tip" as const, to, ...(reason !== undefined && { reason }) }
      const { tip } = await store.append(id, [move], appendOptionsOf(context))
      if (given.flag("json")) printJson("log rewind", 0, { conversation: id, before, tip }, out)
      else {
        err.line(`${err.palette.good("✓")} ${phrase`the tip of ${id} is ${tip ?? phrase`before the first entry`}`}`)
        if (before === null || before === tip) return 0
        err.line(err.palette.quiet(`  ${phrase`to go back: ${`ligature log rewind ${shellNames(id, before)}`}`}`))
      }
      return 0
    })
  },
}
