/** `ligature log create`: a new, empty conversation. */
import { phrase } from "../../../model/index.ts"
import { operationOption } from "../../store/append-options.ts"
import { type Command, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { storeOption } from "../../store/store-location.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"

export const create: Command = {
  summary: "create a conversation and print its id",
  usage: "[--title TITLE] [--id ID] [OPTIONS]",
  help: `Creates an empty conversation, and the store if it does not exist yet. Only the id is written to stdout, for scripts.
With --operation, repeating the command returns the same conversation.`,
  options: [
    { name: "title", value: "TITLE", text: "its title; ligature log rename changes it" },
    { name: "id", value: "ID", text: "an id that no other conversation has (default: a new one)" },
    { name: "parent", value: "ID", text: "the conversation that starts it, for example the one of an agent with sub-agents" },
    operationOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log create --store conversations --title 'Fix the build'", "in a folder"],
    ["id=$(ligature log create)", "in the store of LIGATURE_STORE, for a script"],
  ],
  run: (context) => {
    wordsOf(context, "log create", [])
    const { out, err, arguments: given } = context
    const [id, title, operation] = [given.text("id"), given.text("title"), given.text("operation")]
    const parent = given.text("parent")
    return withStore(
      context,
      async ({ store, location }) => {
        const record = await store.create({
          ...(id !== undefined && { id }),
          ...(title !== undefined && { title }),
          ...(operation !== undefined && { operation }),
          ...(parent !== undefined && { parent: { conversation: parent } }),
        })
        if (given.flag("json")) printJson("log create", 0, { conversation: record.id, record }, out)
        else {
          out.line(record.id)
          err.line(`${err.palette.good("✓")} ${phrase`created in ${location.name}`}`)
        }
        return 0
      },
      { makes: true },
    )
  },
}
