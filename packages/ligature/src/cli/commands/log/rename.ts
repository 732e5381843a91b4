/** `ligature log rename`: gives a conversation a title. */
import { phrase } from "../../../model/index.ts"
import { appendOptionsOf, operationOption } from "../../store/append-options.ts"
import { type Command, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { storeOption } from "../../store/store-location.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"

export const rename: Command = {
  summary: "change the title of a conversation",
  usage: "ID TITLE [OPTIONS]",
  help: "The title is not part of the path: no model sees it, and rewinding does not restore an old one.",
  options: [operationOption, storeOption, jsonOption],
  examples: [["ligature log rename ID 'The flaky test'", "with a title of several words"]],
  run: (context) => {
    const [id, title] = wordsOf(context, "log rename", ["ID", "TITLE"] as const)
    const { out, err, arguments: given } = context
    return withStore(context, async ({ store }) => {
      await store.append(id, [{ kind: "rename", title }], appendOptionsOf(context))
      if (given.flag("json")) printJson("log rename", 0, { conversation: id, title }, out)
      else err.line(`${err.palette.good("✓")} ${phrase`${id} is now called ${title}`}`)
      return 0
    })
  },
}
